package collective

import (
	"errors"
	"fmt"

	"rhinet/mpi"
)

// meet makes a call on all ways that do not fail.
func meet(c *mpi.Comm, text string) error {
	if err := mpi.Barrier(c); err != nil {
		return err
	}
	fmt.Println(text, c.Rank())
	return nil
}

// meetPerhaps makes calls on some ways only.
func meetPerhaps(c *mpi.Comm, also bool) error {
	if c.Size() > 4 && mpi.Barrier(c) != nil {
		return errors.New("alone")
	}
	if also {
		return mpi.Bcast(c, []int{1}, 0)
	}
	return mpi.Barrier(c)
}

func meetTwice(c *mpi.Comm) error { return errors.Join(meet(c, "one"), meet(c, "two")) }

func giveUp(c *mpi.Comm) error {
	err := mpi.Barrier(c)
	mpi.Abort(c, 1)
	return err
}

func callsAFunction(world *mpi.Comm) error {
	if world.Rank() == 0 {
		return meet(world, "root") // want `only ranks with world.Rank\(\) == 0 call Barrier here`
	}
	return nil
}

func comesToAFunction(world *mpi.Comm) error {
	if world.Rank() > 0 {
		return nil
	}
	err := meet(world, "root") // want `not all ranks of the communicator come to this Barrier`
	return err
}

func callsAnother(world *mpi.Comm) (err error) {
	if world.Rank() > 0 {
		err = mpi.Bcast(world, []int{1}, 0) // want `only ranks with world.Rank\(\) > 0 call Bcast here`
	} else {
		err = meet(world, "root") // want `only ranks with !\(world.Rank\(\) > 0\) call Barrier here`
	}
	return err
}

func comesBehindASwitch(world *mpi.Comm, what string) error {
	switch what {
	case "early":
		if world.Rank() == 0 {
			return nil
		}
	case "other":
		return meet(world, what)
	}
	return mpi.Bcast(world, []int{1}, 0) // want `not all ranks of the communicator come to this Bcast`
}

// What follows is right, or not known to be wrong.

func otherCases(world *mpi.Comm, what string) error {
	switch what {
	case "first":
		return mpi.Barrier(world)
	case "messages":
		if world.Rank() == 0 {
			return mpi.Send(world, []int{1}, 1, 7)
		}
		_, err := mpi.Recv(world, []int{1}, 0, 7)
		return err
	case "calls":
		return mpi.Barrier(world)
	}
	if what == "half" {
		if world.Rank() == 0 {
			return nil
		}
		fmt.Println(what)
	} else {
		return mpi.Barrier(world)
	}
	return nil
}

func calledByOthers(world *mpi.Comm) error {
	if world.Rank() == 0 {
		return mpi.Barrier(world)
	}
	return meet(world, "rest")
}

func callsUnsurely(world *mpi.Comm) error {
	if world.Rank() == 0 {
		return meetPerhaps(world, false)
	}
	return nil
}

func makesUpUnsurely(world *mpi.Comm) error {
	if world.Rank() == 0 {
		return mpi.Bcast(world, []int{1}, 0)
	}
	return meetPerhaps(world, true)
}

func callsDeeply(world *mpi.Comm) error {
	if world.Rank() == 0 {
		return meetTwice(world)
	}
	return nil
}

func callsAbort(world *mpi.Comm, bad bool) error {
	if world.Rank() == 0 && bad {
		return giveUp(world)
	}
	return nil
}

func callsOnAnother(world, sub *mpi.Comm) error {
	if world.Rank() == 0 {
		return meet(sub, "sub")
	}
	return nil
}
