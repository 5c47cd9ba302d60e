package timed

import (
	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/vtime"
)

// A Trace records the times at which a transfer from node 0 to its neighbour, node 1, reaches the
// points that the specification lists (martini, section 12.2; pm-messaging, section 2.3). Pass its
// Observe to Options, and call Begin when the process begins.
type Trace struct {
	points []tracePoint
	sys    *System
	begin  vtime.Time
	next   int // the point that comes next
}

// A tracePoint is the time at which a module of a node leaves a state, or follows from the previous
// point or from the transfer.
type tracePoint struct {
	name   string
	node   int
	module stepped.Module
	leaves stepped.State
	kind   pointKind
	at     vtime.Time
}

type pointKind uint8

const (
	pointStage  pointKind = iota // Accepted, Delivered
	pointSeen                    // the module leaves the state
	pointWrite                   // the same, for the first data of a PCI write, which began earlier
	pointRead                    // the same for a PCI read
	pointLinked                  // the previous point plus the delay of the link
)

// NewTrace returns the trace of a kind of transfer.
func NewTrace(k Kind) *Trace {
	leaves := func(name string, node int) tracePoint {
		return tracePoint{name: name, node: node, module: stepped.SWI, leaves: stepped.SEND, kind: pointSeen}
	}
	onPCI := func(name string, node int, kind pointKind) tracePoint {
		return tracePoint{name: name, node: node, module: stepped.PCIDMAC, leaves: stepped.MREQ, kind: kind}
	}
	if k == Pull || k == BotfPull {
		return &Trace{points: []tracePoint{
			{name: "request accepted"}, leaves("request packet starts to leave", 0), {name: "request packet arrives at remote", kind: pointLinked},
			onPCI("PCI transaction starts at remote", 1, pointRead), leaves("reply packet starts to leave", 1),
			{name: "reply packet arrives", kind: pointLinked}, onPCI("PCI transaction starts", 0, pointWrite), {name: "remote read complete"},
		}}
	}
	return &Trace{points: []tracePoint{
		{name: "request accepted"}, leaves("packet starts to leave", 0), {name: "packet arrives at remote", kind: pointLinked},
		{name: "remote starts processing", node: 1, module: stepped.RFend, leaves: stepped.IDLE, kind: pointSeen},
		onPCI("PCI transaction starts at remote", 1, pointWrite), {name: "remote write complete"},
	}}
}

// Begin starts the trace at the present time.
func (t *Trace) Begin(sys *System) {
	t.sys, t.begin, t.next = sys, sys.k.Now(), 0
	t.skip()
}

// skip advances to the next point that is observed.
func (t *Trace) skip() {
	for t.next < len(t.points) {
		switch p := &t.points[t.next]; p.kind {
		case pointStage:
		case pointLinked:
			p.at = t.points[t.next-1].at + t.sys.net.LinkDelay(0)
		default:
			return
		}
		t.next++
	}
}

// Observe is the function for Options.Observe.
func (t *Trace) Observe(e stepped.Event) {
	if t.sys == nil || t.next == len(t.points) || e.From == e.To {
		return
	}
	p := &t.points[t.next]
	if e.Node != p.node || e.Module != p.module || e.From != p.leaves {
		return
	}
	p.at = t.sys.k.Now()
	switch p.kind {
	case pointWrite:
		p.at -= t.sys.s.core.Span(t.sys.s.address)
	case pointRead:
		p.at -= t.sys.s.core.Span(t.sys.s.fetch)
	}
	t.next++
	t.skip()
}

// A Reached is a point, and the time from the beginning at which it was reached.
type Reached struct {
	Name string
	Time vtime.Time
}

// Points returns the points of a transfer that has been delivered.
func (t *Trace) Points(x *Transfer) (all []Reached) {
	t.points[0].at, t.points[len(t.points)-1].at = x.stages[Accepted], x.stages[Delivered]
	for _, p := range t.points {
		all = append(all, Reached{p.name, p.at - t.begin})
	}
	return all
}
