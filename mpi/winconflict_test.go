package mpi_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// windowKinds are the kinds of windows, by their access to memory.
var windowKinds = []struct {
	name string
	make func(w *mpi.Comm, n int) (*mpi.Win[int64], error)
}{
	{"allocated", func(w *mpi.Comm, n int) (*mpi.Win[int64], error) { return mpi.WinAllocate[int64](w, n) }},
	{"created", func(w *mpi.Comm, n int) (*mpi.Win[int64], error) { return mpi.WinCreate(w, make([]int64, n)) }},
}

// eachWindow runs fn on n ranks with windows of eight elements of each.
func eachWindow(t *testing.T, n int, fn func(w *mpi.Comm, win *mpi.Win[int64]) error) {
	t.Helper()
	for _, k := range windowKinds {
		t.Run(k.name, func(t *testing.T) {
			everywhere(t, n, func(w *mpi.Comm) error {
				win, err := k.make(w, 8)
				if err != nil {
					return err
				}
				if err := fn(w, win); err != nil {
					return err // the others may not come to Free
				}
				return win.Free()
			})
		})
	}
}

func put(win *mpi.Win[int64], target, disp int) error { return win.Put([]int64{1, 2}, target, disp) }
func get(win *mpi.Win[int64], target, disp int) error {
	return win.Get(make([]int64, 2), target, disp)
}
func addTo(win *mpi.Win[int64], target, disp int) error {
	return win.Accumulate([]int64{1, 2}, target, disp, mpi.Sum)
}
func replace(win *mpi.Win[int64], target, disp int) error {
	return win.Accumulate([]int64{1, 2}, target, disp, mpi.Replace)
}
func read(win *mpi.Win[int64], target, disp int) error {
	return win.GetAccumulate(nil, make([]int64, 2), target, disp, mpi.NoOp)
}
func fetch(win *mpi.Win[int64], target, disp int) error {
	_, err := win.FetchAndOp(1, target, disp, mpi.Sum)
	return err
}
func swap(win *mpi.Win[int64], target, disp int) error {
	_, err := win.CompareAndSwap(0, 1, target, disp)
	return err
}
func sumUnsigned(win *mpi.Win[int64], target, disp int) error {
	u, err := mpi.WinAs[uint64](win)
	if err != nil {
		return err
	}
	return u.Accumulate([]uint64{1, 2}, target, disp, mpi.Sum)
}

// meetings are two accesses to one location, and whether they conflict: of one rank,
// and of two.
var meetings = []struct {
	name          string
	first, second func(win *mpi.Win[int64], target, disp int) error
	one, two      bool
}{
	{"Put and Put", put, put, true, true},
	{"Put and Get", put, get, true, true},
	{"Get and Put", get, put, true, true},
	{"Put and Accumulate", put, addTo, true, true},
	{"Accumulate and Put", addTo, put, true, true},
	{"Accumulate and Get", addTo, get, true, true},
	{"Get and FetchAndOp", get, fetch, true, true},
	{"CompareAndSwap and Put", swap, put, true, true},
	{"Put and an atomic read", put, read, true, true},
	{"updates of other elements", addTo, sumUnsigned, true, true},
	{"updates of two operations", addTo, replace, false, true},
	{"Get and Get", get, get, false, false},
	{"Get and an atomic read", get, read, false, false},
	{"updates of one operation", addTo, fetch, false, false},
	{"an update and an atomic read", replace, read, false, false},
	{"an update and CompareAndSwap", addTo, swap, false, false},
	{"atomic reads", read, read, false, false},
}

// MPI 4.1, section 12.7: within an epoch a rank does not access what it has put or
// updated, except by updates of the same elements, which keep their order (12.7.2). A
// checked job names both calls.
func TestAccessesOfOneRankThatMeet(t *testing.T) {
	for _, tc := range meetings {
		t.Run(tc.name, func(t *testing.T) {
			eachWindow(t, 2, func(w *mpi.Comm, win *mpi.Win[int64]) error {
				other := 1 - w.Rank()
				begin := []func() error{
					func() error { return win.Fence() },
					func() error { return win.Fence() },
					func() error { return errors.Join(win.Fence(mpi.NoSucceed), win.Lock(mpi.LockExclusive, other)) },
					func() error { return errors.Join(win.Unlock(other), win.LockAll()) },
				}
				for i, b := range begin {
					if err := b(); err != nil {
						return err
					}
					if err := tc.first(win, other, 3); err != nil {
						return err
					}
					if err := tc.second(win, other, 5); err != nil { // next to it
						return err
					}
					err := tc.second(win, other, 3)
					if tc.one {
						err = errors.Join(tells(err, mpi.ErrRMAConflict, "this call ("), tells(err, mpi.ErrRMAConflict, "winconflict_test.go:"), tells(err, mpi.ErrRMAConflict, "of this rank access bytes 24 to "))
					}
					if err != nil {
						return fmt.Errorf("epoch %d: %w", i, err)
					}
				}
				if err := errors.Join(win.FlushAll(), tc.second(win, other, 3)); err != nil { // after it
					return err
				}
				return win.UnlockAll()
			})
		})
	}
}

