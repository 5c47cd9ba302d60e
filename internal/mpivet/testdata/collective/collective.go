// Package collective has calls that all ranks must make and only some do.
package collective

import (
	"errors"
	"fmt"
	"log"
	"os"

	"rhinet/mpi"
)

func onlyRoot(world *mpi.Comm, buf []int) error {
	if world.Rank() == 0 {
		return mpi.Bcast(world, buf, 0) // want `only ranks with world.Rank\(\) == 0 call Bcast here; all ranks of the communicator must: move it out of the condition, or call it in both branches`
	}
	return nil
}

func byVariable(world *mpi.Comm, buf []int) error {
	rank, size := world.Rank(), world.Size()
	if size > 1 && rank > 0 {
		if err := mpi.Barrier(world); err != nil { // want `only ranks with size > 1 && rank > 0 call Barrier here`
			return err
		}
	}
	fmt.Println(rank)
	return mpi.Bcast(world, buf, 0)
}

func otherwise(world *mpi.Comm, buf, all []int) error {
	if rank := world.Rank(); rank%2 == 0 {
		buf[0] = 1
	} else if err := mpi.Gather(world, buf, all, 0); err != nil { // want `only ranks with !\(rank % 2 == 0\) call Gather here`
		return err
	}
	return nil
}

func nonblocking(world *mpi.Comm) (err error) {
	if world.Rank() != 0 {
		r := mpi.Ibarrier(world) // want `only ranks with world.Rank\(\) != 0 call Ibarrier here`
		_, err = r.Wait()
	}
	return err
}

func makes(world *mpi.Comm) (sub *mpi.Comm, err error) {
	if world.Rank() < 2 {
		sub, err = world.Split(0, 0) // want `only ranks with world.Rank\(\) < 2 call Split here`
	}
	return sub, err
}

func splits(world *mpi.Comm) (sub *mpi.Comm, err error) {
	if world.Rank() == 1 {
		sub, err = world.SplitHardware("core", 0) // want `only ranks with world.Rank\(\) == 1 call SplitHardware here`
	}
	return sub, err
}

func fences(world *mpi.Comm) error {
	w, err := mpi.WinAllocate[int](world, 1)
	if err != nil {
		return err
	}
	if world.Rank() == 0 {
		return w.Fence() // want `only ranks with world.Rank\(\) == 0 call Fence here`
	}
	return nil
}

func leavesEarly(world *mpi.Comm) error {
	if world.Rank() > 3 {
		return nil
	}
	return mpi.Barrier(world) // want `not all ranks of the communicator come to this Barrier: those with world.Rank\(\) > 3 return in line 74; let them call it, too`
}

func abortsPerhaps(world *mpi.Comm, bad bool) error {
	if world.Rank() == 0 {
		if bad {
			mpi.Abort(world, 1)
		}
		return nil
	}
	return mpi.Barrier(world) // want `not all ranks of the communicator come to this Barrier`
}

func passesOn(world *mpi.Comm) error {
	if world.Rank() != 0 {
		_, err := world.Split(0, 0) // want `only ranks with world.Rank\(\) != 0 call Split here`
		return err
	}
	return nil
}

func waitsAndPassesOn(world *mpi.Comm) (err error) {
	if world.Rank() == 0 {
		r := mpi.Ibarrier(world) // want `only ranks with world.Rank\(\) == 0 call Ibarrier here`
		_, err = r.Wait()
		return err
	}
	return mpi.Barrier(world) // want `not all ranks of the communicator come to this Barrier`
}

func joins(world *mpi.Comm, buf []int) error {
	if world.Rank() > 0 {
		return errors.Join(mpi.Barrier(world), mpi.Bcast(world, buf, 0)) // want `only ranks with world.Rank\(\) > 0 call Barrier here`
	}
	return mpi.Bcast(world, buf, 0)
}

// What follows is right.

func returnsAnError(world *mpi.Comm, bad error) error {
	if world.Rank() == 0 {
		if err := mpi.Barrier(world); err != nil {
			return err
		}
		return bad
	}
	return nil
}

func joinsAnError(world *mpi.Comm) error {
	if world.Rank() == 0 {
		return errors.Join(mpi.Barrier(world), errors.New("too many ranks"))
	}
	return nil
}

func replacesTheError(world *mpi.Comm, check func() error) error {
	if world.Rank() == 0 {
		err := mpi.Barrier(world)
		err = errors.Join(err, check())
		return err
	}
	return nil
}

func both(world *mpi.Comm, buf, all []int) error {
	if world.Rank() == 0 {
		return mpi.Gather(world, buf, all, 0)
	}
	return mpi.Gather(world, buf, nil, 0)
}

func elseBoth(world *mpi.Comm, buf, all []int) (err error) {
	if world.Rank() == 0 {
		err = mpi.Gather(world, buf, all, 0)
	} else {
		err = mpi.Gather(world, buf, nil, 0)
	}
	return err
}

func fails(world *mpi.Comm) error {
	if world.Rank() > 3 {
		return errors.New("too many ranks")
	}
	return mpi.Barrier(world)
}

func aborts(world *mpi.Comm, ok bool) error {
	if world.Rank() == 0 && !ok {
		mpi.Abort(world, 1)
		return nil
	}
	if world.Rank() == 1 && !ok {
		log.Fatal("not ok")
		return nil
	}
	if world.Rank() == 2 && !ok {
		defer fmt.Println("not ok")
		os.Exit(1)
		return nil
	}
	if world.Rank() == 3 && !ok {
		panic("not ok")
	}
	return mpi.Barrier(world)
}

func abortsOrNot(world *mpi.Comm, ok bool) (err error) {
	if world.Rank() > 0 || ok {
		err = mpi.Barrier(world)
	} else {
		mpi.Abort(world, 1)
		fmt.Println("not ok")
	}
	return err
}

func elsewhere(world *mpi.Comm, buf []int) error {
	if world.Rank() == 0 {
		return mpi.Bcast(world, buf, 0)
	}
	return others(world, buf)
}

func others(world *mpi.Comm, buf []int) error { return mpi.Bcast(world, buf, 0) }

type solver struct{ world *mpi.Comm }

func (s *solver) others() error { return mpi.Barrier(s.world) }

func (s *solver) method() error {
	if s.world.Rank() == 0 {
		return mpi.Barrier(s.world)
	}
	return s.others()
}

func closure(world *mpi.Comm) error {
	rest := func() error { return mpi.Barrier(world) }
	if world.Rank() == 0 {
		return mpi.Barrier(world)
	}
	return rest()
}

func ownCommunicator(world, sub *mpi.Comm) error {
	if world.Rank() < 2 {
		return mpi.Barrier(sub)
	}
	return nil
}

func threeRanks(world *mpi.Comm, buf []int) (err error) {
	switch world.Rank() {
	case 0:
		err = mpi.Bcast(world, buf, 0)
	case 1:
		err = mpi.Bcast(world, buf[:1], 0)
	}
	if world.Rank() == 0 {
		err = errors.Join(err, mpi.Barrier(world))
	} else if world.Rank() == 1 {
		err = errors.Join(err, mpi.Barrier(world))
	}
	return err
}

func notARank(world *mpi.Comm, rank int) error {
	if rank == 0 {
		return mpi.Barrier(world)
	}
	return nil
}

func alone(world *mpi.Comm) error {
	if world.Rank() == 0 {
		fmt.Println("done")
		return nil
	}
	fmt.Println("ready")
	return nil
}
