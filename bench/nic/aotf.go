package nic

import (
	"encoding/binary"
	"sync/atomic"

	"rhinet/bench/pair"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// The page of the AOTF area that shows the other side's memory.
const aotfPage = 3

// openAotf registers a header for the first page of the other's memory.
func openAotf(e *pair.End) (pair.Side, error) {
	return newWriter(e, &writer{send: (*writer).aotf, series: bare}, func(w *writer) error {
		return w.nic.RegisterHeader(aotfPage, martini.Header{Node: 1 - w.Rank, Segment: martini.CommonSegment, Override: true})
	})
}

func (w *writer) aotf(at int, b []byte) error {
	return w.nic.WriteAOTF(uint32(aotfPage<<12|at), binary.NativeEndian.Uint64(b))
}

// place returns the position of a rank's communication memory in the region.
func (w *writer) place(rank int) uint64 {
	at, _ := w.F.Span(rank, fabric.Rings)
	return at
}

// bare is the same ping-pong by plain stores to shared memory, for the second series of aotf.
func bare(w *writer, series, bytes, reps int) error {
	if series != 1 {
		if series == 2 {
			return w.stream(bytes, reps, false)
		}
		return errCommon
	}
	to := martini.Word64(w.F.Memory(w.place(1-w.Rank), 8), 0)
	for range reps {
		w.number++
		v := uint64(w.number) << 32 // where the last four bytes of a message are
		if w.Rank == 0 {
			atomic.StoreUint64(to, v)
		}
		if err := w.await64(v); err != nil {
			return err
		}
		if w.Rank == 1 {
			atomic.StoreUint64(to, v)
		}
	}
	return nil
}

// await64 polls the first double word of this side's memory.
func (w *writer) await64(v uint64) error {
	word := martini.Word64(w.mem, area)
	for n := 0; atomic.LoadUint64(word) != v; n++ {
		if n%pair.Polls == pair.Polls-1 {
			if err := w.Pause(); err != nil {
				return err
			}
		}
	}
	return nil
}