// A long access that began before a short one is still found after it.
func TestALongAccessBesideAShortOneIsFound(t *testing.T) {
	eachWindow(t, 2, func(w *mpi.Comm, win *mpi.Win[int64]) error {
		other := 1 - w.Rank()
		err := errors.Join(win.LockAll(), win.Get(make([]int64, 6), other, 0))
		err = errors.Join(err, win.Get(make([]int64, 1), other, 1), win.Get(make([]int64, 1), other, 3)) // from another line
		return errors.Join(err, tells(win.Put([]int64{1}, other, 5), mpi.ErrRMAConflict, "this call ("), win.UnlockAll())
	})
}

// apart selects elements 0 and 3 from a displacement on.
var apart = mpi.Vector(2, 1, 3)

func putBy(win *mpi.Win[int64], target, disp int) error {
	return win.PutLayout([]int64{1, 2}, target, disp, apart)
}
func getBy(win *mpi.Win[int64], target, disp int) error {
	return win.GetLayout(make([]int64, 2), target, disp, apart)
}
func addBy(win *mpi.Win[int64], target, disp int) error {
	return win.AccumulateLayout([]int64{1, 2}, target, disp, apart, mpi.Sum)
}
func readBy(win *mpi.Win[int64], target, disp int) error {
	return win.GetAccumulateLayout(nil, make([]int64, 2), target, disp, apart, mpi.NoOp)
}

// Accesses by layouts are to the locations that they select, and not to those between:
// the first access is to elements 1 and 4, or 1 and 2 if it is in one piece; the second
// one to elements whose last, or first, is one of these, and then to others.
func TestAccessesByLayoutsThatMeet(t *testing.T) {
	for _, tc := range []struct {
		name          string
		first, second func(win *mpi.Win[int64], target, disp int) error
		on, beside    int // where the second access begins
		conflict      bool
	}{
		{"Put and Put", putBy, putBy, 4, 2, true},
		{"Put and Get", putBy, getBy, 4, 2, true},
		{"Get and Accumulate", getBy, addBy, 4, 2, true},
		{"Accumulate and Put", addBy, putBy, 4, 2, true},
		{"an atomic read and Put", readBy, putBy, 4, 2, true},
		{"Put and Put of one piece", putBy, put, 3, 2, true},
		{"Accumulate and Get of one piece", addBy, get, 3, 2, true},
		{"Put of one piece and Accumulate", put, addBy, 2, 3, true},
		{"Get and Get", getBy, getBy, 4, 2, false},
		{"updates of one operation", addBy, addBy, 4, 2, false},
		{"an update and an atomic read", addBy, readBy, 4, 2, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eachWindow(t, 3, func(w *mpi.Comm, win *mpi.Win[int64]) error {
				conflict := func(err error, text string) error {
					if tc.conflict {
						return errors.Join(tells(err, mpi.ErrRMAConflict, text), tells(err, mpi.ErrRMAConflict, "winconflict_test.go:"))
					}
					return err
				}
				if err := errors.Join(win.Fence(mpi.NoSucceed), win.Lock(mpi.LockExclusive, w.Rank())); err != nil { // of one rank
					return err
				}
				err := errors.Join(tc.first(win, w.Rank(), 1), conflict(tc.second(win, w.Rank(), tc.on), "of this rank access bytes "), tc.second(win, w.Rank(), tc.beside))
				if err = errors.Join(err, win.Unlock(w.Rank()), mpi.Barrier(w)); err != nil {
					return err
				}
				for _, epoch := range []func(w *mpi.Comm, win *mpi.Win[int64], access func() error) error{fenced, exposedTo} { // of two
					for _, disp := range []int{tc.on, tc.beside} {
						err := epoch(w, win, inTurn(func() error {
							switch w.Rank() {
							case 1:
								return tc.first(win, 0, 1)
							case 2:
								return tc.second(win, 0, disp)
							}
							return nil
						}))
						if w.Rank() == 0 && disp == tc.on {
							err = conflict(err, "access bytes ")
						}
						if err != nil {
							return fmt.Errorf("from %d on: %w", disp, err)
						}
					}
				}
				return nil
			})
		})
	}
}

