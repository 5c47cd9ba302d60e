package traffic

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Options limit what Draw draws.
type Options struct {
	Ranks  int
	Budget int // maximum bytes of messages in one exchange, all ranks together
	Most   int // maximum bytes of one message
	Steps  int // approximate number in a lane
	// Cancels says that a send is cancelled if its wait is given up, as in the reference transport: then no
	// such send is drawn. On a NIC the message still arrives.
	Cancels bool
}

// drawer draws one plan.
type drawer struct {
	*rand.Rand
	o Options
}

// Draw returns the plan of a seed. It depends only on its arguments.
func Draw(seed uint64, o Options) *Plan {
	d := drawer{rand.New(rand.NewPCG(seed, 0x7aff1c)), o}
	p := &Plan{Seed: seed, Ranks: o.Ranks, Lanes: make([][]Step, d.pick(1, 1, 2, 3))}
	for l := range p.Lanes {
		p.Lanes[l] = d.lane(len(p.Lanes))
	}
	return p
}

func (d *drawer) pick(values ...int) int { return values[d.IntN(len(values))] }

func (d *drawer) percent(p int) bool { return d.IntN(100) < p }

// lane draws the steps of one lane; it shares the budget with the other lanes.
func (d *drawer) lane(lanes int) []Step {
	world := make([]int, d.o.Ranks)
	for i := range world {
		world[i] = i
	}
	stack := [][][]int{{world}}
	var steps []Step
	for len(steps) < d.o.Steps/2+d.IntN(d.o.Steps+1) {
		groups := stack[len(stack)-1]
		s := Step{Groups: groups}
		switch k := d.IntN(20); {
		case k < 10:
			d.exchange(&s, len(steps), d.o.Budget/lanes)
		case k < 14:
			s.Kind, s.Call = Collective, d.call()
		case k < 16 && len(stack) < 4:
			s.Kind = Dup
			stack = append(stack, groups)
		case k < 18 && len(stack) < 4:
			s.Kind = Split
			stack = append(stack, d.split(&s))
		case k >= 18 && len(stack) > 1:
			s.Kind = Free
			stack = stack[:len(stack)-1]
		default:
			continue
		}
		steps = append(steps, s)
	}
	for ; len(stack) > 1; stack = stack[:len(stack)-1] {
		steps = append(steps, Step{Kind: Free, Groups: stack[len(stack)-1]})
	}
	return steps
}

// calls lists the collective operations; those at the end transfer a part from each rank to each.
var calls = []string{
	"barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "scan", "reducescatterblock", "gatherv", "allgatherv", "alltoallv",
}

func (d *drawer) call() *Call {
	most := d.pick(8, 64, 2000, 20000, 300000)
	return &Call{Name: calls[d.IntN(len(calls))], Bytes: 8 * d.IntN(most/8+1), Root: d.IntN(d.o.Ranks)}
}

// split draws colors and keys and returns the resulting groups.
func (d *drawer) split(s *Step) [][]int {
	s.Colors, s.Keys = make([]int, d.o.Ranks), make([]int, d.o.Ranks)
	colors := 1 + d.IntN(3)
	for r := range s.Colors {
		if s.Colors[r] = d.IntN(colors); d.percent(5) {
			s.Colors[r] = -1
		}
		s.Keys[r] = d.IntN(5)
	}
	var made [][]int
	for _, g := range s.Groups {
		for color := range colors {
			var part []int
			for _, r := range g {
				if s.Colors[r] == color {
					part = append(part, r)
				}
			}
			slices.SortStableFunc(part, func(a, b int) int { return s.Keys[a] - s.Keys[b] })
			if len(part) > 0 {
				made = append(made, part)
			}
		}
	}
	return made
}

// stepTags is the number of tags reserved for an exchange.
const stepTags = 8

// exchange draws messages within the groups of s, step number n of its lane.
func (d *drawer) exchange(s *Step, n, budget int) {
	s.Kind = Exchange
	all := Style(d.pick(int(Serial), int(Apart), int(Concurrent), int(Burst), -1, -1) & 0xff)
	if d.percent(15) {
		all, s.During = Burst, d.call()
	}
	base := Class(d.IntN(4))
	for range d.o.Ranks {
		class, style := base, all
		if d.percent(20) {
			class = Class(d.IntN(4))
		}
		if style > Burst {
			style = Style(d.IntN(4))
		}
		if style == Serial && class.wild() || style == Concurrent && !class.wild() {
			style = Apart
		}
		s.Classes, s.Styles = append(s.Classes, class), append(s.Styles, style)
		s.Windows = append(s.Windows, d.pick(1, 2, 8, 64, 500))
		nap := time.Duration(0)
		if d.percent(10) {
			nap = time.Duration(d.IntN(100_000)) * time.Microsecond
		}
		s.Naps = append(s.Naps, nap)
		s.Fence = s.Fence || class == Any
	}
	d.messages(s, n, budget)
}

