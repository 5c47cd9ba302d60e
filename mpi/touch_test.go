package mpi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, section 3.7.2: no call may use the buffer of a request that is not complete, if
// either receives into it. Collective calls are carried out all the same, so that the other
// ranks go on, and the next ones are right.
func TestCollectiveCallsOnBuffersOfRequests(t *testing.T) {
	const many = 5000
	type call = func(w *mpi.Comm, send, recv []int, root int) error
	counts, displs := []int{1, 1}, []int{3, 0} // the elements between them are free
	for _, tc := range []struct {
		name          string
		atRoot, other string // which of the buffers matter: s, r
		call          call
	}{
		{"Bcast", "s", "r", func(w *mpi.Comm, send, recv []int, root int) error {
			if w.Rank() == root {
				return mpi.Bcast(w, send[:1], root)
			}
			return mpi.Bcast(w, recv[:1], root)
		}},
		{"Gather", "sr", "s", func(w *mpi.Comm, send, recv []int, root int) error { return mpi.Gather(w, send[:1], recv[:2], root) }},
		{"Gatherv", "sr", "s", func(w *mpi.Comm, send, recv []int, root int) error {
			return mpi.Gatherv(w, send[:1], recv, counts, displs, root)
		}},
		{"Gatherv in place", "r", "s", func(w *mpi.Comm, send, recv []int, root int) error {
			if w.Rank() == root {
				return mpi.Gatherv(w, recv, recv, counts, displs, root)
			}
			return mpi.Gatherv(w, send[:1], nil, nil, nil, root)
		}},
		{"Scatter", "sr", "r", func(w *mpi.Comm, send, recv []int, root int) error { return mpi.Scatter(w, send[:2], recv[:1], root) }},
		{"Scatter in place", "s", "r", func(w *mpi.Comm, send, recv []int, root int) error {
			if w.Rank() == root {
				return mpi.Scatter(w, send[:2], send[:2], root)
			}
			return mpi.Scatter(w, nil, recv[:1], root)
		}},
		{"Scatterv", "sr", "r", func(w *mpi.Comm, send, recv []int, root int) error {
			return mpi.Scatterv(w, send, counts, displs, recv[:1], root)
		}},
		{"Allgather", "sr", "sr", func(w *mpi.Comm, send, recv []int, _ int) error { return mpi.Allgather(w, send[:1], recv[:2]) }},
		{"Allgatherv", "sr", "sr", func(w *mpi.Comm, send, recv []int, _ int) error {
			return mpi.Allgatherv(w, send[:1], recv, counts, displs)
		}},
		{"Alltoall", "sr", "sr", func(w *mpi.Comm, send, recv []int, _ int) error { return mpi.Alltoall(w, send[:2], recv[:2]) }},
		{"Alltoallv", "sr", "sr", func(w *mpi.Comm, send, recv []int, _ int) error {
			return mpi.Alltoallv(w, send, counts, displs, recv, counts, displs)
		}},
		{"Alltoallv in place", "r", "r", func(w *mpi.Comm, _, recv []int, _ int) error {
			return mpi.Alltoallv(w, recv, nil, nil, recv, counts, displs)
		}},
		{"Reduce", "sr", "s", func(w *mpi.Comm, send, recv []int, root int) error {
			return mpi.Reduce(w, send[:1], recv[:1], mpi.Sum, root)
		}},
		{"Allreduce", "sr", "sr", func(w *mpi.Comm, send, recv []int, _ int) error {
			return mpi.Allreduce(w, send[:1], recv[:1], mpi.Sum)
		}},
		{"Allreduce of much", "sr", "sr", func(w *mpi.Comm, send, recv []int, _ int) error { return mpi.Allreduce(w, send, recv, mpi.Sum) }},
		{"ReduceScatterBlock", "sr", "sr", func(w *mpi.Comm, send, recv []int, _ int) error {
			return mpi.ReduceScatterBlock(w, send[:2], recv[:1], mpi.Sum)
		}},
		{"ReduceScatter", "sr", "sr", func(w *mpi.Comm, send, recv []int, _ int) error {
			return mpi.ReduceScatter(w, send[:2], recv[:1], counts, mpi.Sum)
		}},
		{"Scan", "sr", "sr", func(w *mpi.Comm, send, recv []int, _ int) error { return mpi.Scan(w, send[:1], recv[:1], mpi.Sum) }},
		{"Exscan", "s", "s", func(w *mpi.Comm, send, recv []int, _ int) error { return mpi.Exscan(w, send[:1], recv[:1], mpi.Sum) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			everywhere(t, 2, func(w *mpi.Comm) error {
				send, recv := make([]int, many), make([]int, many)
				received := func(b []int) (*mpi.Request, func() error) { // from this rank itself
					return mpi.Irecv(w, b, 0, 3), func() error { return mpi.Send(w, []int{1}, 0, 3) }
				}
				sent := func(b []int) (*mpi.Request, func() error) {
					return mpi.Issend(w, b, 0, 3), func() error { return second(mpi.Recv(w, []int{0}, 0, 3)) }
				}
				for root, used := range []string{tc.atRoot, tc.other} {
					for _, pending := range []struct {
						what  string
						begin func(b []int) (*mpi.Request, func() error)
						buf   []int
						want  string
					}{
						{"s", received, send[:1], "Irecv on world from 0 tag 3: 8 bytes ("},
						{"r", received, recv[:1], "Irecv on world from 0 tag 3: 8 bytes ("},
						{"r", sent, recv[:1], "Issend on world to 0 tag 3: 8 bytes ("},
						{"sent twice", sent, send[:1], ""},
						{"free", received, make([]int, 1), ""},
						{"between parts", received, recv[2:3], ""},
					} {
						if pending.what == "between parts" && tc.name == "Allreduce of much" {
							continue
						}
						if w.Rank() == 1 { // it does nothing wrong
							if err := tc.call(w, send, recv, root); err != nil {
								return err
							}
							continue
						}
						r, end := pending.begin(pending.buf)
						err := tc.call(w, send, recv, root)
						if e := errors.Join(end(), waited(r)); e != nil {
							return fmt.Errorf("root %d: the request: %w", root, e)
						}
						wrong := strings.Contains(used, pending.what)
						if wrong != errors.Is(err, mpi.ErrBuffer) || !wrong && err != nil || wrong && !strings.Contains(err.Error(), pending.want) {
							return fmt.Errorf("root %d, pending %q: got %v", root, pending.want, err)
						}
					}
				}
				return nil
			})
		})
	}
}

