package nic

import (
	"rhinet/bench/pair"
	"rhinet/nicemu/martini"
)

// openPull is E2: the first reads, the second takes no part.
func openPull(e *pair.End) (pair.Side, error) {
	return newWriter(e, &writer{series: pull}, nil)
}

func pull(w *writer, _, bytes, reps int) error {
	if w.Rank == 1 {
		return nil
	}
	r := martini.Request{Node: 1, Segment: martini.CommonSegment}
	for range reps {
		if err := w.window.Pull(r, w.buf[:bytes]); err != nil {
			return err
		}
	}
	return nil
}
