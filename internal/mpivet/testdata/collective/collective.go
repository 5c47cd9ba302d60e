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
	return mpi.Barrier(world) // want `not all ranks of the communicator come to this Barrier: those with world.Rank\(\) > 3 return in line 67; let them call it, too`
}

func different(world *mpi.Comm, buf []int) error {
	switch world.Rank() {
	case 0:
		return nil
	}
	switch world.Rank() {
	case 0:
		buf[0] = 1
	default:
		_ = mpi.Bcast(world, buf, 0) // want `not all cases of this switch on world.Rank\(\) call Bcast; all ranks of the communicator must: move it out of the switch, or call it in all cases`
	}
	return nil
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

func nextOfSize(world *mpi.Comm) error {
	size := world.Size()
	if world.Rank()+1 < size {
		_ = mpi.Barrier(world) // want `only ranks with world.Rank\(\) \+ 1 < size call Barrier here`
	}
	if world.Rank() < size-1 {
		_ = mpi.Barrier(world) // want `only ranks with world.Rank\(\) < size - 1 call Barrier here`
	}
	if partner := world.Rank() ^ 1; partner < size {
		_ = mpi.Barrier(world) // want `only ranks with partner < size call Barrier here`
	}
	return nil
}

func knownInPart(world *mpi.Comm) error {
	if rank := world.Rank(); rank >= 0 && rank < 2 {
		_ = mpi.Barrier(world) // want `only ranks with rank >= 0 && rank < 2 call Barrier here`
	}
	if world.Rank() >= 1 {
		_ = mpi.Barrier(world) // want `only ranks with world.Rank\(\) >= 1 call Barrier here`
	}
	if world.Rank() > 0 {
		_ = mpi.Barrier(world) // want `only ranks with world.Rank\(\) > 0 call Barrier here`
	}
	if world.Rank() <= 0 {
		_ = mpi.Barrier(world) // want `only ranks with world.Rank\(\) <= 0 call Barrier here`
	}
	if world.Rank()-1 >= 0 {
		_ = mpi.Barrier(world) // want `only ranks with world.Rank\(\) - 1 >= 0 call Barrier here`
	}
	return nil
}

func oneReturns(world *mpi.Comm, buf []int) error {
	switch world.Rank() {
	case 0:
		return mpi.Bcast(world, buf, 0) // want `not all cases of this switch on world.Rank\(\) call Bcast`
	default:
		return nil
	}
}

func oneChecks(world *mpi.Comm, buf []int) error {
	switch rank := world.Rank(); rank {
	case 0, 1:
		if err := mpi.Bcast(world, buf, 0); err != nil { // want `not all cases of this switch on rank call Bcast`
			return err
		}
	case 2:
		return errors.New("too many ranks")
	default:
		fmt.Println("ready")
	}
	return nil
}

func oneLeavesEarly(world *mpi.Comm) error {
	switch world.Rank() {
	case 0, 1:
		return nil
	case 2:
		fmt.Println("ready")
		break
	default:
		log.Fatal("too many ranks")
	}
	return mpi.Barrier(world) // want `not all ranks of the communicator come to this Barrier: those with world.Rank\(\) == 0 \|\| world.Rank\(\) == 1 return in line 155; let them call it, too`
}

func othersLeaveEarly(world *mpi.Comm) error {
	switch world.Rank() {
	case 0:
	default:
		return nil
	}
	return mpi.Barrier(world) // want `those with another world.Rank\(\) return in line 169`
}

func oneCondition(world *mpi.Comm, buf []int) error {
	switch {
	case world.Rank() == 0:
		return mpi.Bcast(world, buf, 0) // want `only ranks with world.Rank\(\) == 0 call Bcast here`
	}
	return nil
}

func someConditions(world *mpi.Comm, buf []int) error {
	switch rank := world.Rank(); {
	default:
		return nil
	case len(buf) == 0:
		return errors.New("nothing to send")
	case rank == 1, rank == 2:
		if err := mpi.Bcast(world, buf, 0); err != nil { // want `only ranks with rank == 1 \|\| rank == 2 call Bcast here`
			return err
		}
	}
	return nil
}

func lastCondition(world *mpi.Comm, buf []int) error {
	switch {
	case world.Rank() == 0:
		buf[0] = 1
	case len(buf) > 1:
		return mpi.Bcast(world, buf, 0) // want `only ranks with !\(world.Rank\(\) == 0\) call Bcast here`
	}
	return nil
}

func conditionLeavesEarly(world *mpi.Comm) error {
	switch {
	case world.Rank() > 3:
		return nil
	case world.Rank() > 5:
		return errors.New("too many ranks")
	}
	return mpi.Barrier(world) // want `those with world.Rank\(\) > 3 return in line 209`
}

// What follows is right.

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

func alwaysTrue(world *mpi.Comm, buf []int) {
	rank, size := world.Rank(), world.Size()
	if rank < world.Size() || rank == 0 {
		_ = mpi.Barrier(world)
	}
	if rank >= 0 && len(buf) > 3 {
		_ = mpi.Barrier(world)
	}
	if size > rank && -1 < rank && !(rank < 0) && rank != -1 {
		_ = mpi.Barrier(world)
	}
	if rank <= size-1 && rank+1 <= size {
		_ = mpi.Barrier(world)
	}
	if rank-1 != size {
		_ = mpi.Barrier(world)
	}
	if rank%2 >= 0 && rank+1 > 0 {
		_ = mpi.Barrier(world)
	}
}

const debug = false

func neverTrue(world *mpi.Comm) {
	if debug && world.Rank() == 0 {
		_ = mpi.Barrier(world)
	}
	if world.Rank() == -1 || world.Rank() == world.Size() {
		_ = mpi.Barrier(world)
	}
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

func allCases(world *mpi.Comm, buf []int) error {
	switch world.Rank() {
	case 0:
		return mpi.Bcast(world, buf, 0)
	case 1:
		buf[0] = 1
	case 2:
		buf[0] = 2
		fallthrough
	case 3:
		if err := mpi.Bcast(world, buf, 0); err != nil {
			return err
		}
		return nil
	case 4:
		return others(world, buf)
	case 5:
		mpi.Abort(world, 1)
	default:
		return errors.New("too many ranks")
	}
	return mpi.Bcast(world, buf, 0)
}

func allReturn(world *mpi.Comm, buf []int) error {
	switch world.Rank() {
	case 0:
		buf[0] = 1
		return mpi.Bcast(world, buf, 0)
	default:
		return mpi.Bcast(world, buf, 0)
	}
}

func allConditions(world *mpi.Comm, buf []int) error {
	switch {
	case world.Rank() == 0:
		buf[0] = 1
		fallthrough
	case world.Rank() == 1:
		return mpi.Bcast(world, buf, 0)
	case world.Rank() > 5:
		panic("too many ranks")
	case world.Rank() > 4:
		return errors.New("too many ranks")
	case len(buf) == 3:
		break
	default:
		return others(world, buf)
	}
	return mpi.Bcast(world, buf, 0)
}

func twoConditions(world *mpi.Comm, buf []int) error {
	switch {
	case len(buf) == 0:
		return mpi.Barrier(world)
	case world.Rank() == 0:
		return mpi.Bcast(world, buf, 0)
	case world.Rank() == 1:
		return mpi.Bcast(world, buf, 0)
	}
	return nil
}

func conditionForAll(world *mpi.Comm, buf []int) error {
	switch {
	case world.Rank() >= 0, world.Rank() == 7:
		return mpi.Bcast(world, buf, 0)
	default:
		return nil
	}
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

func inACircle(world *mpi.Comm) error {
	var next, last int
	next = last + 1
	last = next
	if last == 0 {
		return mpi.Barrier(world)
	}
	return nil
}
