package timed

import (
	"errors"
	"fmt"
	"strings"

	"rhinet/bench"
	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/martini/timed"
	"rhinet/nicemu/network"
	"rhinet/nicemu/vtime"
)

// A Step is what one part does for a message on its way.
type Step struct {
	Number int     `json:"step"` // 0: the bus, while a step needs it
	Place  string  `json:"place"`
	Lane   string  `json:"lane"`
	From   float64 `json:"from_usec"` // from the first store of the sender's processor
	To     float64 `json:"to_usec"`
	What   string  `json:"what"`
}

// A Journey is the path of one message by PUSH, from one host through a switch to another.
type Journey struct {
	Bytes int
	Steps []Step // in the order of the message; then the buses
	End   float64
}

// Travel follows a message of the given size, in one packet.
func Travel(o Options, bytes int) (*Journey, error) {
	if bytes < 1 || bytes > stepped.MTU {
		return nil, fmt.Errorf("%w: a message of %d bytes; a packet has 1 to %d", bench.ErrInput, bytes, stepped.MTU)
	}
	t, err := network.Generate("one:2", 0)
	if err != nil {
		return nil, err
	}
	sys, err := timed.New(t, o.Table, timed.Options{})
	if err != nil {
		return nil, input(err)
	}
	defer sys.Close()
	l := newLog()
	x := &timed.Transfer{Kind: timed.Push, To: 1, Bytes: bytes}
	for i := range 2 { // the first fills the TLBs
		if i == 1 {
			l.begin = sys.Kernel().Now()
			sys.Kernel().Observe(l)
		}
		if err := sys.Node(0).Post(x); err != nil {
			return nil, err
		}
		if err := sys.Kernel().Run(patience); err != nil {
			return nil, err
		}
	}
	stored, _ := x.At(timed.Stored)
	accepted, _ := x.At(timed.Accepted)
	delivered, _ := x.At(timed.Delivered)
	j := &Journey{Bytes: bytes}
	if err := l.journey(j, stored, accepted, delivered); err != nil {
		return nil, err
	}
	return j, nil
}

// A span is the time from one point to another.
type span struct{ from, to vtime.Time }

// A log is a tracer that records when modules worked, buses were in use, and packets passed.
type log struct {
	begin vtime.Time
	busy  map[string][]span // by module or resource; an unfinished span ends at 0
	marks map[string]vtime.Time
	since map[string]vtime.Time // by module and state: when it was first entered
}

func newLog() *log {
	return &log{busy: map[string][]span{}, marks: map[string]vtime.Time{}, since: map[string]vtime.Time{}}
}

func (l *log) work(name string, at vtime.Time, works bool) {
	all := l.busy[name]
	open := len(all) > 0 && all[len(all)-1].to == 0
	switch {
	case works && !open:
		l.busy[name] = append(all, span{at, 0})
	case !works && open:
		all[len(all)-1].to = at
	}
}

// State implements vtime.Tracer.
func (l *log) State(at vtime.Time, m *vtime.Module, _, to int) {
	state := m.States()[to].Name
	if key := m.Name() + " " + state; l.since[key] == 0 {
		l.since[key] = at
	}
	l.work(m.Name(), at, state != stepped.IDLE.String() && state != stepped.MAIN.String())
}

// Level implements vtime.Tracer.
func (l *log) Level(at vtime.Time, s vtime.Source, level int) { l.work(s.Name(), at, level > 0) }

// Mark implements vtime.Tracer.
func (l *log) Mark(at vtime.Time, s vtime.Source, what string, _ uint64) {
	l.marks[s.Name()+" "+what] = at
}

// errJourney reports a model in which a message does not take its usual path.
var errJourney = errors.New("the message did not go the way that the page describes")

