// Package freed has calls on what was freed before.
package freed

import (
	"errors"
	"fmt"

	"rhinet/mpi"
)

func communicator(world *mpi.Comm) error {
	sub, err := world.Dup()
	if err != nil {
		return err
	}
	if err := sub.Free(); err != nil {
		return err
	}
	return mpi.Barrier(sub) // want `Barrier fails: line 16 has called Free of sub; do that last`
}

func below(sub *mpi.Comm, buf []int, more bool) (err error) {
	err = sub.Free()
	fmt.Println(sub.Rank())
	if more {
		for range 3 {
			if err := mpi.Send(sub, buf, 1, 0); err != nil { // want `Send fails: line 23 has called Free of sub`
				return err
			}
		}
	}
	return err
}

func window(world *mpi.Comm, more bool) error {
	w, err := mpi.WinAllocate[int](world, 1)
	if err != nil {
		return err
	}
	err = errors.Join(w.Fence(), w.Free())
	r := w.Rput([]int{1}, 0, 0) // want `Rput fails: line 40 has called Free of w`
	_, putErr := r.Wait()
	return errors.Join(err, putErr)
}

func ifItSucceeds(sub *mpi.Comm) error {
	if err := sub.Free(); err == nil {
		fmt.Println("done")
	}
	return mpi.Barrier(sub) // want `Barrier fails: line \d+ has called Free of sub`
}

func session(s *mpi.Session) error {
	if err := s.Finalize(); err != nil {
		return err
	}
	_, err := s.Group(mpi.PsetWorld) // want `Group fails: line 54 has called Finalize of s`
	return err
}

func world() error {
	world, err := mpi.Init()
	if err != nil {
		return err
	}
	err = mpi.Finalize(world)
	return errors.Join(err, mpi.Barrier(world)) // want `Barrier fails: line 66 has called Finalize of world`
}

func memory(c *mpi.Comm) error {
	buf, err := mpi.AllocMem[int](c, 10)
	if err != nil {
		return err
	}
	if err := mpi.FreeMem(c, buf); err != nil {
		return err
	}
	return mpi.Bcast(c, buf[:5], 0) // want `Bcast fails: line 75 has called FreeMem of buf`
}

// What follows is right.

func last(world *mpi.Comm) error {
	sub, err := world.Dup()
	if err != nil {
		return err
	}
	defer func() { _ = world.Free() }()
	if err := mpi.Barrier(sub); err != nil {
		return errors.Join(err, sub.Free())
	}
	if err := sub.Free(); err != nil {
		return err
	}
	fmt.Println(sub.Size(), sub.Name())
	return mpi.Barrier(world)
}

func renewed(world, sub *mpi.Comm) (err error) {
	if err := sub.Free(); err != nil {
		return err
	}
	sub, err = world.Dup()
	return errors.Join(err, mpi.Barrier(sub))
}

func again(world *mpi.Comm) (err error) {
	sub := world
	for range 3 {
		if sub != world {
			if err := sub.Free(); err != nil {
				return err
			}
		}
		if sub, err = world.Dup(); err != nil {
			return err
		}
		if err := mpi.Barrier(sub); err != nil {
			return err
		}
	}
	return sub.Free()
}

func perhaps(world, sub *mpi.Comm) error {
	over := sub.Size() > 1
	if over {
		_ = sub.Free()
	}
	defer sub.Free()
	_ = over && sub.Free() == nil
	if !over {
		return mpi.Barrier(sub)
	}
	return mpi.Barrier(world)
}

func inAClosure(world *mpi.Comm) error {
	sub, err := world.Dup()
	renew := func() { sub, err = world.Dup() }
	if err := sub.Free(); err != nil {
		return err
	}
	renew()
	return errors.Join(err, mpi.Barrier(sub))
}

func notFreed(w *mpi.Win[int]) error {
	err := w.Free()
	if errors.Is(err, mpi.ErrRMASync) {
		return err
	}
	if err != nil {
		return errors.Join(w.Unlock(0), w.Free())
	}
	return nil
}

func usedIfItFails(w *mpi.Win[int], sub *mpi.Comm) error {
	if err := w.Free(); err == nil {
		return nil
	}
	_ = w.Unlock(0)
	err := sub.Free()
	if err == nil {
		return nil
	}
	return errors.Join(err, mpi.Barrier(sub))
}

func expected(w *mpi.Win[int]) error {
	if err := in(w.Free(), mpi.ErrRMASync); err != nil {
		return err
	}
	return errors.Join(w.Unlock(0), w.Free())
}

func oncemore(s *mpi.Session, sub *mpi.Comm) error {
	left := s.Finalize()
	return errors.Join(in(left, mpi.ErrSession), sub.Free(), s.Finalize())
}

func in(err, class error) error {
	if errors.Is(err, class) {
		return nil
	}
	return err
}

var pool *mpi.Comm

func ofThePackage(world *mpi.Comm) error {
	if err := pool.Free(); err != nil {
		return err
	}
	setPool(world)
	return mpi.Barrier(pool)
}

func setPool(world *mpi.Comm) { pool, _ = world.Dup() }
