package model

import (
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/stepped"
)

// ringBytes is the memory of the ring in a VPUSH measurement: that of a node under PM/RHiNET-VP
// (pm-messaging, section 1.5.4), and the page of its pointer.
const ringBytes = 128<<10 + fabric.PageBytes

// vpushed is E8: one node sends VPUSHes of one size on one Window; the
// receiving process releases each record as soon as it sees it.
func vpushed(o stepped.RingOptions) measurement {
	return func(bytes, reps int) (point, error) {
		w, err := newWorld(2, ringBytes, bytes, stepped.Options{})
		if err != nil {
			return point{}, err
		}
		defer w.close()
		ring, err := w.m.NewRing(1, 0, w.area[1], o)
		if err != nil {
			return point{}, err
		}
		r := martini.Request{Node: 1, Segment: stepped.VPushSegment, Flag: 1}
		f := &flow{kick: func(window, _ int) (uint64, error) { return w.m.Push(0, window, r, w.source[0][:bytes]) }}
		return w.throughput([]*flow{f}, 1, bytes, reps, func() {
			if len(ring.Next()) >= bytes {
				ring.Release(bytes)
			}
		})
	}
}
