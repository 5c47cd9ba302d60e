package timed

import (
	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/vtime"
)

// A Point is one of the stages of a remote write that the specification tells
// apart (martini, section 12.2; pm-messaging, section 2.3).
type Point int

// The points.
const (
	AcceptedByNIC Point = iota
	Leaves
	Arrives
	Processed
	OnPCI
	Complete
	Points
)

// String returns the point in the words of the specification.
func (p Point) String() string {
	return [Points]string{
		"request accepted", "packet starts to leave", "packet arrives at remote", "remote starts processing",
		"PCI transaction starts at remote", "remote write complete",
	}[p]
}

// A WriteTrace takes the times of one write from node 0 to node 1. Give its
// Observe to Options, and call Begin when the process begins.
type WriteTrace struct {
	sys   *System
	begin vtime.Time
	at    [Points]vtime.Time
}

// Begin makes the present the beginning.
func (w *WriteTrace) Begin(sys *System) { *w = WriteTrace{sys: sys, begin: sys.k.Now()} }

// Observe is for Options.Observe.
func (w *WriteTrace) Observe(e stepped.Event) {
	if w.sys == nil {
		return
	}
	s := &w.sys.s
	switch {
	case e.Node == 0 && e.Module == stepped.SWI && e.From == stepped.SEND && e.To != e.From:
		w.note(Leaves, 0)
	case e.Node == 1 && e.Module == stepped.RFend && e.To == stepped.FLIT0:
		w.note(Processed, 0)
	case e.Node == 1 && e.Module == stepped.PCIDMAC && e.From == stepped.MREQ && e.To != e.From:
		w.note(OnPCI, s.core.Span(s.address)) // it began before its first data
	}
}

func (w *WriteTrace) note(p Point, before vtime.Time) {
	if w.at[p] == 0 {
		w.at[p] = w.sys.k.Now() - before
	}
}

// Times returns when the points of a transfer were reached, from the beginning.
func (w *WriteTrace) Times(t *Transfer) [Points]vtime.Time {
	w.at[AcceptedByNIC], w.at[Complete] = t.stages[Accepted], t.stages[Delivered]
	w.at[Arrives] = w.at[Leaves] + w.sys.net.LinkDelay(0)
	all := w.at
	for i := range all {
		all[i] -= w.begin
	}
	return all
}
