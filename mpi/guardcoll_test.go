package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
)

// A guardedCall is a nonblocking call with buffers of parts of two elements for each of
// so many ranks, and what it does with them at its root and at others. On an
// inter-communicator the root has a part on one side only.
type guardedCall struct {
	name         string
	begin        func(c *mpi.Comm, send, recv []int, parts, root int) *mpi.Request
	init         func(c *mpi.Comm, send, recv []int, parts, root int) (*mpi.Request, error)
	reads, fills func(root, inter bool) bool
}

func always(bool, bool) bool      { return true }
func atRoot(root, _ bool) bool    { return root }
func notAtRoot(root, _ bool) bool { return !root }
func notAlone(root, inter bool) bool {
	return !root || !inter
}

// twos returns counts of parts of two elements, and their displacements.
func twos(n int) (counts, displs []int) {
	for i := range n {
		counts, displs = append(counts, 2), append(displs, 2*i)
	}
	return counts, displs
}

func inParts(buf []int, n int) (parts []mpi.Part) {
	for i := range n {
		parts = append(parts, mpi.PartOf(buf[2*i:2*i+2]))
	}
	return parts
}

var guardedCalls = []guardedCall{
	{"bcast", func(c *mpi.Comm, send, recv []int, _, root int) *mpi.Request {
		if root == mpi.Root || c.Rank() == root && !c.IsInter() {
			recv = send
		}
		return mpi.Ibcast(c, recv, root)
	}, func(c *mpi.Comm, send, recv []int, _, root int) (*mpi.Request, error) {
		if root == mpi.Root || c.Rank() == root && !c.IsInter() {
			recv = send
		}
		return mpi.BcastInit(c, recv, root)
	}, atRoot, notAtRoot},
	{"gather", func(c *mpi.Comm, send, recv []int, _, root int) *mpi.Request {
		return mpi.Igather(c, send[:2], recv, root)
	},
		func(c *mpi.Comm, send, recv []int, _, root int) (*mpi.Request, error) {
			return mpi.GatherInit(c, send[:2], recv, root)
		}, notAlone, atRoot},
	{"gatherv", func(c *mpi.Comm, send, recv []int, n, root int) *mpi.Request {
		counts, displs := twos(n)
		return mpi.Igatherv(c, send[:2], recv, counts, displs, root)
	}, func(c *mpi.Comm, send, recv []int, n, root int) (*mpi.Request, error) {
		counts, displs := twos(n)
		return mpi.GathervInit(c, send[:2], recv, counts, displs, root)
	}, notAlone, atRoot},
	{"scatter", func(c *mpi.Comm, send, recv []int, _, root int) *mpi.Request {
		return mpi.Iscatter(c, send, recv[:2], root)
	},
		func(c *mpi.Comm, send, recv []int, _, root int) (*mpi.Request, error) {
			return mpi.ScatterInit(c, send, recv[:2], root)
		}, atRoot, notAlone},
	{"scatterv", func(c *mpi.Comm, send, recv []int, n, root int) *mpi.Request {
		counts, displs := twos(n)
		return mpi.Iscatterv(c, send, counts, displs, recv[:2], root)
	}, func(c *mpi.Comm, send, recv []int, n, root int) (*mpi.Request, error) {
		counts, displs := twos(n)
		return mpi.ScattervInit(c, send, counts, displs, recv[:2], root)
	}, atRoot, notAlone},
	{"allgather", func(c *mpi.Comm, send, recv []int, _, _ int) *mpi.Request { return mpi.Iallgather(c, send[:2], recv) },
		func(c *mpi.Comm, send, recv []int, _, _ int) (*mpi.Request, error) {
			return mpi.AllgatherInit(c, send[:2], recv)
		}, always, always},
	{"allgatherv", func(c *mpi.Comm, send, recv []int, n, _ int) *mpi.Request {
		counts, displs := twos(n)
		return mpi.Iallgatherv(c, send[:2], recv, counts, displs)
	}, func(c *mpi.Comm, send, recv []int, n, _ int) (*mpi.Request, error) {
		counts, displs := twos(n)
		return mpi.AllgathervInit(c, send[:2], recv, counts, displs)
	}, always, always},
	{"alltoall", func(c *mpi.Comm, send, recv []int, _, _ int) *mpi.Request { return mpi.Ialltoall(c, send, recv) },
		func(c *mpi.Comm, send, recv []int, _, _ int) (*mpi.Request, error) {
			return mpi.AlltoallInit(c, send, recv)
		}, always, always},
	{"alltoallv", func(c *mpi.Comm, send, recv []int, n, _ int) *mpi.Request {
		counts, displs := twos(n)
		return mpi.Ialltoallv(c, send, counts, displs, recv, counts, displs)
	}, func(c *mpi.Comm, send, recv []int, n, _ int) (*mpi.Request, error) {
		counts, displs := twos(n)
		return mpi.AlltoallvInit(c, send, counts, displs, recv, counts, displs)
	}, always, always},
	{"alltoallw", func(c *mpi.Comm, send, recv []int, n, _ int) *mpi.Request {
		return mpi.Ialltoallw(c, inParts(send, n), inParts(recv, n))
	}, func(c *mpi.Comm, send, recv []int, n, _ int) (*mpi.Request, error) {
		return mpi.AlltoallwInit(c, inParts(send, n), inParts(recv, n))
	}, always, always},
	{"reduce", func(c *mpi.Comm, send, recv []int, _, root int) *mpi.Request {
		return mpi.Ireduce(c, send, recv, mpi.Sum, root)
	}, func(c *mpi.Comm, send, recv []int, _, root int) (*mpi.Request, error) {
		return mpi.ReduceInit(c, send, recv, mpi.Sum, root)
	}, notAlone, atRoot},
	{"allreduce", func(c *mpi.Comm, send, recv []int, _, _ int) *mpi.Request {
		return mpi.Iallreduce(c, send, recv, mpi.Sum)
	}, func(c *mpi.Comm, send, recv []int, _, _ int) (*mpi.Request, error) {
		return mpi.AllreduceInit(c, send, recv, mpi.Sum)
	}, always, always},
	{"reduce scatter block", func(c *mpi.Comm, send, recv []int, n, _ int) *mpi.Request {
		return mpi.IreduceScatterBlock(c, send, recv[:2], mpi.Sum)
	}, func(c *mpi.Comm, send, recv []int, n, _ int) (*mpi.Request, error) {
		return mpi.ReduceScatterBlockInit(c, send, recv[:2], mpi.Sum)
	}, always, always},
	{"reduce scatter", func(c *mpi.Comm, send, recv []int, n, _ int) *mpi.Request {
		counts, _ := twos(n)
		return mpi.IreduceScatter(c, send, recv[:2], counts, mpi.Sum)
	}, func(c *mpi.Comm, send, recv []int, n, _ int) (*mpi.Request, error) {
		counts, _ := twos(n)
		return mpi.ReduceScatterInit(c, send, recv[:2], counts, mpi.Sum)
	}, always, always},
	{"scan", func(c *mpi.Comm, send, recv []int, _, _ int) *mpi.Request { return mpi.Iscan(c, send, recv, mpi.Sum) },
		func(c *mpi.Comm, send, recv []int, _, _ int) (*mpi.Request, error) {
			return mpi.ScanInit(c, send, recv, mpi.Sum)
		}, always, always},
	{"exscan", func(c *mpi.Comm, send, recv []int, _, _ int) *mpi.Request { return mpi.Iexscan(c, send, recv, mpi.Sum) },
		func(c *mpi.Comm, send, recv []int, _, _ int) (*mpi.Request, error) {
			return mpi.ExscanInit(c, send, recv, mpi.Sum)
		}, always, notAtRoot}, // rank 0 receives nothing
}

