// Package epoch has epochs of windows that are left open.
package epoch

import (
	"errors"
	"fmt"

	"rhinet/mpi"
)

func locked(c *mpi.Comm, early bool) error {
	w, err := mpi.WinAllocate[int](c, 1)
	if err != nil {
		return err
	}
	if err := w.Lock(mpi.LockShared, 0); err != nil { // want `the epoch of this Lock is open on the way to line 23; call Unlock of w there, too`
		return err
	}
	if err := w.Put([]int{1}, 0, 0); err != nil {
		return err
	}
	if early {
		return nil
	}
	return errors.Join(w.Unlock(0), w.Free())
}

func all(c *mpi.Comm) error {
	w, err := mpi.WinAllocate[int](c, 1)
	if err != nil {
		return err
	}
	defer w.Free()
	_ = w.LockAll() // want `the epoch of this LockAll is open on the way to line 36; call UnlockAll of w there, too`
	_ = w.FlushAll()
	return nil
}

func started(c *mpi.Comm, g *mpi.Group, both bool) error {
	w, err := mpi.WinCreate(c, make([]int, 1))
	if err != nil {
		return err
	}
	if err := w.Post(g); err != nil { // want `the epoch of this Post is open on the way to line 52; call Wait or Test of w there, too`
		return err
	}
	if both {
		if err := errors.Join(w.Start(g), w.Complete(), w.Wait()); err != nil {
			return err
		}
	}
	return w.Free()
}

func fenced(c *mpi.Comm) error {
	w, err := mpi.WinAllocate[int](c, 1)
	if err != nil {
		return err
	}
	if err := w.Fence(); err != nil {
		return err
	}
	for to := range c.Size() {
		if err := w.Put([]int{1}, to, 0); err != nil { // want `the epoch of this Put is open on the way to line 68; call Fence of w there, too`
			return err
		}
	}
	return w.Free()
}

func onceForAll(c *mpi.Comm) error {
	w, err := mpi.WinAllocate[int](c, 2)
	if err != nil {
		return err
	}
	_ = w.Fence()
	_ = w.Put([]int{1}, 0, 0) // want `the epoch of this Put is open`
	_ = w.Put([]int{1}, 0, 1)
	return w.Free()
}

// What follows is right, or may be.

func eachInTurn(c *mpi.Comm) error {
	w, err := mpi.WinAllocate[int](c, 1)
	if err != nil {
		return err
	}
	for to := range c.Size() {
		if err := w.Lock(mpi.LockExclusive, to); err != nil {
			return err
		}
	}
	if err := w.Put([]int{1}, 0, 0); err != nil {
		return fmt.Errorf("put: %w", err)
	}
	for to := range c.Size() {
		if err := w.Unlock(to); err != nil {
			return err
		}
	}
	return w.Free()
}

func fencedTwice(c *mpi.Comm) error {
	w, err := mpi.WinAllocate[int](c, 1)
	if err != nil {
		return err
	}
	if err := w.Fence(); err != nil {
		return err
	}
	old, err := w.FetchAndOp(1, 0, 0, mpi.Sum)
	if err != nil {
		return err
	}
	if err := w.Fence(); err != nil {
		return err
	}
	fmt.Println(old, w.Local()[0])
	return w.Free()
}

func deferred(c *mpi.Comm) error {
	w, err := mpi.WinAllocate[int](c, 1)
	if err != nil {
		return err
	}
	defer w.UnlockAll()
	return w.LockAll()
}

func inAClosure(c *mpi.Comm) error {
	w, err := mpi.WinAllocate[int](c, 1)
	end := func() { err = errors.Join(err, w.UnlockAll(), w.Free()) }
	if err := w.LockAll(); err != nil {
		return err
	}
	end()
	return nil
}

type table struct{ w *mpi.Win[int] }

func (t *table) open(c *mpi.Comm) error {
	w, err := mpi.WinAllocate[int](c, 1)
	if err != nil {
		return err
	}
	t.w = w
	_ = w.LockAll()
	return nil
}

func (t *table) opened() error {
	w := t.w
	if err := w.LockAll(); err != nil {
		return err
	}
	return nil
}

func ofTheCaller(w *mpi.Win[int]) error {
	if err := w.LockAll(); err != nil {
		return err
	}
	return nil
}

func inOneStatement(c *mpi.Comm) error {
	w, err := mpi.WinAllocate[int](c, 1)
	if err != nil {
		return err
	}
	if err := errors.Join(w.Fence(), w.Put([]int{1}, 0, 0), w.Fence(), w.Free()); err != nil {
		return err
	}
	return nil
}

func asBytes(c *mpi.Comm) error {
	w, err := mpi.WinAllocate[int32](c, 1)
	if err != nil {
		return err
	}
	bytes, err := mpi.WinAs[byte](w)
	if err != nil {
		return err
	}
	_ = w.LockAll()
	_ = bytes.Put([]byte{1}, 0, 0)
	_ = w.UnlockAll()
	return nil
}

func onOneRank(c *mpi.Comm) error {
	w, err := mpi.WinAllocate[int](c, 1)
	if err != nil {
		return err
	}
	if c.Rank() == 0 {
		_ = w.LockAll()
	}
	_ = mpi.Barrier(c)
	if c.Rank() == 0 {
		_ = w.UnlockAll()
	}
	return w.Free()
}

func ifItSucceeds(c *mpi.Comm) int {
	w, err := mpi.WinAllocate[int](c, 1)
	if err != nil {
		return 0
	}
	if err = w.LockAll(); err == nil {
		_ = w.Put([]int{1}, 0, 0)
		err = w.UnlockAll()
	}
	if err != nil {
		fmt.Println(err)
	}
	return 1
}
