package model

import (
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/stepped"
)

// pushes is a flow of PUSHes from one node's source to position at in another's area.
func (w *world) pushes(from, to, windows, bytes, at int) *flow {
	r := martini.Request{Node: to, Segment: w.seg[to], Offset: uint64(at)}
	return &flow{node: from, windows: windows, kick: func(window, _ int) (uint64, error) {
		return w.m.Push(from, window, r, w.source[from][:bytes])
	}}
}

// stream is E3: one node sends, on the given number of Windows in rotation, or both do.
func stream(windows int, both bool) measurement {
	return func(bytes, reps int) (point, error) {
		w, err := newWorld(2, bytes, bytes, stepped.Options{})
		if err != nil {
			return point{}, err
		}
		defer w.close()
		flows := []*flow{w.pushes(0, 1, windows, bytes, 0)}
		if both {
			flows = append(flows, w.pushes(1, 0, windows, bytes, 0))
		}
		return w.throughput(flows, len(flows), bytes, reps, nil)
	}
}

// sending is E4: the receiver's Switch Interface discards all packets.
func sending(windows int) measurement {
	return func(bytes, reps int) (point, error) {
		w, err := newWorld(2, bytes, bytes, stepped.Options{})
		if err != nil {
			return point{}, err
		}
		defer w.close()
		w.m.Discard(1, true)
		return w.throughput([]*flow{w.pushes(0, 1, windows, bytes, 0)}, 1, bytes, reps, nil)
	}
}

func (w *world) throughput(flows []*flow, counting, bytes, reps int, every func()) (point, error) {
	perStep, micros, err := w.run(flows, counting, bytes, reps, every)
	if err != nil {
		return point{}, err
	}
	return point{steps: float64(bytes) / perStep, perStep: perStep, micros: micros}, nil
}
