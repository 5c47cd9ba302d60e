package nic

import (
	"encoding/binary"
	"errors"
	"sync/atomic"

	"rhinet/bench/pair"
	"rhinet/nicemu/martini"
)

// The communication memory: where the other side writes, in turn, and the word at the end of a stream.
const (
	area    = 0
	endWord = largest
)

// A writer measures writes to remote memory. Different ways to write differ only in send.
type writer struct {
	*pair.End
	nic    *martini.NIC
	window *martini.Window
	mem    []byte
	buf    []byte // pinned
	send   func(w *writer, at int, b []byte) error
	number uint32 // of the latest message, stored at its end
	series func(w *writer, series, bytes, reps int) error
}

// newWriter opens the NIC; setup prepares one way to write.
func newWriter(e *pair.End, w *writer, setup func(*writer) error) (pair.Side, error) {
	nic, err := martini.Open(e.F, e.Rank, martini.Options{})
	if err != nil {
		return nil, err
	}
	w.End, w.nic, w.window, w.mem = e, nic, nic.Window(0), nic.Common()
	w.buf = make([]byte, largest)
	if _, err = nic.Pin(w.buf); err == nil && setup != nil {
		err = setup(w)
	}
	if err != nil {
		return nil, errors.Join(err, nic.Close())
	}
	return w, nil
}

func (w *writer) Close() error { return w.nic.Close() }

func (w *writer) Run(series, bytes, reps int) error {
	if w.series != nil {
		if err := w.series(w, series, bytes, reps); err != errCommon {
			return err
		}
	}
	if series == 0 {
		return w.pingPong(bytes, reps)
	}
	return w.stream(bytes, reps, false)
}

// errCommon says that a series is measured as for every writer.
var errCommon = errors.New("ping-pong, or stream")

// pingPong is E1: the last word of each message is its number.
func (w *writer) pingPong(bytes, reps int) error {
	b := w.buf[:bytes]
	for range reps {
		w.number++
		binary.NativeEndian.PutUint32(b[bytes-4:], w.number)
		if w.Rank == 0 {
			if err := w.send(w, area, b); err != nil {
				return err
			}
		}
		if err := w.await(area+bytes-4, w.number); err != nil {
			return err
		}
		if w.Rank == 1 {
			if err := w.send(w, area, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// stream is E3: the first side sends, or both do, and a side that does not send waits for the end. Writes
// overwrite each other: a remote write needs no receiver.
func (w *writer) stream(bytes, reps int, both bool) error {
	return w.streamBy(w.send, bytes, reps, both)
}

func (w *writer) streamBy(send func(w *writer, at int, b []byte) error, bytes, reps int, both bool) error {
	w.number++
	if w.Rank == 0 || both {
		b := w.buf[:bytes]
		for range reps {
			if err := send(w, area, b); err != nil {
				return err
			}
		}
		var end [8]byte
		binary.NativeEndian.PutUint32(end[:], w.number)
		if err := w.botf(endWord, end[:]); err != nil {
			return err
		}
	}
	if w.Rank == 1 || both {
		return w.await(endWord, w.number)
	}
	return nil
}

// await polls a word of this side's memory.
func (w *writer) await(at int, v uint32) error {
	word := martini.Word32(w.mem, at)
	for n := 0; atomic.LoadUint32(word) != v; n++ {
		if n%pair.Polls == pair.Polls-1 {
			if err := w.Pause(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *writer) botf(at int, b []byte) error {
	to := 1 - w.Rank
	return w.window.Botf(&martini.Packet{
		Type: martini.PacketPush, PID: to, Node: to, Segment: martini.CommonSegment, Offset: uint64(at), Payload: b,
	})
}

func openBotf(e *pair.End) (pair.Side, error) {
	return newWriter(e, &writer{send: (*writer).botf}, nil)
}