// guardedNeighborCalls are neighborhood calls on a ring of two, in which each rank is
// the other's neighbor on both sides.
var guardedNeighborCalls = []guardedCall{
	{"neighbor allgather", func(c *mpi.Comm, send, recv []int, _, _ int) *mpi.Request {
		return mpi.IneighborAllgather(c, send[:2], recv)
	}, func(c *mpi.Comm, send, recv []int, _, _ int) (*mpi.Request, error) {
		return mpi.NeighborAllgatherInit(c, send[:2], recv)
	}, always, always},
	{"neighbor allgatherv", func(c *mpi.Comm, send, recv []int, n, _ int) *mpi.Request {
		counts, displs := twos(n)
		return mpi.IneighborAllgatherv(c, send[:2], recv, counts, displs)
	}, func(c *mpi.Comm, send, recv []int, n, _ int) (*mpi.Request, error) {
		counts, displs := twos(n)
		return mpi.NeighborAllgathervInit(c, send[:2], recv, counts, displs)
	}, always, always},
	{"neighbor alltoall", func(c *mpi.Comm, send, recv []int, _, _ int) *mpi.Request {
		return mpi.IneighborAlltoall(c, send, recv)
	}, func(c *mpi.Comm, send, recv []int, _, _ int) (*mpi.Request, error) {
		return mpi.NeighborAlltoallInit(c, send, recv)
	}, always, always},
	{"neighbor alltoallv", func(c *mpi.Comm, send, recv []int, n, _ int) *mpi.Request {
		counts, displs := twos(n)
		return mpi.IneighborAlltoallv(c, send, counts, displs, recv, counts, displs)
	}, func(c *mpi.Comm, send, recv []int, n, _ int) (*mpi.Request, error) {
		counts, displs := twos(n)
		return mpi.NeighborAlltoallvInit(c, send, counts, displs, recv, counts, displs)
	}, always, always},
	{"neighbor alltoallw", func(c *mpi.Comm, send, recv []int, n, _ int) *mpi.Request {
		return mpi.IneighborAlltoallw(c, inParts(send, n), inParts(recv, n))
	}, func(c *mpi.Comm, send, recv []int, n, _ int) (*mpi.Request, error) {
		return mpi.NeighborAlltoallwInit(c, inParts(send, n), inParts(recv, n))
	}, always, always},
}

