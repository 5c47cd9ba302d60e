package mpi_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, sections 12.2.1 and 12.3: empty parts, and empty accesses, also just behind
// the end of a part; ProcNull in every access.
func TestAccessesOfNothing(t *testing.T) {
	onTwo(t, 3, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int](c, 4*(c.Rank()%2)) // ranks 0 and 2 have nothing
		if err != nil {
			return err
		}
		if err := errors.Join(equal("length", len(w.Local()), 4*(c.Rank()%2)), equal("of 1", w.Len(1), 4), equal("of 2", w.Len(2), 0), w.LockAll()); err != nil {
			return err
		}
		var none []int
		for target, end := range []int{0, 4, 0} {
			for _, disp := range []int{0, end} {
				if err := errors.Join(w.Put(none, target, disp), w.Get(none, target, disp), w.Accumulate(none, target, disp, mpi.Sum),
					w.GetAccumulate(none, none, target, disp, mpi.NoOp), waited(w.Rput(none, target, disp)), waited(w.Rget(none, target, disp)),
					waited(w.Raccumulate(none, target, disp, mpi.Sum)), waited(w.RgetAccumulate(none, none, target, disp, mpi.Sum)), w.Flush(target)); err != nil {
					return fmt.Errorf("rank %d at %d: %w", target, disp, err)
				}
			}
		}
		null, buf := mpi.ProcNull, []int{7}
		_, err1 := w.FetchAndOp(1, null, 0, mpi.Sum)
		_, err2 := w.CompareAndSwap(1, 2, null, 0)
		if err := errors.Join(err1, err2, w.Put(buf, null, -3), w.Get(buf, null, 99), w.Accumulate(buf, null, 0, mpi.Sum), w.GetAccumulate(buf, []int{8}, null, 0, mpi.Sum),
			w.PutLayout(buf, null, 0, mpi.Contiguous(1)), w.GetLayout(buf, null, 0, mpi.Contiguous(1)), w.AccumulateLayout(buf, null, 0, mpi.Contiguous(1), mpi.Sum),
			waited(w.Rput(buf, null, 0)), waited(w.Rget(buf, null, 0)), waited(w.Raccumulate(buf, null, 0, mpi.Sum)), waited(w.RgetAccumulate(buf, []int{8}, null, 0, mpi.Sum)),
			w.Flush(null), w.FlushLocal(null), equal("buffer", buf[0], 7)); err != nil {
			return err
		}
		if err := w.Put(buf, 2, 0); is(err, mpi.ErrRMARange, "") != nil {
			return err
		}
		return errors.Join(w.UnlockAll(), mpi.Barrier(c), w.Free())
	})
}

// MPI 4.1, section 12.5.1: Fence begins an epoch only if accesses follow and another
// Fence ends it, so an epoch of another kind may follow a Fence without accesses.
func TestEpochsOfAllKindsInTurn(t *testing.T) {
	onTwo(t, 3, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int](c, 3)
		if err != nil {
			return err
		}
		group, err := c.Group()
		if err != nil {
			return err
		}
		next, me := (c.Rank()+1)%3, c.Rank()
		to, err1 := group.Incl(next)
		from, err2 := group.Incl((me + 2) % 3)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		none, err := group.Incl()
		if err != nil {
			return err
		}
		for round := range 3 {
			if err := errors.Join(w.Fence(), w.Put([]int{10*round + me}, next, 0), w.Fence()); err != nil {
				return err
			}
			if err := errors.Join(w.Lock(mpi.LockExclusive, next), w.Put([]int{100*round + me}, next, 1), w.Unlock(next)); err != nil {
				return fmt.Errorf("Lock after Fence: %w", err)
			}
			if err := errors.Join(w.Fence(), w.LockAll(), w.Flush(me), w.FlushLocalAll(), w.Sync(), w.UnlockAll(), mpi.Barrier(c)); err != nil {
				return fmt.Errorf("LockAll after Fence: %w", err)
			}
			if err := errors.Join(w.Fence(mpi.NoSucceed), w.Post(from), w.Start(to), w.Put([]int{1000*round + me}, next, 2), w.Complete()); err != nil {
				return fmt.Errorf("Post and Start after Fence: %w", err)
			}
			for done := false; !done; runtime.Gosched() {
				if done, err = w.Test(); err != nil {
					return err
				}
			}
			before := (me + 2) % 3
			if err := equalAll("part", w.Local(), []int{10*round + before, 100*round + before, 1000*round + before}); err != nil {
				return err
			}
			// epochs with no other rank
			done := false
			for _, g := range []*mpi.Group{nil, none} {
				if err := errors.Join(w.Post(g), w.Start(g), w.Complete(), w.Wait(), w.Post(g)); err != nil {
					return fmt.Errorf("with nobody: %w", err)
				}
				if done, err = w.Test(); err != nil || !done {
					return fmt.Errorf("Test with nobody: %v, %v", done, err)
				}
			}
			if err := mpi.Barrier(c); err != nil {
				return err
			}
		}
		return w.Free()
	})
}

