package nic

import (
	"errors"
	"fmt"

	"rhinet/bench"
	"rhinet/bench/pair"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// The patterns of E6 between three nodes (martini, section 13).
const (
	oneToOne       = iota // (1) node 1 sends to node 0
	oneToTwo              // (2) node 0 sends to the other two alternately
	twoToOne              // (3) nodes 0 and 2 send to node 1 at the same time
	besideArrivals        // (4) as 1; what node 2 sends to node 1 is refused there
	besideRequests        // (5) as 3; what node 1 wants to send is refused at once
	besideOneLoop         // (5') as 5, with one request kicked again for ever
	patterns
)

// share is the part of the communication memory that one sender writes to.
const share = 256 << 10

func exceptions() (all []bench.Test) {
	for i := range patterns {
		name := fmt.Sprintf("pattern-%d", min(i, besideRequests)+1)
		if i == besideOneLoop {
			name += "-loop"
		}
		moves := 1.0
		if i == twoToOne || i >= besideRequests {
			moves = 2
		}
		all = append(all, bench.Test{
			Name: name, Sizes: []int{128, 512, 2 << 10, 8 << 10, 32 << 10, 128 << 10}, Min: 8, Max: share, Unit: 8, Scale: 1, Moves: moves,
		})
	}
	return all
}

// A trio is one of three processes.
type trio struct {
	*pair.End
	nic      *martini.NIC
	window   *martini.Window
	buf      []byte // pinned
	unpinned []byte
}

func openExceptions(e *pair.End) (pair.Side, error) {
	nic, err := martini.Open(e.F, e.Rank, martini.Options{})
	if err != nil {
		return nil, err
	}
	t := &trio{End: e, nic: nic, window: nic.Window(0), buf: make([]byte, share), unpinned: make([]byte, share+fabric.PageBytes)}
	if _, err := nic.Pin(t.buf); err != nil {
		return nil, errors.Join(err, nic.Close())
	}
	return t, nil
}

func (t *trio) Close() error { return t.nic.Close() }

// Run is this process's part in a pattern.
func (t *trio) Run(series, bytes, reps int) error {
	switch {
	case t.Rank == 1 && (series == oneToOne || series == besideArrivals):
		return t.send(reps, bytes, 0, 0)
	case t.Rank == 0 && series == oneToTwo:
		return t.send(reps, bytes, 1, 2)
	case t.Rank != 1 && (series == twoToOne || series >= besideRequests):
		return t.send(reps, bytes, 1, 1)
	case t.Rank == 2 && series == besideArrivals:
		return t.refused(martini.NoSegment, func() error {
			return t.window.Push(martini.Request{Node: 1, Segment: nowhere}, t.buf[:bytes])
		}, 1)
	case t.Rank == 1 && series >= besideRequests:
		again := false
		return t.refused(martini.NotPinned, func() error {
			if again {
				return t.window.Write(martini.DWKick, 1)
			}
			again = series == besideOneLoop
			return t.window.Push(martini.Request{Node: 0, Segment: martini.CommonSegment}, t.unpinned[:bytes])
		}, 0, 2)
	}
	return nil
}

// nowhere is a segment that no process of this measurement registers.
const nowhere = martini.Segment(1<<32 | martini.Segments - 1)

// send PUSHes continuously, to two nodes in turn.
func (t *trio) send(reps, bytes, even, odd int) error {
	to := [2]int{even, odd}
	r := martini.Request{Segment: martini.CommonSegment, Offset: uint64(t.Rank * share)}
	for i := range reps {
		r.Node = to[i%2]
		if err := t.window.Push(r, t.buf[:bytes]); err != nil {
			return err
		}
	}
	return nil
}

// refused issues requests that are refused for one reason, until other nodes are done.
func (t *trio) refused(why martini.Reason, request func() error, others ...int) error {
	for _, rank := range others {
		for !t.Done(rank) {
			if err := request(); !errors.Is(err, why) {
				return fmt.Errorf("a request that should be refused because %v: %v", why, err)
			}
			if err := t.Alive(); err != nil {
				return err
			}
		}
	}
	return nil
}