// started begins the call, as a persistent one if persistent.
func (g *guardedCall) started(persistent bool, c *mpi.Comm, send, recv []int, parts, root int) (*mpi.Request, error) {
	if !persistent {
		return g.begin(c, send, recv, parts, root), nil
	}
	r, err := g.init(c, send, recv, parts, root)
	if err == nil {
		err = r.Start()
	}
	return r, err
}

// holds checks that the call guards its buffers on c, whose first rank is the root.
func (g *guardedCall) holds(w, c *mpi.Comm, persistent bool, parts, root int) error {
	isRoot, other := w.Rank() == 0, 1-w.Rank()
	reads, fills := g.reads(isRoot, c.IsInter()), g.fills(isRoot, c.IsInter())
	for _, tc := range []struct {
		name    string
		tag     int                                 // of the pending transfer
		pending func(send, recv []int) *mpi.Request // begun before; nil: none
		after   func(send, recv []int)              // the transfer is complete, and not waited for
		text    string
		wrong   bool
	}{
		{"left alone", 0, nil, nil, "", false},
		{"what is sent changed", 0, nil, func(send, _ []int) { send[1]++ }, "the buffer was changed before the request (", reads},
		{"what is received changed", 0, nil, func(_, recv []int) { recv[1]++ }, "", false},
		{"receives what is sent", 5, func(send, _ []int) *mpi.Request { return mpi.Irecv(w, send[:1], other, 5) }, nil,
			fmt.Sprintf("the buffer overlaps that of a request that was not complete: Irecv on world from %d tag 5: 8 bytes (", other), reads},
		{"receives what is received", 5, func(_, recv []int) *mpi.Request { return mpi.Irecv(w, recv[:1], other, 5) }, nil,
			fmt.Sprintf("the buffer overlaps that of a request that was not complete: Irecv on world from %d tag 5: 8 bytes (", other), fills},
		{"sends what is received", 6, func(_, recv []int) *mpi.Request { return mpi.Isend(w, recv[:1], other, 6) }, nil,
			fmt.Sprintf("the buffer overlaps that of a request that was not complete: Isend on world to %d tag 6: 8 bytes (", other), fills},
		{"sends what is sent", 6, func(send, _ []int) *mpi.Request { return mpi.Isend(w, send[:1], other, 6) }, nil, "", false},
	} {
		send, recv := make([]int, 2*parts), make([]int, 2*parts)
		var pending *mpi.Request
		if tc.pending != nil {
			pending = tc.pending(send, recv)
		}
		r, err := g.started(persistent, c, send, recv, parts, root)
		if err != nil {
			return fmt.Errorf("%s: %w", tc.name, err)
		}
		if <-r.Done(); tc.after != nil {
			tc.after(send, recv)
		}
		err = waited(r)
		if tc.wrong {
			err = errors.Join(tells(err, mpi.ErrBuffer, tc.text), tells(err, mpi.ErrBuffer, "guardcoll_test.go:"))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", tc.name, err)
		}
		if err := settle(w, pending, tc.tag, other); err != nil {
			return fmt.Errorf("%s: %w", tc.name, err)
		}
	}
	return nil
}

