package collective

import (
	"os"

	"rhinet/mpi"
)

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

func flag(world *mpi.Comm) error {
	root := world.Rank() == 0
	if root {
		return mpi.Barrier(world) // want `only ranks with root call Barrier here`
	}
	return nil
}

func flagOfFlag(world *mpi.Comm, buf []int) error {
	me := world.Rank()
	var root = me == 0
	worker := !root && len(buf) > 0
	if worker {
		return nil
	}
	return mpi.Barrier(world) // want `those with worker return in line 54`
}

func declaredBefore(world *mpi.Comm, given bool) error {
	var rank int
	rank = world.Rank()
	root := rank == 0
	if given && root {
		return mpi.Barrier(world) // want `only ranks with given && root call Barrier here`
	}
	return nil
}

func flagInAClosure(world *mpi.Comm, given bool) func() error {
	root := world.Rank() == 0
	return func() error {
		if !root || given {
			return mpi.Barrier(world) // want `only ranks with !root \|\| given call Barrier here`
		}
		return nil
	}
}

// What follows is right.

const debug = false

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

func neverTrue(world *mpi.Comm) {
	if debug && world.Rank() == 0 {
		_ = mpi.Barrier(world)
	}
	if world.Rank() == -1 || world.Rank() == world.Size() {
		_ = mpi.Barrier(world)
	}
}

func otherFlags(world *mpi.Comm, given, both bool) {
	everyone := world.Rank() >= 0
	if everyone && len(os.Args) > 1 {
		_ = mpi.Barrier(world)
	}
	changed := world.Rank() == 0
	changed = changed || both
	if changed || given {
		_ = mpi.Barrier(world)
	}
	set := world.Rank() == 0
	agree(&set)
	if set {
		_ = mpi.Barrier(world)
	}
	if root := world.Rank() == 0; root {
		_ = mpi.Barrier(world)
	} else {
		_ = mpi.Barrier(world)
	}
}

func agree(all *bool) { *all = true }

func flagInACircle(world *mpi.Comm) {
	var this, that bool
	this = !that
	that = this
	if that {
		_ = mpi.Barrier(world)
	}
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

func givenOrRank(world *mpi.Comm, rank int) error {
	if rank < 0 {
		rank = world.Rank()
	}
	if rank == 0 {
		return mpi.Barrier(world)
	}
	return nil
}

func resultOrRank(world *mpi.Comm, given bool) (rank int, err error) {
	if given {
		rank = world.Rank()
	}
	if rank == 0 {
		err = mpi.Barrier(world)
	}
	return rank, err
}

func zeroOrRank(world *mpi.Comm, given bool) error {
	var rank int
	if given {
		rank = world.Rank()
	}
	if !given && rank == 0 {
		return mpi.Barrier(world)
	}
	return nil
}