// MPI 4.1, section 12.5: epochs that must not be open together are errors that name the
// open one.
func TestEpochsThatDoNotGoTogether(t *testing.T) {
	onTwo(t, 2, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int](c, 3)
		if err != nil {
			return err
		}
		group, err := c.Group()
		if err != nil {
			return err
		}
		me := c.Rank()
		self, err := group.Incl(me)
		if err != nil {
			return err
		}
		type step struct {
			name string
			do   func() error
			open bool // an open epoch forbids it
		}
		lock := func(target int) func() error { return func() error { return w.Lock(mpi.LockShared, target) } }
		fence := func(asserts ...mpi.Assert) func() error { return func() error { return w.Fence(asserts...) } }
		post, start := func() error { return w.Post(self) }, func() error { return w.Start(self) }
		lockAll, put := func() error { return w.LockAll() }, func() error { return w.Put([]int{1}, me, 0) }
		unlock := func() error { return w.Unlock(me) }
		for _, s := range []step{
			{"Fence", fence(), false}, {"Put", put, false},
			{"Lock", lock(me), true}, {"LockAll", lockAll, true}, {"Post", post, true}, {"Start", start, true}, {"Flush", func() error { return w.Flush(me) }, true},
			{"Rput", func() error { return waited(w.Rput([]int{1}, me, 1)) }, true}, {"Fence", fence(mpi.NoSucceed), false},
			{"Put", put, true}, {"Lock", lock(me), false}, {"Fence", fence(), true}, {"Start", start, true}, {"LockAll", lockAll, true}, {"Lock", lock(me), true}, {"Unlock", unlock, false},
			{"LockAll", lockAll, false}, {"Start", start, true}, {"Unlock", unlock, true}, {"UnlockAll", w.UnlockAll, false}, {"UnlockAll", w.UnlockAll, true},
			{"Post", post, false}, {"Post", post, true}, {"Fence", fence(), true}, {"Start", start, false}, {"Start", start, true}, {"Lock", lock(me), true}, {"LockAll", lockAll, true},
			{"Complete", w.Complete, false}, {"Complete", w.Complete, true}, {"Wait", w.Wait, false}, {"Wait", w.Wait, true},
		} {
			err := s.do()
			if s.open {
				err = is(err, mpi.ErrRMASync, "")
			}
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
		return errors.Join(mpi.Barrier(c), w.Free())
	})
}