// settle ends the pending transfer: a receive for tag 5, a send with tag 6, or none.
func settle(w *mpi.Comm, pending *mpi.Request, tag, other int) (err error) {
	if err := mpi.Barrier(w); err != nil {
		return err
	}
	switch tag {
	case 5:
		err = mpi.Send(w, []int{1}, other, 5)
	case 6:
		_, err = mpi.Recv(w, []int{0}, other, 6)
	}
	return errors.Join(err, waited(pending))
}

// MPI 4.1, sections 6.12, 6.13, 8.7 and 8.8: until a nonblocking collective call is
// complete, its send buffer must not be changed, and its receive buffer must not be
// used. A rank may use buffers that do not matter at it.
func TestBuffersOfPendingCollectiveCalls(t *testing.T) {
	for _, persistent := range []bool{false, true} {
		for _, g := range guardedCalls {
			t.Run(fmt.Sprintf("%s/persistent %v", g.name, persistent), func(t *testing.T) {
				everywhere(t, 2, func(w *mpi.Comm) error { return g.holds(w, w, persistent, 2, 0) })
			})
			if g.name == "scan" || g.name == "exscan" {
				continue
			}
			t.Run(fmt.Sprintf("%s/between groups, persistent %v", g.name, persistent), func(t *testing.T) {
				everywhere(t, 2, func(w *mpi.Comm) error {
					c, first, err := sides(w, 1)
					if err != nil {
						return err
					}
					return g.holds(w, c, persistent, 1, map[bool]int{true: mpi.Root, false: 0}[first])
				})
			})
		}
		for _, g := range guardedNeighborCalls {
			t.Run(fmt.Sprintf("%s/persistent %v", g.name, persistent), func(t *testing.T) {
				everywhere(t, 2, func(w *mpi.Comm) error {
					c, err := w.CartCreate([]int{2}, []bool{true})
					if err != nil {
						return err
					}
					return g.holds(w, c, persistent, 2, 0)
				})
			})
		}
	}
}

// A call in place changes its buffer itself, and has only one buffer.
func TestBuffersOfPendingCallsInPlace(t *testing.T) {
	for _, tc := range []struct {
		name  string
		begin func(w *mpi.Comm, own, both []int) *mpi.Request
	}{
		{"gather", func(w *mpi.Comm, own, both []int) *mpi.Request {
			if w.Rank() == 0 {
				own = both
			}
			return mpi.Igather(w, own, both, 0)
		}},
		{"scatter", func(w *mpi.Comm, own, both []int) *mpi.Request {
			if w.Rank() == 0 {
				own = both
			}
			return mpi.Iscatter(w, both, own, 0)
		}},
		{"allgather", func(w *mpi.Comm, _, both []int) *mpi.Request { return mpi.Iallgather(w, both, both) }},
		{"allgather of the own part", func(w *mpi.Comm, _, both []int) *mpi.Request {
			return mpi.Iallgather(w, both[2*w.Rank():2*w.Rank()+2], both)
		}},
		{"alltoall", func(w *mpi.Comm, _, both []int) *mpi.Request { return mpi.Ialltoall(w, both, both) }},
		{"alltoallw", func(w *mpi.Comm, _, both []int) *mpi.Request {
			return mpi.Ialltoallw(w, inParts(both, 2), inParts(both, 2))
		}},
		{"reduce", func(w *mpi.Comm, _, both []int) *mpi.Request { return mpi.Ireduce(w, both, both, mpi.Sum, 0) }},
		{"allreduce", func(w *mpi.Comm, _, both []int) *mpi.Request { return mpi.Iallreduce(w, both, both, mpi.Sum) }},
		{"reduce scatter block", func(w *mpi.Comm, _, both []int) *mpi.Request {
			return mpi.IreduceScatterBlock(w, both, both, mpi.Sum)
		}},
		{"reduce scatter", func(w *mpi.Comm, _, both []int) *mpi.Request {
			return mpi.IreduceScatter(w, both, both, []int{2, 2}, mpi.Sum)
		}},
		{"scan", func(w *mpi.Comm, _, both []int) *mpi.Request { return mpi.Iscan(w, both, both, mpi.Sum) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			everywhere(t, 2, func(w *mpi.Comm) error {
				own, both := []int{w.Rank(), 1}, []int{w.Rank(), 1, 2, 3}
				if err := waited(tc.begin(w, own, both)); err != nil {
					return err
				}
				other := 1 - w.Rank()
				r := mpi.Irecv(w, both, other, 5)
				s := tc.begin(w, own, both)
				uses := !(w.Rank() == 1 && (tc.name == "gather" || tc.name == "scatter"))
				err := waited(s)
				if uses {
					err = tells(err, mpi.ErrBuffer, "overlaps that of a request that was not complete: Irecv on world")
				}
				return errors.Join(err, settle(w, r, 5, other))
			})
		})
	}
}

