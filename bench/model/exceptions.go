package model

import (
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/stepped"
)

// A pattern is one line of the table of E6: the flows between three nodes, and how many of them, from the
// first on, count.
type pattern func(w *world, bytes int) (flows []*flow, counting int)

// between measures a pattern.
func between(p pattern) measurement {
	return func(bytes, reps int) (point, error) {
		w, err := newWorld(3, 2*bytes, bytes, stepped.Options{})
		if err != nil {
			return point{}, err
		}
		defer w.close()
		flows, counting := p(w, bytes)
		return w.throughput(flows, counting, bytes, reps, nil)
	}
}

// pattern1: node 1 sends to node 0.
func pattern1(w *world, bytes int) ([]*flow, int) {
	return []*flow{w.pushes(1, 0, 1, bytes, 0)}, 1
}

// pattern2: one node sends to the two others alternately.
func pattern2(w *world, bytes int) ([]*flow, int) {
	return []*flow{{node: 0, kick: func(window, number int) (uint64, error) {
		to := 1 + number%2
		return w.m.Push(0, window, martini.Request{Node: to, Segment: w.seg[to]}, w.source[0][:bytes])
	}}}, 1
}

// pattern3: nodes 0 and 2 send to node 1 at the same time.
func pattern3(w *world, bytes int) ([]*flow, int) {
	return []*flow{w.pushes(0, 1, 1, bytes, 0), w.pushes(2, 1, 1, bytes, bytes)}, 2
}

// pattern4: as pattern 1, while each packet that node 2 sends to node 1 raises
// an exception in state RVA of node 1's RFend and is dropped by its firmware.
func pattern4(w *world, bytes int) ([]*flow, int) {
	flows, counting := pattern1(w, bytes)
	nowhere := martini.Request{Node: 1, Segment: w.seg[1] + 1<<32} // a registration that is yet to come
	w.m.Handle(1, stepped.RFend, stepped.RVA, func(f *stepped.Firmware) bool {
		f.Drop()
		return true
	})
	return append(flows, &flow{node: 2, kick: func(window, _ int) (uint64, error) {
		return w.m.Push(2, window, nowhere, w.source[2][:bytes])
	}}), counting
}

// pattern5: as pattern 3, while each PUSH that node 1 requests fails in state
// IPA2 of its Initiator and is cancelled by its firmware.
func pattern5(w *world, bytes int) ([]*flow, int) {
	flows, counting := pattern3(w, bytes)
	unpinned := pages(bytes)
	r := martini.Request{Node: 0, Segment: w.seg[0]}
	return append(flows, &flow{node: 1, kick: func(window, _ int) (uint64, error) {
		return w.m.Request(1, window, martini.CommandPush, r, fabric.Address(unpinned), uint64(bytes))
	}}), counting
}

// pattern5Loop: as pattern 5, but firmware writes IDLE without cancelling, so that the Initiator fails at
// its first request for ever.
func pattern5Loop(w *world, bytes int) ([]*flow, int) {
	w.m.Handle(1, stepped.Initiator, stepped.IPA2, func(f *stepped.Firmware) bool {
		f.Resume(stepped.Initiator, stepped.IDLE)
		return true
	})
	return pattern5(w, bytes)
}