// inTurn serializes accesses of ranks of one process that must not be in one epoch, by
// a lock that MPI does not know: the epoch is wrong, but there must be no data race.
func inTurn(access func() error) func() error {
	return func() error {
		oneByOne.Lock()
		defer oneByOne.Unlock()
		return access()
	}
}

var oneByOne sync.Mutex

// Accesses of two ranks in one epoch are compared at the target when the epoch ends,
// whatever its kind.
func TestAccessesOfTwoRanksThatMeet(t *testing.T) {
	for _, tc := range meetings {
		t.Run(tc.name, func(t *testing.T) {
			eachWindow(t, 3, func(w *mpi.Comm, win *mpi.Win[int64]) error {
				for _, epoch := range []func(w *mpi.Comm, win *mpi.Win[int64], access func() error) error{fenced, exposedTo} {
					for apart := range 2 { // not, and by one element
						err := epoch(w, win, inTurn(func() error {
							switch w.Rank() {
							case 1:
								return tc.first(win, 0, 3)
							case 2:
								return tc.second(win, 0, 3+2*apart)
							}
							return nil
						}))
						if w.Rank() == 0 && apart == 0 && tc.two {
							err = errors.Join(tells(err, mpi.ErrRMAConflict, "of rank 1 and "), tells(err, mpi.ErrRMAConflict, "winconflict_test.go:"),
								tells(err, mpi.ErrRMAConflict, "of rank 2 access bytes 24 to "))
						}
						if err != nil {
							return fmt.Errorf("%d apart: %w", apart, err)
						}
					}
				}
				return nil
			})
		})
	}
}

// fenced makes accesses between two calls of Fence.
func fenced(w *mpi.Comm, win *mpi.Win[int64], access func() error) error {
	if err := errors.Join(win.Fence(), access()); err != nil {
		return err
	}
	return win.Fence(mpi.NoSucceed)
}

// exposedTo has rank 0 expose its part to the others.
func exposedTo(w *mpi.Comm, win *mpi.Win[int64], access func() error) error {
	all, err := w.Group()
	if err != nil {
		return err
	}
	first, err := all.Incl(0)
	if err != nil {
		return err
	}
	rest, err := all.Excl(0)
	if err != nil {
		return err
	}
	if w.Rank() == 0 {
		if err := errors.Join(win.Post(rest), access()); err != nil {
			return err
		}
		return win.Wait()
	}
	return errors.Join(win.Start(first), access(), win.Complete())
}