// MPI 4.1, sections 11.6.2 and 12.5.2: one goroutine waits in Start for ranks that wait
// for the Post of another goroutine of this rank; or in LockAll while a rank holds a
// lock until that Post.
func TestGoroutinesOpenAndPost(t *testing.T) {
	onTwo(t, 2, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int](c, 1)
		if err != nil {
			return err
		}
		group, err := c.Group()
		if err != nil {
			return err
		}
		other, err := group.Incl(1 - c.Rank())
		if err != nil {
			return err
		}
		opened := make(chan error, 1)
		go func() {
			opened <- errors.Join(w.Start(other), w.Put([]int{5 + c.Rank()}, 1-c.Rank(), 0), w.Complete())
		}()
		time.Sleep(5 * time.Millisecond) // for Start to wait
		if err := errors.Join(w.Post(other), <-opened, w.Wait(), equal("put", w.Local()[0], 6-c.Rank()), mpi.Barrier(c)); err != nil {
			return err
		}
		if c.Rank() == 0 { // holds the lock of its part until the other rank has posted
			if err := errors.Join(w.Lock(mpi.LockExclusive, 0), mpi.Send(c, []int{}, 1, 0)); err != nil {
				return err
			}
			_, err := mpi.Recv(c, []int{}, 1, 1)
			return errors.Join(err, w.Unlock(0), w.Start(other), w.Complete(), mpi.Barrier(c), w.Free())
		}
		if _, err := mpi.Recv(c, []int{}, 0, 0); err != nil {
			return err
		}
		go func() { opened <- errors.Join(w.LockAll(), w.UnlockAll()) }()
		time.Sleep(5 * time.Millisecond)
		return errors.Join(w.Post(other), mpi.Send(c, []int{}, 0, 1), <-opened, w.Wait(), mpi.Barrier(c), w.Free())
	})
}

// MPI 4.1, section 12.3.5: a request is completed before or after the flush that
// completes its access at the target.
func TestRequestsOfAccessesAndFlush(t *testing.T) {
	onTwo(t, 2, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int](c, 8)
		if err != nil {
			return err
		}
		other, got, old := 1-c.Rank(), make([]int, 2), make([]int, 1)
		if err := w.LockAll(); err != nil {
			return err
		}
		put, add := w.Rput([]int{3, 4}, other, 0), w.Raccumulate([]int{5}, other, 2, mpi.Sum)
		if err := w.Flush(other); err != nil {
			return err
		}
		get, fetch := w.Rget(got, other, 0), w.RgetAccumulate([]int{1}, old, other, 2, mpi.Sum)
		if err := errors.Join(w.FlushLocal(other), w.FlushAll(), mpi.WaitAll(put, nil, add, get, fetch)); err != nil {
			return err
		}
		return errors.Join(equalAll("got", got, []int{3, 4}), equal("fetched", old[0], 5), w.UnlockAll(), mpi.Barrier(c), equalAll("part", w.Local()[:3], []int{3, 4, 6}), mpi.Barrier(c), w.Free())
	})
}

// MPI 4.1, section 6.9.4: of equal values MINLOC and MAXLOC take the lowest index, also
// in windows.
func TestEqualValuesHaveTheLowestPlace(t *testing.T) {
	onTwo(t, 4, func(c *mpi.Comm) error {
		type pair = mpi.ValLoc[float64]
		mine, least, most := []pair{{2, 10 - c.Rank()}, {float64(c.Rank() / 2), c.Rank()}}, make([]pair, 2), make([]pair, 2)
		if err := errors.Join(mpi.Allreduce(c, mine, least, mpi.MinLoc), mpi.Allreduce(c, mine, most, mpi.MaxLoc),
			equalAll("least", least, []pair{{2, 7}, {0, 0}}), equalAll("most", most, []pair{{2, 7}, {1, 2}})); err != nil {
			return err
		}
		w, err := mpi.WinAllocate[pair](c, 2)
		if err != nil {
			return err
		}
		w.Local()[0], w.Local()[1] = pair{2, 99}, pair{0, 99}
		if err := errors.Join(w.Fence(), w.Accumulate(mine[:1], 0, 0, mpi.MinLoc), w.Accumulate(mine[1:], 0, 1, mpi.MaxLoc), w.Fence()); err != nil {
			return err
		}
		if c.Rank() == 0 {
			if err := equalAll("window", w.Local(), []pair{{2, 7}, {1, 2}}); err != nil {
				return err
			}
		}
		return w.Free()
	})
}

