package collective

import (
	"errors"
	"fmt"
	"log"

	"rhinet/mpi"
)

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
	return mpi.Barrier(world) // want `not all ranks of the communicator come to this Barrier: those with world.Rank\(\) == 0 \|\| world.Rank\(\) == 1 return in line 50; let them call it, too`
}

func othersLeaveEarly(world *mpi.Comm) error {
	switch world.Rank() {
	case 0:
	default:
		return nil
	}
	return mpi.Barrier(world) // want `those with another world.Rank\(\) return in line 64`
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
	return mpi.Barrier(world) // want `those with world.Rank\(\) > 3 return in line 104`
}

func remainderLeavesEarly(world *mpi.Comm, buf []int) error {
	switch {
	case world.Rank() == 0:
		buf[0] = 1
	case len(buf) > 1:
		return nil
	default:
		fmt.Println("done")
		return nil
	}
	return mpi.Barrier(world) // want `those with !\(world.Rank\(\) == 0\) return in line 113`
}

// What follows is right.

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