// journey turns the log into steps.
func (l *log) journey(j *Journey, stored, accepted, delivered vtime.Time) error {
	for _, name := range []string{"node 0 Window", "node 0 Initiator", "node 0 Header", "node 0 Sender", "node 0 SWI", "node 1 RFend", "node 1 RBend", "node 1 PCIDMAC"} {
		if len(l.busy[name]) != 1 {
			return fmt.Errorf("%w: %s worked %d times", errJourney, name, len(l.busy[name]))
		}
	}
	dma, bus := l.busy["node 0 PCIDMAC"], l.busy["node 0 PCI"]
	if len(dma) != 2 || len(bus) < 3 {
		return fmt.Errorf("%w: the sender's DMA controller worked %d times", errJourney, len(dma))
	}
	whole := func(name string) span { return l.busy[name][0] }
	mark := func(name string) vtime.Time { return l.marks[name] }
	tail := mark("h1 tail")
	long := tail - mark("s0>h1 send") // as long as a link carries it
	add := func(place, lane string, s span, what string) {
		j.Steps = append(j.Steps, Step{Place: place, Lane: lane, From: (s.from - l.begin).Microseconds(), To: (s.to - l.begin).Microseconds(), What: what})
	}
	const sender, chip, net, far, receiver = "sending host", "sending chip", "network", "receiving chip", "receiving host"
	add(sender, "processor", span{l.begin, stored}, "The program stores six words into a page of the chip that is mapped into its memory, the Window: what to do, for whom, from where, to where, how much. No system call. The last store starts the chip.")
	add(sender, "bridge", span{stored, bus[0].from}, "The bridge between processor and bus holds the words back for a moment, in case more follow that could travel with them.")
	add(sender, "bus to the chip", span{bus[0].from, accepted}, "All six words cross the PCI bus in one transaction. Now the chip has the request, and the processor has long gone on.")
	add(chip, "Window", span{accepted, whole("node 0 Window").to}, "The words leave the Window for the part of the chip that sends.")
	add(chip, "Initiator", whole("node 0 Initiator"), "Who owns the Window? A table says it, so nobody can lie about it. Is the memory his? The address of the program becomes the physical one, by a cache of translations.")
	add(chip, "header", whole("node 0 Header"), "Meanwhile the header of the packet is written: the receiving node, the number of the memory there, a place in it.")
	add(chip, "DMA", dma[0], fmt.Sprintf("The chip asks for the bus and reads the %s of the message from the host's memory. Most of this time it waits for the first of them.", bench.Number(j.Bytes, "byte")))
	add(chip, "sender", whole("node 0 Sender"), "Header and data become one packet.")
	add(chip, "link interface", whole("node 0 SWI"), "The packet goes from the clock of the chip, 66 MHz, to that of the link.")
	add(chip, "DMA", dma[1], "The chip writes a word into the host's memory: the data have been read, and the Window may be used again. The message does not wait for this.")
	add(net, "link to the switch", span{mark("h0>s0 send"), mark("h0>s0 send") + long}, "Bit by bit over the fibre, 64 bits of the packet in 80 of the line.")
	add(net, "switch", span{mark("h0>s0 head"), mark("s0>h1 send")}, "The switch has read the header, looks up the way, and sends the packet on before all of it has come (cut-through).")
	add(net, "link to the host", span{mark("s0>h1 send"), tail}, "The second link. The packet is on both links at once, if it is long enough.")
	add(far, "link interface", span{mark("s0>h1 head"), whole("node 1 RFend").from}, "The header is there. It goes from the clock of the link to that of the chip.")
	add(far, "front end", whole("node 1 RFend"), "The header is read, word by word. May this job write here? Which memory has the number that it names?")
	add(far, "back end", span{whole("node 1 RBend").from, l.since["node 1 RBend WAIT"]}, "The address becomes the physical one, again by a cache of translations, and the write is asked for.")
	add(far, "DMA", whole("node 1 PCIDMAC"), "The chip asks for the bus and writes the message into the memory of the program. No processor takes part.")
	add(receiver, "processor", span{whole("node 1 PCIDMAC").to, delivered}, "The program has been looking at the last word of that memory again and again. Now it has changed: it is in the host's memory, the processor's copy is out of date and is fetched anew, and the message has arrived.")
	for _, s := range bus[1:] {
		add(sender, "bus to the chip", s, "")
	}
	for _, s := range l.busy["node 1 PCI"] {
		add(receiver, "bus from the chip", s, "")
	}
	return j.number(delivered - l.begin)
}

// number numbers the steps that are shown.
func (j *Journey) number(end vtime.Time) error {
	j.End = end.Microseconds()
	n := 0
	for i := range j.Steps {
		s := &j.Steps[i]
		if !(s.From >= 0 && s.To > s.From) {
			return fmt.Errorf("%w: %s of the %s from %v to %v us", errJourney, s.Lane, s.Place, s.From, s.To)
		}
		if s.What != "" {
			n++
			s.Number = n
		}
	}
	return nil
}

// Parts sums up where the time was spent until the message had arrived: each moment counts for the last
// place that the message had reached.
func (j *Journey) Parts() (all []Part) {
	last := ""
	for _, s := range j.Steps {
		if s.Number == 0 || s.From >= j.End || strings.Contains(s.What, "does not wait for this") {
			continue
		}
		if s.Place != last {
			all = append(all, Part{s.Place, s.From, j.End})
			if n := len(all); n > 1 {
				all[n-2].To = s.From
			}
			last = s.Place
		}
	}
	return all
}

// A Part is the time that a message spent at one place.
type Part struct {
	Place    string
	From, To float64
}