// MPI 4.1, section 3.7.2: the memory of the origin of an access must not be the buffer of a
// request that is not complete, if either is changed. The access is not made.
func TestAccessesWithBuffersOfRequests(t *testing.T) {
	type call = func(w *mpi.Win[int], buf []int) error
	far := make([]int, 2)
	twoApart := mpi.Vector(2, 1, 2)
	reads := map[string]call{
		"Put":           func(w *mpi.Win[int], buf []int) error { return w.Put(buf[1:3], 0, 0) },
		"Accumulate":    func(w *mpi.Win[int], buf []int) error { return w.Accumulate(buf[1:3], 0, 0, mpi.Sum) },
		"GetAccumulate": func(w *mpi.Win[int], buf []int) error { return w.GetAccumulate(buf[1:3], far, 0, 0, mpi.Sum) },
		"PutLayout":     func(w *mpi.Win[int], buf []int) error { return w.PutLayout(buf[1:3], 0, 0, twoApart) },
		"AccumulateLayout": func(w *mpi.Win[int], buf []int) error {
			return w.AccumulateLayout(buf[1:3], 0, 0, twoApart, mpi.Sum)
		},
	}
	for name, access := range viewsThatAreRead {
		reads[name] = access
	}
	fills := map[string]call{
		"Get":       func(w *mpi.Win[int], buf []int) error { return w.Get(buf[1:3], 0, 0) },
		"old":       func(w *mpi.Win[int], buf []int) error { return w.GetAccumulate(nil, buf[1:3], 0, 0, mpi.NoOp) },
		"GetLayout": func(w *mpi.Win[int], buf []int) error { return w.GetLayout(buf[1:3], 0, 0, twoApart) },
	}
	for name, access := range viewsThatAreFilled {
		fills[name] = access
	}
	onWindows(t, 1, 4, func(c *mpi.Comm, w *mpi.Win[int]) error {
		err := w.LockAll()
		for i, all := range []map[string]call{reads, fills} {
			for name, access := range all {
				buf := []int{5, 6, 7}
				r := mpi.Irecv(c, buf[:2], 0, 3)
				e := is(access(w, buf), mpi.ErrBuffer, "")
				e = errors.Join(e, w.FlushAll(), equalAll("part", w.Local(), make([]int, 4)), mpi.Send(c, []int{1, 2}, 0, 3), waited(r), equalAll("received", buf, []int{1, 2, 7}))
				s := mpi.Issend(c, buf[:2], 0, 3)
				if e2 := access(w, buf); i == 1 {
					e = errors.Join(e, is(e2, mpi.ErrBuffer, ""))
				} else {
					e = errors.Join(e, e2)
				}
				if e = errors.Join(e, second(mpi.Recv(c, []int{0, 0}, 0, 3)), waited(s), w.FlushAll(), w.Put(make([]int, 4), 0, 0), w.FlushAll()); e != nil {
					err = errors.Join(err, fmt.Errorf("%s: %w", name, e))
				}
			}
		}
		return errors.Join(err, w.UnlockAll())
	})
}