// Memory between the parts that a call names, or between the elements of a layout, does
// not belong to the call.
func TestGapsInBuffersOfPendingCalls(t *testing.T) {
	counts, displs := []int{1, 1}, []int{0, 2}
	for _, tc := range []struct {
		name    string
		begin   func(w *mpi.Comm, send, recv []int) *mpi.Request // of elements 0 and 2
		changes bool                                             // elements of send are compared
	}{
		{"gatherv", func(w *mpi.Comm, _, recv []int) *mpi.Request {
			return mpi.Igatherv(w, []int{1}, recv, counts, displs, w.Size()-1)
		}, false},
		{"scatterv", func(w *mpi.Comm, send, _ []int) *mpi.Request {
			return mpi.Iscatterv(w, send, counts, displs, []int{1}, w.Size()-1)
		}, true},
		{"allgatherv", func(w *mpi.Comm, _, recv []int) *mpi.Request {
			return mpi.Iallgatherv(w, []int{1}, recv, counts, displs)
		}, false},
		{"alltoallv", func(w *mpi.Comm, send, recv []int) *mpi.Request {
			return mpi.Ialltoallv(w, send, counts, displs, recv, counts, displs)
		}, true},
		{"bcast of a layout", func(w *mpi.Comm, send, recv []int) *mpi.Request {
			if w.Rank() == 0 {
				recv = send
			}
			return mpi.Ibcast(w, column(recv, 0, 2), 0)
		}, false},
		{"alltoall of layouts", func(w *mpi.Comm, send, recv []int) *mpi.Request {
			l := mpi.Contiguous(1).Resized(0, 16)
			return mpi.Ialltoall(w, mpi.Views(send, 2, l), mpi.Views(recv, 2, l))
		}, true},
		{"gatherv of some items", func(w *mpi.Comm, _, recv []int) *mpi.Request {
			l := mpi.Contiguous(1).Resized(0, 16)
			return mpi.Igatherv(w, mpi.Views([]int{1}, 1, l)[w.Rank():], mpi.Views(recv, 2, l), []int{1, 0}, []int{0, 1}, 1)
		}, false},
		{"alltoallv of layouts", func(w *mpi.Comm, send, recv []int) *mpi.Request {
			l := mpi.Contiguous(1).Resized(0, 8)
			return mpi.Ialltoallv(w, mpi.Views(send, 4, l), counts, displs, mpi.Views(recv, 4, l), counts, displs)
		}, true},
		{"alltoallw of layouts", func(w *mpi.Comm, send, recv []int) *mpi.Request {
			none := mpi.Part{}
			if w.Rank() == 1 {
				return mpi.Ialltoallw(w, []mpi.Part{none, mpi.PartOf(column(send, 0, 2))}, []mpi.Part{none, mpi.PartOf(column(recv, 0, 2))})
			}
			return mpi.Ialltoallw(w, []mpi.Part{none, none}, []mpi.Part{none, none})
		}, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			everywhere(t, 2, func(w *mpi.Comm) error {
				last := w.Rank() == 1 // has all the buffers that matter
				for at := range 4 {
					mine := last && at%2 == 0 && (at == 0 || tc.name != "gatherv of some items")
					send, recv := make([]int, 4), make([]int, 4)
					r := mpi.Irecv(w, recv[at:at+1], 1-w.Rank(), 5)
					s := tc.begin(w, send, recv)
					err := waited(s)
					if mine && tc.name != "scatterv" {
						err = tells(err, mpi.ErrBuffer, "overlaps that of a request that was not complete: Irecv on world")
					}
					if last && err != nil { // the other rank has other buffers
						return fmt.Errorf("receive at %d: %w", at, err)
					}
					if err := settle(w, r, 5, 1-w.Rank()); err != nil {
						return err
					}
					s = tc.begin(w, send, recv)
					<-s.Done()
					send[at]++
					err = waited(s)
					if mine && tc.changes {
						err = tells(err, mpi.ErrBuffer, "changed")
					}
					if last && err != nil {
						return fmt.Errorf("change at %d: %w", at, err)
					}
				}
				return nil
			})
		})
	}
}
