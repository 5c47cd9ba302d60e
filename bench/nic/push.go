package nic

import (
	"rhinet/bench/pair"
	"rhinet/nicemu/martini"
)

// The series of push.
const (
	pushLatency = iota
	pushStream
	pushMemcpy
	pushBoth
	pushTwo
	pushFour
	pushSending
)

func openPush(e *pair.End) (pair.Side, error) {
	return newWriter(e, &writer{send: (*writer).push, series: push}, nil)
}

func (w *writer) push(at int, b []byte) error { return w.pushBy(w.window, at, b) }

func (w *writer) pushBy(by *martini.Window, at int, b []byte) error {
	return by.Push(martini.Request{Node: 1 - w.Rank, Segment: martini.CommonSegment, Offset: uint64(at)}, b)
}

// push measures E3 beyond what is common to all writers: both ways at the same time; on 2 or 4 Windows in
// rotation; and a copy of the same bytes to the same place without a NIC. It also measures E4: to a
// receiver whose Switch Interface discards all packets.
func push(w *writer, series, bytes, reps int) error {
	switch series {
	case pushBoth:
		return w.stream(bytes, reps, true)
	case pushTwo, pushFour:
		turn, mask := 0, 1<<(series-pushTwo+1)-1
		return w.streamBy(func(w *writer, at int, b []byte) error {
			turn++
			return w.pushBy(w.nic.Window(turn&mask), at, b)
		}, bytes, reps, false)
	case pushSending:
		return w.streamBy(func(w *writer, at int, b []byte) error {
			return w.window.Transmit(martini.Request{Node: 1 - w.Rank, Segment: martini.CommonSegment, Offset: uint64(at)}, b)
		}, bytes, reps, false)
	case pushMemcpy:
		if w.Rank == 0 {
			to := w.F.Memory(w.place(1-w.Rank), uint64(bytes))
			for range reps {
				copy(to, w.buf[:bytes])
			}
		}
		return nil
	}
	return errCommon
}