// Accesses with views of the first and the last of three elements.
var (
	viewsThatAreRead = map[string]func(w *mpi.Win[int], buf []int) error{
		"PutView": func(w *mpi.Win[int], buf []int) error { return w.PutView(firstAndLast(buf), 0, 0, mpi.Contiguous(2)) },
		"AccumulateView": func(w *mpi.Win[int], buf []int) error {
			return w.AccumulateView(firstAndLast(buf), 0, 0, mpi.Contiguous(2), mpi.Sum)
		},
		"GetAccumulateView": func(w *mpi.Win[int], buf []int) error {
			return w.GetAccumulateView(firstAndLast(buf), firstAndLast(make([]int, 3)), 0, 0, mpi.Contiguous(2), mpi.Sum)
		},
	}
	viewsThatAreFilled = map[string]func(w *mpi.Win[int], buf []int) error{
		"GetView": func(w *mpi.Win[int], buf []int) error { return w.GetView(firstAndLast(buf), 0, 0, mpi.Contiguous(2)) },
		"old of GetAccumulateView": func(w *mpi.Win[int], buf []int) error {
			return w.GetAccumulateView(nil, firstAndLast(buf), 0, 0, mpi.Contiguous(2), mpi.NoOp)
		},
	}
)

func firstAndLast(buf []int) []mpi.Item { return mpi.View(buf, mpi.Vector(2, 1, 2)) }

// MPI 4.1, section 12.3: the origin of an access is what its layout selects, without the gaps, and an access to
// ProcNull has none.
func TestGapsOfViewsAreNotAccessed(t *testing.T) {
	onWindows(t, 1, 4, func(c *mpi.Comm, w *mpi.Win[int]) error {
		err := w.LockAll()
		for _, all := range []map[string]func(w *mpi.Win[int], buf []int) error{viewsThatAreRead, viewsThatAreFilled} {
			for name, access := range all {
				buf := []int{5, 6, 7}
				r := mpi.Irecv(c, buf[1:2], 0, 3)
				e := errors.Join(access(w, buf), w.FlushAll(), mpi.Send(c, []int{1}, 0, 3), waited(r), equal("received", buf[1], 1))
				if e != nil {
					err = errors.Join(err, fmt.Errorf("%s: %w", name, e))
				}
			}
		}
		buf := []int{5, 6, 7}
		r := mpi.Irecv(c, buf, 0, 3)
		err = errors.Join(err, w.PutView(firstAndLast(buf), mpi.ProcNull, 0, mpi.Contiguous(2)), w.GetView(firstAndLast(buf), mpi.ProcNull, 0, mpi.Contiguous(2)),
			tells(w.PutView(firstAndLast(buf), 0, 0, mpi.Contiguous(2)), mpi.ErrBuffer, "PutView on "),
			tells(w.GetView(firstAndLast(buf), 0, 0, mpi.Contiguous(2)), mpi.ErrBuffer, "that was not complete: Irecv on world from 0 tag 3: 24 bytes ("),
			mpi.Send(c, []int{1, 2, 3}, 0, 3), waited(r), equalAll("received", buf, []int{1, 2, 3}))
		return errors.Join(err, w.UnlockAll())
	})
}