// MPI 4.1, sections 12.2.3 and 12.2.4: a shared window has the parts of all ranks, also
// empty ones; memory of a dynamic window is attached and detached once each.
func TestSharedAndDynamicWindowsAtTheEdges(t *testing.T) {
	mpitest.Run(t, 3, func(c *mpi.Comm) error {
		s, err := mpi.WinAllocateShared[int](c, c.Rank()) // the first rank has no part
		if err != nil {
			return err
		}
		for i := range s.Local() {
			s.Local()[i] = 10*c.Rank() + i
		}
		if err := mpi.Barrier(c); err != nil {
			return err
		}
		for r := range 3 {
			part, err := s.Shared(r)
			if err := errors.Join(err, equalAll("part", part, sequence(r, 10*r))); err != nil {
				return err
			}
		}
		first, err := s.Shared(mpi.ProcNull)
		if err := errors.Join(err, equalAll("first part", first, []int{10})); err != nil {
			return err
		}
		if _, err := s.Shared(3); is(err, mpi.ErrRank, "") != nil {
			return fmt.Errorf("part of rank 3: %v", err)
		}
		if err := errors.Join(mpi.Barrier(c), s.Free()); err != nil {
			return err
		}
		d, err := mpi.WinDynamic[int](c)
		if err != nil {
			return err
		}
		next := (c.Rank() + 1) % 3
		for round := range 3 {
			mem := make([]int, 10+round)
			at, err1 := d.Attach(mem[:5])
			at2, err2 := d.Attach(mem[5:])
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
			if _, err := d.Attach(mem[4:6]); is(err, mpi.ErrRMAAttach, "") != nil {
				return fmt.Errorf("attached twice: %v", err)
			}
			places := make([]int, 6)
			if err := mpi.Allgather(c, []int{at, at2}, places); err != nil {
				return err
			}
			if err := errors.Join(d.Lock(mpi.LockExclusive, next), d.Put([]int{round, c.Rank()}, next, places[2*next]+3), d.Put([]int{7}, next, places[2*next+1]),
				d.Flush(next), is(d.Put([]int{1, 2}, next, places[2*next]+4), mpi.ErrRMARange, ""), d.Unlock(next), mpi.Barrier(c)); err != nil {
				return err
			}
			if err := errors.Join(equalAll("attached", mem[3:6], []int{round, (c.Rank() + 2) % 3, 7}), d.Detach(at), is(d.Detach(at), mpi.ErrRMAAttach, ""), d.Detach(at2), mpi.Barrier(c)); err != nil {
				return err
			}
			if err := errors.Join(d.Lock(mpi.LockShared, next), is(d.Put([]int{1}, next, places[2*next]), mpi.ErrRMARange, ""), d.Unlock(next), mpi.Barrier(c)); err != nil {
				return err
			}
		}
		return d.Free()
	})
}

// MPI 4.1, section 12.7.2: accumulates of one origin to one location take effect in
// order, also by layouts and in pieces of any length.
func TestAccumulatesKeepTheirOrder(t *testing.T) {
	onTwo(t, 3, func(c *mpi.Comm) error {
		const n = 3000
		w, err := mpi.WinAllocate[int](c, n)
		if err != nil {
			return err
		}
		if err := w.LockAll(); err != nil {
			return err
		}
		if c.Rank() > 0 {
			mine := n / 2 * (c.Rank() - 1)
			for i := range 20 {
				if err := errors.Join(w.Accumulate(slices.Repeat([]int{i}, n/2), 0, mine, mpi.Replace),
					w.AccumulateLayout(slices.Repeat([]int{i + 1}, n/4), 0, mine, mpi.Vector(n/4, 1, 2), mpi.Replace)); err != nil {
					return err
				}
				old := make([]int, 2)
				if err := errors.Join(w.GetAccumulate(nil, old, 0, mine, mpi.NoOp), equalAll("seen", old, []int{i + 1, i})); err != nil {
					return err
				}
			}
		}
		return errors.Join(w.UnlockAll(), mpi.Barrier(c), w.Free())
	})
}
