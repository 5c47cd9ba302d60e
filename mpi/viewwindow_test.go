package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
)

// A form is a layout of the bytes of a message in memory: every step-th byte, in
// blocks.
type form struct {
	name        string
	block, step int
}

// forms are one piece as a slice (no step), one piece as a layout, and several pieces.
var forms = []form{{"slice", 0, 0}, {"dense", 1, 1}, {"bytes", 1, 3}, {"blocks", 8, 9}}

// bytesIn are n bytes in a form, in their own memory.
type bytesIn struct {
	form
	n   int
	mem []byte
}

func (f form) make(n int) *bytesIn {
	b := &bytesIn{form: f, n: n}
	b.mem = make([]byte, max(b.at(n-1)+1, 1)+5)
	return b
}

// at is the index of byte i.
func (b *bytesIn) at(i int) int {
	if b.step == 0 {
		return i
	}
	return i/b.block*b.step + i%b.block
}

// items is the layout of the form: whole blocks, and the remainder.
func (b *bytesIn) items() []mpi.Item {
	whole := b.n / b.block
	return mpi.View(b.mem, mpi.Struct(
		mpi.Member{At: 0, Layout: mpi.Vector(whole, b.block, b.step)},
		mpi.Member{At: whole * b.step, Layout: mpi.Contiguous(b.n % b.block)},
	))
}

// fill stores the bytes of message seed.
func (b *bytesIn) fill(seed int) *bytesIn {
	for i := range b.n {
		b.mem[b.at(i)] = byte(i*7 + seed + 1)
	}
	return b
}

// holds is an error unless the first n bytes are those of message seed, and all others
// are 0.
func (b *bytesIn) holds(n, seed int) error {
	want := b.form.make(b.n)
	for i := range n {
		want.mem[want.at(i)] = byte(i*7 + seed + 1)
	}
	return equalAll(fmt.Sprintf("%d of %d bytes as %s", n, b.n, b.name), b.mem, want.mem)
}

func (b *bytesIn) isend(w *mpi.Comm, dst, tag int) *mpi.Request {
	if b.step == 0 {
		return mpi.Isend(w, b.mem[:b.n], dst, tag)
	}
	return mpi.Isend(w, b.items(), dst, tag)
}

func (b *bytesIn) irecv(w *mpi.Comm, src, tag int) *mpi.Request {
	if b.step == 0 {
		return mpi.Irecv(w, b.mem[:b.n], src, tag)
	}
	return mpi.Irecv(w, b.items(), src, tag)
}

// sizes are around the limits up to which a message is one line, or one packet.
var sizes = []int{8, 40, 41, 1000, 5000}

// A window of messages of all forms and sizes completes by one WaitAll, whether the
// receives are posted before the messages arrive or after.
func TestWindowsOfLayouts(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		other := 1 - w.Rank()
		for late := range 2 {
			for _, n := range sizes {
				for _, from := range forms {
					for _, to := range forms {
						if err := windowOf(w, other, n, from, to, late == 1); err != nil {
							return fmt.Errorf("%d bytes from %s to %s: %w", n, from.name, to.name, err)
						}
					}
				}
			}
		}
		return nil
	})
}

// windowOf exchanges a few messages of n bytes, every second one a byte shorter than
// its buffer, and one more that is longer.
func windowOf(w *mpi.Comm, other, n int, from, to form, late bool) error {
	const messages = 4
	var in []*bytesIn
	var sends, recvs []*mpi.Request
	size := func(i int) int { return n - i%2 }
	for i := range messages + 1 {
		out := from.make(size(i)).fill(i)
		if i == messages {
			out = from.make(n + 1).fill(i)
		}
		sends = append(sends, out.isend(w, other, i))
	}
	if late { // a message after the others shows that they have arrived
		if _, err := mpi.Sendrecv(w, []byte{}, other, messages+1, []byte{}, other, messages+1); err != nil {
			return err
		}
	}
	for i := range messages + 1 {
		in = append(in, to.make(n))
		recvs = append(recvs, in[i].irecv(w, other, i))
	}
	long := recvs[messages]
	if err := mpi.WaitAll(append(recvs[:messages], sends...)...); err != nil {
		return err
	}
	if err := is(mpi.WaitAll(long), mpi.ErrTruncate, ""); err != nil {
		return err
	}
	for i := range messages {
		if err := in[i].holds(size(i), i); err != nil {
			return err
		}
	}
	return nil
}

// Sendrecv accepts layouts on either side, alone or together with slices.
func TestSendrecvOfLayouts(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		other := 1 - w.Rank()
		for _, n := range sizes {
			for _, from := range forms {
				for _, to := range forms {
					for i := range 3 {
						out, in := from.make(n).fill(i), to.make(n)
						st, err := sendrecv(w, out, in, other)
						if err == nil {
							err = errors.Join(equal("bytes", st.Bytes, int64(n)), in.holds(n, i), out.holds(n, i))
						}
						if err == nil && from.step > 0 {
							_, err = mpi.SendrecvReplace(w, out.items(), other, 1, other, 1)
							err = errors.Join(err, out.holds(n, i))
						}
						if err != nil {
							return fmt.Errorf("%d bytes from %s to %s: %w", n, from.name, to.name, err)
						}
					}
				}
			}
		}
		return nil
	})
}

func sendrecv(w *mpi.Comm, out, in *bytesIn, other int) (mpi.Status, error) {
	switch {
	case out.step == 0 && in.step == 0:
		return mpi.Sendrecv(w, out.mem[:out.n], other, 0, in.mem[:in.n], other, 0)
	case out.step == 0:
		return mpi.Sendrecv(w, out.mem[:out.n], other, 0, in.items(), other, 0)
	case in.step == 0:
		return mpi.Sendrecv(w, out.items(), other, 0, in.mem[:in.n], other, 0)
	}
	return mpi.Sendrecv(w, out.items(), other, 0, in.items(), other, 0)
}

// The memory of a window consists of numbers, not of layouts.
func TestWindowsRefuseLayouts(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		const why = ": an element of type mpi.Item is a layout, which this call does not take; use numbers, bool, or arrays and flat structs of them"
		ints, err := mpi.WinAllocate[int](c, 4)
		if err != nil {
			return err
		}
		for _, k := range []struct {
			call string
			do   func() error
		}{
			{"WinCreate on world", func() error { _, err := mpi.WinCreate(c, mpi.View([]int{1, 2, 3}, mpi.Vector(2, 1, 2))); return err }},
			{"WinAllocate on world", func() error { _, err := mpi.WinAllocate[mpi.Item](c, 4); return err }},
			{"WinAllocateShared on world", func() error { _, err := mpi.WinAllocateShared[mpi.Item](c, 4); return err }},
			{"WinDynamic on world", func() error { _, err := mpi.WinDynamic[mpi.Item](c); return err }},
			{"WinAs on world.win1", func() error { _, err := mpi.WinAs[mpi.Item](ints); return err }},
		} {
			if err := is(k.do(), mpi.ErrType, "mpi: "+k.call+why); err != nil {
				return err
			}
		}
		return ints.Free()
	})
}
