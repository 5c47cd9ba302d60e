package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/stepped"
)

// A world is the stepped model of a few nodes. Each has an area that the other nodes can access, and a
// pinned source.
type world struct {
	m      *stepped.Machine
	nics   []*martini.NIC
	area   [][]byte
	seg    []martini.Segment
	source [][]byte
	idle   int // steps without progress
}

// patience is how many steps may pass without an awaited event: many times what the longest request takes.
const patience = 5_000_000

// errStuck says that the model makes no progress, which would be a defect of the model.
var errStuck = errors.New("the stepped model makes no progress")

// newWorld returns nodes with areas and sources of the given sizes in bytes.
func newWorld(nodes, area, source int, o stepped.Options) (w *world, err error) {
	f, err := fabric.Heap(nodes, fabric.Small())
	if err != nil {
		return nil, err
	}
	manager, err := martini.Manage(f)
	if err != nil {
		return nil, err
	}
	w = new(world)
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	for i := range nodes {
		nic, err := martini.Open(f, i, martini.Options{})
		if err != nil {
			return w, err
		}
		w.nics = append(w.nics, nic)
		w.area = append(w.area, pages(area))
		w.source = append(w.source, pages(source))
		s, err := nic.Expose(w.area[i])
		if err != nil {
			return w, err
		}
		w.seg = append(w.seg, s)
		if _, err := nic.Pin(w.source[i]); err != nil {
			return w, err
		}
	}
	w.m, err = stepped.New(manager, w.nics, o)
	return w, err
}

// close ends the world, whatever is in progress: a NIC that closes waits for its transfers, which the
// machine continues in the meantime.
func (w *world) close() {
	for _, nic := range w.nics {
		_ = nic.Close()
	}
	if w.m != nil {
		w.m.Close()
	}
}

// pages returns memory of at least n bytes that begins and ends on pages.
func pages(n int) []byte {
	n = (n + fabric.PageBytes - 1) &^ (fabric.PageBytes - 1)
	b := make([]byte, n+fabric.PageBytes)
	off := int(-fabric.Address(b) % fabric.PageBytes)
	return b[off : off+n : off+n]
}

// step advances the model, unless an event has been awaited for too long.
func (w *world) step() error {
	if w.idle++; w.idle > patience {
		return fmt.Errorf("%w: %d steps", errStuck, patience)
	}
	w.m.Step()
	return nil
}

// kick starts a request as soon as its Window can be written.
func (w *world) kick(do func() error) error {
	for {
		err := do()
		if !errors.Is(err, stepped.ErrBusy) && !errors.Is(err, stepped.ErrFull) {
			return err
		}
		if err := w.step(); err != nil {
			return err
		}
	}
}

// await steps until the last word of b is v: a process polls the end of its receive area (martini, section
// 13).
func (w *world) await(b []byte, v uint32) error {
	for word := b[len(b)-4:]; binary.NativeEndian.Uint32(word) != v; {
		if err := w.step(); err != nil {
			return err
		}
	}
	w.idle = 0
	return nil
}

// mark writes a message's number where its receiver polls.
func mark(b []byte, number uint32) { binary.NativeEndian.PutUint32(b[len(b)-4:], number) }

// timed runs a repetition often, after some for warming up, and returns the steps and the host's
// microseconds of one.
func (w *world) timed(reps int, once func(number uint32) error) (steps, micros float64, err error) {
	var from uint64
	var start time.Time
	for i := range warmUps + reps {
		if i == warmUps {
			from, start = w.m.Clock(), time.Now()
		}
		if err := once(uint32(i) + 1); err != nil {
			return 0, 0, err
		}
	}
	n := float64(reps)
	return float64(w.m.Clock()-from) / n, float64(time.Since(start).Nanoseconds()) / 1e3 / n, nil
}

// warmUps is enough repetitions to fill the TLBs, with some margin.
const warmUps = 4