func (d *drawer) messages(s *Step, n, budget int) {
	if len(s.Groups) == 0 {
		return
	}
	count := d.pick(1, 10, 40, 40, 150, 400)
	scale := d.IntN(4) // 0: only small messages
	hub := -1          // rank to which all ranks send
	if d.percent(20) {
		hub = d.IntN(d.o.Ranks)
	}
	left, wild := budget, wildRoom(budget, count)
	for range count {
		g := s.Groups[d.IntN(len(s.Groups))]
		m := Message{From: g[d.IntN(len(g))], To: g[d.IntN(len(g))], Tag: n*stepTags + d.IntN(stepTags)}
		if slices.Contains(g, hub) && d.percent(80) {
			m.To = hub
		}
		class := s.Classes[m.To]
		most := min(left, d.o.Most)
		if class.wild() {
			most = min(most, wild)
		}
		if class == AnySource {
			m.Tag = n * stepTags
		}
		m.Bytes = min(d.size(scale), most)
		left -= m.Bytes
		d.modes(&m, s, class)
		s.Messages = append(s.Messages, m)
	}
	d.pair(s)
}

// wildRoom is the largest message to a rank whose receives all have room for every message.
func wildRoom(budget, count int) int { return min(budget/count, 1<<20) }

// size draws a message size: mostly small, with a long tail that scale cuts.
func (d *drawer) size(scale int) int {
	k := d.IntN(1000)
	switch {
	case k < 60:
		return 0
	case k < 450 || scale == 0:
		return 1 + d.IntN(64)
	case k < 600: // around the limits of packets and protocols
		limits := []int{40, 1984, 2028, 2048, 4096, 8192, 12288, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10}
		return limits[d.IntN(len(limits))] + d.IntN(3) - 1
	case k < 800 || scale == 1:
		return d.IntN(4 << 10)
	case k < 930:
		return d.IntN(64 << 10)
	case k < 985 || scale == 2:
		return d.IntN(1 << 20)
	case k < 998:
		return d.IntN(8 << 20)
	}
	return MostBytes - d.IntN(2)*d.IntN(MostBytes)
}

// modes draws how a message is sent and received.
func (d *drawer) modes(m *Message, s *Step, class Class) {
	m.Send, m.Recv = SendMode(d.IntN(int(SendModes))), RecvMode(d.IntN(int(RecvModes)))
	if m.Send == SsendGivenUp && (d.o.Cancels || d.percent(80)) {
		m.Send = Send
	}
	if m.Recv == RecvGivenUp && (m.Bytes > onePacket || class.wild()) {
		m.Recv = Recv
	}
	if s.Styles[m.To] == Concurrent && m.Recv != Irecv { // another goroutine could take the probed message
		m.Recv = Recv
	}
	if s.Styles[m.To] == Burst {
		m.Recv = Irecv
	}
	if s.Styles[m.From] == Burst {
		m.Send = SendMode(d.pick(int(Isend), int(Isend), int(Issend)))
	}
	m.Short = !class.wild() && m.Bytes > 1 && d.percent(2) && m.Recv != RecvGivenUp
	if d.percent(3) {
		m.Rest = time.Duration(d.IntN(1500)) * time.Microsecond
	}
	if d.percent(3) {
		m.Nap = time.Duration(d.IntN(3000)) * time.Microsecond
	}
}

// onePacket is the size of messages, in bytes, that take one packet on every NIC: a receive that has not
// received such a message has not received a part of it either.
const onePacket = 256

// pair turns some messages that a serial rank sends just after receiving another one into one half of a
// Sendrecv.
func (d *drawer) pair(s *Step) {
	last := make([]int, d.o.Ranks) // 1 + number of the last message of a rank
	for i := range s.Messages {
		m := &s.Messages[i]
		if k := last[m.From] - 1; k >= 0 && m.From != m.To && s.Styles[m.From] == Serial && d.percent(30) {
			if before := &s.Messages[k]; before.To == m.From && before.From != before.To && !before.Short {
				m.Pairs, m.Send, before.Recv = true, Send, Recv
			}
		}
		last[m.From], last[m.To] = i+1, i+1
	}
}
