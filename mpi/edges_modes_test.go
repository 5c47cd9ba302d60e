package mpi_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 3.6: a full buffer refuses the next message, and has room again when
// messages have been received; Detach waits for them.
func TestABufferThatIsFull(t *testing.T) {
	fill := func(w *mpi.Comm) error {
		d, err := w.Dup()
		if err != nil {
			return err
		}
		const n = 100000
		if w.Rank() == 1 {
			if err := mpi.Barrier(w); err != nil {
				return err
			}
			for i := range 3 {
				buf := make([]byte, n)
				if _, err := mpi.Recv(d, buf, 0, i); err != nil {
					return err
				}
				if err := equal("byte", buf[n-1], byte(i+1)); err != nil {
					return err
				}
			}
			return d.Free()
		}
		if err := is(errors.Join(mpi.Bsend(d, []int{1}, 1, 0)), mpi.ErrBuffer, ""); err != nil {
			return fmt.Errorf("without a buffer: %w", err)
		}
		buf := make([]byte, 2*(n+mpi.BsendOverhead))
		if err := d.AttachBuffer(buf); err != nil {
			return err
		}
		if err := is(d.AttachBuffer(make([]byte, 10)), mpi.ErrBuffer, ""); err != nil {
			return fmt.Errorf("two buffers: %w", err)
		}
		data := func(v byte) []byte { return slices.Repeat([]byte{v}, n) }
		if err := errors.Join(mpi.Bsend(d, data(1), 1, 0), mpi.Bsend(d, data(2), 1, 1)); err != nil {
			return err
		}
		err = mpi.Bsend(d, data(9), 1, 7)
		if err := tells(err, mpi.ErrBuffer, "Bsend"); err != nil {
			return err
		}
		if err := mpi.Barrier(w); err != nil {
			return err
		}
		if err := d.FlushBuffer(); err != nil {
			return err
		}
		if err := mpi.Bsend(d, data(3), 1, 2); err != nil {
			return err
		}
		back, err := d.DetachBuffer()
		if err := errors.Join(err, equal("the same buffer", &back[0], &buf[0]), equal("as long", len(back), len(buf))); err != nil {
			return err
		}
		return d.Free()
	}
	mpitest.Run(t, 2, fill)
	mpitest.Run(t, 2, fill, mpitest.Unbuffered())
}

// MPI 4.1, section 4.2: sender and receiver may cut the message into different numbers
// of partitions, ready in any order, by one call or goroutine for each; Parrived of a
// complete request is true.
func TestPartitionsOfUnequalNumbers(t *testing.T) {
	onTwo(t, 2, func(w *mpi.Comm) error {
		for _, cut := range [][2]int{{1, 12}, {12, 1}, {4, 6}, {3, 2}, {12, 12}} {
			buf := make([]int, 12)
			if w.Rank() == 1 {
				r, err := mpi.PrecvInit(w, buf, cut[1], 0, 2)
				if err != nil {
					return err
				}
				for round := range 3 {
					clear(buf)
					if err := r.Start(); err != nil {
						return err
					}
					for p := cut[1] - 1; p >= 0; p-- {
						for there := false; !there; {
							if there, err = r.Parrived(p); err != nil {
								return err
							}
						}
						length := 12 / cut[1]
						if err := equalAll("partition", buf[p*length:][:length], sequence(length, 100*round+p*length)); err != nil {
							return err
						}
					}
					if err := waited(r); err != nil {
						return err
					}
					there, err := r.Parrived(0)
					if err := errors.Join(err, equal("of an inactive request", there, true)); err != nil {
						return err
					}
				}
				if err := r.Free(); err != nil {
					return err
				}
				continue
			}
			r, err := mpi.PsendInit(w, buf, cut[0], 1, 2)
			if err != nil {
				return err
			}
			if err := is(r.Pready(0), mpi.ErrRequest, ""); err != nil {
				return fmt.Errorf("before Start: %w", err)
			}
			for round := range 3 {
				copy(buf, sequence(12, 100*round))
				if err := r.Start(); err != nil {
					return err
				}
				var wg sync.WaitGroup
				failed := make([]error, cut[0])
				for p := range cut[0] {
					wg.Go(func() { failed[p] = r.Pready(p) })
				}
				wg.Wait()
				if err := errors.Join(failed...); err != nil {
					return err
				}
				if err := errors.Join(is(r.Pready(0), mpi.ErrRequest, ""), is(r.Pready(cut[0]), mpi.ErrArg, "")); err != nil {
					return err
				}
				if err := waited(r); err != nil {
					return err
				}
			}
			if err := r.Free(); err != nil {
				return err
			}
		}
		return nil
	})
}

