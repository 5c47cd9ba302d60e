package timed

import (
	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/martini/timed"
	"rhinet/nicemu/vtime"
)

// A flow is a process that sends continuously: it posts one request after another on its Windows in
// rotation, each as soon as contflag says that the Window may be written again (martini, section 3.3).
type flow struct {
	next   timed.Transfer    // template of its requests
	x      []*timed.Transfer // by Window: the latest
	to     func(number int) int
	done   int  // requests that have arrived, or whose source has been read if none arrives
	lost   bool // no request arrives
	box    *inbox
	begin  vtime.Time
	end    vtime.Time
	first  int // request that ends the warm-up
	counts int // requests that are timed; 0: the flow does not count
}

// fill is the number of packets after which all FIFOs on the way have reached their final fill level, and
// each page of a VPUSH ring has been written to.
const fill = 256

// newFlow returns a flow of requests of a kind from a node.
func (l *lab) newFlow(kind timed.Kind, to, bytes, offset, windows int) *flow {
	f := &flow{x: make([]*timed.Transfer, windows)}
	f.next = timed.Transfer{Kind: kind, To: to, Bytes: bytes, Offset: offset, Watcher: f}
	f.box = &l.got[to]
	packets := (bytes + stepped.MTU - 1) / stepped.MTU
	f.first = max(warmUps, fill/packets)
	f.counts = max(8, fill/4/packets)
	return f
}

// send is the program of a flow.
func (f *flow) send(p *timed.Process) error {
	for i := 0; ; i++ {
		window := i % len(f.x)
		if i >= len(f.x) {
			p.Await(f.x[window], timed.Free)
		}
		x := new(timed.Transfer)
		*x = f.next
		x.Window, f.x[window] = window, x
		if f.to != nil {
			x.To = f.to(i)
		}
		if err := p.Post(x); err != nil {
			return err
		}
	}
}

// Progress implements timed.Watcher.
func (f *flow) Progress(t *timed.Transfer, s timed.Stage) {
	f.box.Progress(t, s)
	if s == timed.Delivered || s == timed.Free && f.lost {
		f.note(t.Node().Now())
	}
}

// note counts a completed request.
func (f *flow) note(now vtime.Time) {
	switch f.done++; f.done {
	case f.first:
		f.begin = now
	case f.first + f.counts:
		f.end = now
	}
}

func (f *flow) over() bool { return f.end > 0 }

// rate returns what the flow transferred, in Mbyte/s.
func (f *flow) rate() float64 {
	return float64(f.counts*f.next.Bytes) / (f.end - f.begin).Microseconds()
}

// flows runs flows by node, and returns what the first counting ones transferred together.
func (l *lab) flows(counting int, from []int, all []*flow) (point, error) {
	for i, f := range all {
		l.start(from[i], f.send)
	}
	err := l.run(func() bool {
		for _, f := range all[:counting] {
			if !f.over() {
				return false
			}
		}
		return true
	})
	if err != nil {
		return point{}, err
	}
	var p point
	for _, f := range all[:counting] {
		p.rate += f.rate()
	}
	p.usec = float64(all[0].next.Bytes) / all[0].rate()
	return p, nil
}

// A streaming is E3 and E4.
type streaming struct {
	windows  int
	both     bool
	discard  bool // the receiver's Switch Interface drops all packets
	switched bool
}

func (s streaming) measure(l *lab, bytes int) (point, error) {
	rule := "pair"
	if s.switched {
		rule = "one:2"
	}
	if err := l.build(rule, timed.Options{Area: bytes, Source: bytes}); err != nil {
		return point{}, err
	}
	l.sys.Machine().Discard(1, s.discard)
	all, from := []*flow{l.newFlow(timed.Push, 1, bytes, 0, s.windows)}, []int{0, 1}
	all[0].lost = s.discard
	if s.both {
		all = append(all, l.newFlow(timed.Push, 0, bytes, 0, s.windows))
	}
	return l.flows(len(all), from, all)
}