// MPI 4.1, sections 3.7.2 and 3.8.3: what is received by a message that a probe has matched must not be the
// buffer of another request, nor be used before it is complete.
func TestMatchedReceivesOnBuffersOfRequests(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		matched := func() *mpi.Message {
			m, _, err := mpi.Mprobe(w, 0, 4)
			if err != nil {
				t.Error(err)
			}
			return m
		}
		sent := make([]*mpi.Request, 7)
		for i := range sent {
			sent[i] = mpi.Isend(w, []int{8, 9}, 0, 4)
		}
		mrecv := func(b []int) error { return second(mpi.Mrecv(matched(), b)) }
		const overlaps = " on world from 0 tag 4: the buffer overlaps that of a request that was not complete: "
		buf := make([]int, 5)
		received := mpi.Irecv(w, buf[1:2], 0, 3)
		err := errors.Join(tells(mrecv(buf[:2]), mpi.ErrBuffer, "mpi: Mrecv"+overlaps+"Irecv on world from 0 tag 3: 8 bytes ("),
			tells(waited(mpi.Imrecv(matched(), buf[:2])), mpi.ErrBuffer, "mpi: Imrecv"+overlaps+"Irecv on world from 0 tag 3: 8 bytes ("),
			mrecv(buf[2:4]), second(mpi.Mrecv(matched(), firstAndLast(buf))), // beside it, and on both sides
			mpi.Send(w, []int{1}, 0, 3), waited(received), equalAll("received", buf, []int{8, 1, 9, 9, 0}))

		s := mpi.Issend(w, buf[:1], 0, 3)
		err = errors.Join(err, tells(mrecv(buf[:2]), mpi.ErrBuffer, "mpi: Mrecv"+overlaps+"Issend on world to 0 tag 3: 8 bytes ("),
			second(mpi.Recv(w, make([]int, 1), 0, 3)), waited(s))

		r := mpi.Imrecv(matched(), buf[:2])
		err = errors.Join(err, tells(mpi.Allreduce(w, buf[1:2], buf[4:], mpi.Sum), mpi.ErrBuffer,
			"mpi: Allreduce on world: the buffer overlaps that of a request that was not complete: Imrecv on world from 0 tag 4: 16 bytes ("),
			mpi.Allreduce(w, buf[2:3], buf[4:], mpi.Sum), waited(r))

		r = mpi.Imrecv(matched(), buf[:2])
		err = errors.Join(err, waited(r), mpi.Allreduce(w, buf[1:2], buf[4:], mpi.Sum), equal("sum", buf[4], 9))
		return errors.Join(err, mpi.WaitAll(sent...))
	})
}

// MPI 4.1, sections 3.4 and 3.7.2: a buffered send reads its buffer when it begins.
func TestBufferedSendsOfBuffersOfRequests(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		const overlaps = " on world to 0 tag 4: the buffer overlaps that of a request that was not complete: Irecv on world from 0 tag 3: 8 bytes ("
		buf := make([]int, 3)
		again, err := mpi.BsendInit(w, buf[:2], 0, 4)
		if err = errors.Join(err, w.AttachBuffer(nil)); err != nil {
			return err
		}
		r := mpi.Irecv(w, buf[1:2], 0, 3)
		err = errors.Join(tells(mpi.Bsend(w, buf[:2], 0, 4), mpi.ErrBuffer, "mpi: Bsend"+overlaps),
			tells(waited(mpi.Ibsend(w, buf[:2], 0, 4)), mpi.ErrBuffer, "mpi: Ibsend"+overlaps),
			again.Start(), tells(waited(again), mpi.ErrBuffer, "mpi: BsendInit"+overlaps),
			mpi.Bsend(w, buf[:2], mpi.ProcNull, 4), mpi.Bsend(w, buf[:1], 0, 4), mpi.Bsend(w, firstAndLast(buf), 0, 4),
			mpi.Send(w, []int{1}, 0, 3), waited(r))
		s := mpi.Issend(w, buf, 0, 3) // it only reads, too
		err = errors.Join(err, mpi.Bsend(w, buf[:2], 0, 4), second(mpi.Recv(w, make([]int, 3), 0, 3)), waited(s), again.Free())
		for range 6 { // all have been sent
			_, found, e := mpi.Iprobe(w, 0, 4)
			if err = errors.Join(err, e); !found {
				return errors.Join(err, errors.New("a message has not been sent"))
			}
			err = errors.Join(err, second(mpi.Recv(w, make([]int, 2), 0, 4)))
		}
		return err
	})
}