// MPI 4.1, section 4.2.2: a partition is ready once after each start. A call that names
// several, one of which is wrong, makes none of them ready.
func TestPartitionsAreReadyOnce(t *testing.T) {
	onTwo(t, 1, func(w *mpi.Comm) error {
		in, out := make([]int, 4), make([]int, 4)
		r, err1 := mpi.PrecvInit(w, in, 4, 0, 1)
		s, err2 := mpi.PsendInit(w, out, 4, 0, 1)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		for round := range 2 {
			clear(out)
			if err := errors.Join(s.Start(), r.Start(),
				is(s.PreadyRange(1, 1<<62), mpi.ErrArg, "mpi: PreadyRange on world: there is no partition 4; partitions are 0 to 3"),
				is(s.PreadyList(3, 0, -1), mpi.ErrArg, "mpi: PreadyList on world: there is no partition -1; partitions are 0 to 3"),
				is(s.PreadyList(3, 0, 3), mpi.ErrRequest, "mpi: PreadyList on world: partition 3 is ready already; name each partition once after a Start"),
				s.PreadyRange(2, 1), s.PreadyList()); err != nil {
				return err
			}
			copy(out, sequence(4, 10*round)) // no partition has been sent
			if err := errors.Join(s.PreadyList(3, 0), s.PreadyRange(1, 2),
				is(s.Pready(2), mpi.ErrRequest, "mpi: Pready on world: partition 2 is ready already; name each partition once after a Start"),
				mpi.WaitAll(r, s), equalAll("received", in, sequence(4, 10*round)),
				is(s.PreadyRange(0, 3), mpi.ErrRequest, "mpi: PreadyRange on world: the request is not active; Start it first")); err != nil {
				return err
			}
		}
		return errors.Join(s.Free(), r.Free())
	})
}

// MPI 4.1, section 4.2.2: a partition without bytes arrives when it is ready, before the
// others, also where the receiver cuts the message otherwise.
func TestEmptyPartitionsArriveInTurn(t *testing.T) {
	for _, cut := range [][2]int{{3, 3}, {4, 2}, {2, 4}} {
		onTwo(t, 1, func(w *mpi.Comm) error {
			r, err1 := mpi.PrecvInit(w, []int{}, cut[1], 0, 1)
			s, err2 := mpi.PsendInit(w, []int{}, cut[0], 0, 1)
			if err := errors.Join(err1, err2, mpi.StartAll(r, s)); err != nil {
				return err
			}
			for i := range cut[0] {
				if err := s.Pready(i); err != nil {
					return err
				}
				here := (i + 1) * cut[1] / cut[0] // partitions that have arrived
				for p := range cut[1] {
					there, err := r.Parrived(p)
					for p < here && !there && err == nil {
						there, err = r.Parrived(p)
					}
					if err := errors.Join(err, equal(fmt.Sprint("partition ", p, " after ", i), there, p < here)); err != nil {
						return err
					}
				}
			}
			return errors.Join(mpi.WaitAll(r, s), r.Free(), s.Free())
		})
	}
}

// MPI 4.1, section 4.2.1: more partitions than a message can have are an error of the
// call that makes the request, also if no elements are cut into them.
func TestTooManyPartitions(t *testing.T) {
	onTwo(t, 1, func(w *mpi.Comm) error {
		const most = 1 << 24
		for _, n := range []int{most + 1, 1 << 40, math.MaxInt} {
			_, err := mpi.PsendInit(w, []int{}, n, 0, 1)
			if err := is(err, mpi.ErrCount, fmt.Sprintf("mpi: PsendInit on world to 0 tag 1: %d partitions are too many; use 16777216 or fewer", n)); err != nil {
				return err
			}
			if _, err := mpi.PrecvInit(w, []int{}, n, 0, 1); is(err, mpi.ErrCount, "") != nil {
				return fmt.Errorf("PrecvInit of %d partitions: %v", n, err)
			}
		}
		return nil
	})
}