// Before an epoch ends, a rank must not store where others have put or got.
func TestStoresWhereOthersAccess(t *testing.T) {
	for _, tc := range []struct {
		name   string
		access func(win *mpi.Win[int64], target, disp int) error
		store  int // the element
		want   string
	}{
		{"Put", put, 4, "24 to 39"},
		{"Get", get, 3, "24 to 39"},
		{"Put of another place", put, 5, ""},
		{"Get of another place", get, 2, ""},
		{"PutLayout", putBy, 6, "48 to 55"},
		{"GetLayout", getBy, 3, "24 to 31"},
		{"PutLayout around it", putBy, 5, ""},
		{"Accumulate", addTo, 5, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			eachWindow(t, 2, func(w *mpi.Comm, win *mpi.Win[int64]) error {
				for _, epoch := range []func(w *mpi.Comm, win *mpi.Win[int64], access func() error) error{fenced, exposedTo} {
					err := epoch(w, win, func() error {
						if w.Rank() == 1 {
							return errors.Join(tc.access(win, 0, 3), mpi.Send(w, []int{}, 0, 0))
						}
						_, err := mpi.Recv(w, []int{}, 1, 0)
						win.Local()[tc.store] += 1000
						return err
					})
					if w.Rank() == 0 && tc.want != "" {
						err = errors.Join(tells(err, mpi.ErrRMAConflict, "of rank 1 has accessed bytes "+tc.want+" of the part of this rank, and the program has stored there"),
							tells(err, mpi.ErrRMAConflict, "winconflict_test.go:"))
					}
					if err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
}

// FlushLocal completes reads, Flush everything, and so does the end of a request that
// reads.
func TestFlushSeparatesAccesses(t *testing.T) {
	eachWindow(t, 2, func(w *mpi.Comm, win *mpi.Win[int64]) error {
		other := 1 - w.Rank()
		conflict := func(err error) error { return is(err, mpi.ErrRMAConflict, "") }
		return errors.Join(
			win.LockAll(),
			get(win, other, 0), win.FlushLocal(other), put(win, other, 0),
			win.FlushLocal(other), conflict(get(win, other, 0)),
			win.FlushLocalAll(), conflict(get(win, other, 0)),
			win.Flush(other), get(win, other, 0),
			waited(win.Rget(make([]int64, 2), other, 4)), put(win, other, 4),
			conflict(waited(win.Rget(make([]int64, 2), other, 4))),
			win.Flush(w.Rank()), conflict(get(win, other, 4)), // another rank's part
			win.FlushAll(), get(win, other, 4),
			win.UnlockAll(),
		)
	})
}

// Many accesses are recorded as a few, and found like one.
func TestManyAccessesThatMeet(t *testing.T) {
	const n = 6000
	everywhereOn(t, transports[1].option, 2, func(w *mpi.Comm) error {
		win, err := mpi.WinAllocate[int64](w, n)
		if err != nil {
			return err
		}
		if err := win.Fence(); err != nil {
			return err
		}
		for i := range n {
			if i%3 != 2 {
				if err := win.Put([]int64{int64(i)}, 1-w.Rank(), (i*7)%n/3*3+i%3); err != nil {
					return err
				}
			}
		}
		for i := range n {
			err := win.Get([]int64{0}, 1-w.Rank(), i)
			if i%3 != 2 {
				err = is(err, mpi.ErrRMAConflict, "")
			}
			if err != nil {
				return fmt.Errorf("element %d: %w", i, err)
			}
		}
		return errors.Join(win.Fence(mpi.NoSucceed), win.Free())
	})
}

// Accesses of many pieces, in any order, are recorded and compared in a time that grows
// with their number, and not with its square: this would take minutes.
func TestManyPiecesOfFewAccesses(t *testing.T) {
	const n = 60000
	mpitest.Run(t, 1, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int64](c, 4*n)
		if err != nil {
			return err
		}
		data, odd := make([]int64, n), mpi.Vector(n, 1, 2)
		err = errors.Join(w.Fence(), w.PutLayout(data, 0, 2*n, odd), w.PutLayout(data, 0, 0, odd), w.PutLayout(data, 0, 1, odd))
		for _, at := range []int{0, 2 * n, 4*n - 2} {
			err = errors.Join(err, tells(w.Put(data[:1], 0, at), mpi.ErrRMAConflict, " of this rank access bytes "))
		}
		return errors.Join(err, w.Put(data[:1], 0, 4*n-1), w.Fence(mpi.NoSucceed), w.Free())
	})
}

// A long access does not make it slow to find what many short ones meet, in it and behind it:
// in a time that grows with the square of their number this would take minutes.
func TestManyPiecesBesideALongAccess(t *testing.T) {
	const n = 50_000
	mpitest.Run(t, 1, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int64](c, 6*n)
		if err != nil {
			return err
		}
		data, odd := make([]int64, n), mpi.Vector(n, 1, 2)
		err = errors.Join(w.Fence(), w.Get(make([]int64, 4*n), 0, 0))
		err = errors.Join(err, w.GetLayout(data, 0, 2*n, odd)) // on a line of its own: else the Get covers it
		err = errors.Join(err, w.PutLayout(data, 0, 4*n, odd))
		err = errors.Join(err, w.GetLayout(data, 0, 1, odd))
		for _, at := range []int{0, 2*n - 1, 2 * n, 4*n - 1, 4 * n, 6*n - 2} {
			err = errors.Join(err, tells(w.Put(data[:1], 0, at), mpi.ErrRMAConflict, " of this rank access bytes "))
		}
		return errors.Join(err, w.Put(data[:1], 0, 6*n-1), w.Fence(mpi.NoSucceed), w.Free())
	})
}

// The same holds for as many calls in descending order.
func TestManyAccessesInDescendingOrder(t *testing.T) {
	const n = 200_000
	mpitest.Run(t, 1, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int64](c, 2*n)
		if err != nil {
			return err
		}
		err = w.Fence()
		for i := n - 1; i >= 0 && err == nil; i-- {
			err = w.Put([]int64{1}, 0, 2*i)
		}
		for _, at := range []int{0, n, 2*n - 2} {
			err = errors.Join(err, tells(w.Put([]int64{1}, 0, at), mpi.ErrRMAConflict, " of this rank access bytes "))
		}
		return errors.Join(err, w.Put([]int64{1}, 0, 2*n-1), w.Fence(mpi.NoSucceed), w.Free())
	})
}

// Without the check accesses are not compared.
func TestAccessesAreComparedInCheckedJobsOnly(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		win, err := mpi.WinAllocate[int64](w, 8)
		if err != nil {
			return err
		}
		err = fenced(w, win, inTurn(func() error { return errors.Join(put(win, 0, w.Rank()), put(win, 0, 1), get(win, 0, 1)) }))
		return errors.Join(err, win.Free())
	}, mpitest.NIC("martini"), mpitest.Unguarded())
}
