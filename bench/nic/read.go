package nic

import (
	"rhinet/bench/pair"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// openPull is E2: the first process reads, the second takes no part.
func openPull(e *pair.End) (pair.Side, error) {
	return newWriter(e, &writer{series: pull}, nil)
}

// pull reads by PULL, or by a pull request packet that the Window sends unchanged.
func pull(w *writer, series, bytes, reps int) error {
	if w.Rank == 1 {
		return nil
	}
	b := w.buf[:bytes]
	r := martini.Request{Node: 1, Segment: martini.CommonSegment}
	image := martini.Packet{
		Type: martini.PacketPullRequest, PID: 1, Node: 1, Segment: martini.CommonSegment, Local: fabric.Address(b), Length: bytes,
	}
	for range reps {
		var err error
		if series == 0 {
			err = w.window.Pull(r, b)
		} else {
			err = w.window.Botf(&image)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
