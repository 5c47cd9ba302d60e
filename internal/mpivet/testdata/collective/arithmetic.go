package collective

import "rhinet/mpi"

const perGroup, every, none = 2, 1, 0

func arithmetic(world *mpi.Comm) {
	rank, size := world.Rank(), world.Size()
	if rank/perGroup == 0 {
		_ = mpi.Barrier(world) // want `only ranks with rank / perGroup == 0 call Barrier here`
	}
	if rank%perGroup != 0 {
		_ = mpi.Barrier(world) // want `only ranks with rank % perGroup != 0 call Barrier here`
	}
	if rank>>1 == 1 {
		_ = mpi.Barrier(world) // want `only ranks with rank >> 1 == 1 call Barrier here`
	}
	if 1+rank == 2 {
		_ = mpi.Barrier(world) // want `only ranks with 1 \+ rank == 2 call Barrier here`
	}
	if 2*rank < size {
		_ = mpi.Barrier(world) // want `only ranks with 2 \* rank < size call Barrier here`
	}
	if 1-rank == 0 {
		_ = mpi.Barrier(world) // want `only ranks with 1 - rank == 0 call Barrier here`
	}
	if (rank+1)%size == 0 {
		_ = mpi.Barrier(world) // want `only ranks with \(rank \+ 1\) % size == 0 call Barrier here`
	}
	if (rank-1+size)%size == 0 {
		_ = mpi.Barrier(world) // want `only ranks with \(rank - 1 \+ size\) % size == 0 call Barrier here`
	}
	if (rank+size-1)%size > 1 {
		_ = mpi.Barrier(world) // want `only ranks with \(rank \+ size - 1\) % size > 1 call Barrier here`
	}
	if left := (size + rank - 1) % size; left == 0 {
		_ = mpi.Barrier(world) // want `only ranks with left == 0 call Barrier here`
	}
	if rank+size < 5 || (rank-2+size)%size >= 0 {
		_ = mpi.Barrier(world) // want `only ranks with rank \+ size < 5 \|\| .* call Barrier here`
	}
	if size-1-rank == 0 {
		_ = mpi.Barrier(world) // want `only ranks with size - 1 - rank == 0 call Barrier here`
	}
	if uint(rank)%2 == 1 {
		_ = mpi.Barrier(world) // want `only ranks with uint\(rank\) % 2 == 1 call Barrier here`
	}
	group := rank / perGroup
	if group != 0 {
		return
	}
	_ = mpi.Barrier(world) // want `not all ranks of the communicator come to this Barrier: those with group != 0 return in line 49`
}

func groups(world *mpi.Comm, buf []int) error {
	switch world.Rank() / perGroup {
	case 0:
		return mpi.Bcast(world, buf, 0) // want `not all cases of this switch on world.Rank\(\) / perGroup call Bcast`
	default:
		return nil
	}
}

// What follows is right.

func known(world *mpi.Comm) {
	rank, size := world.Rank(), world.Size()
	if rank/2 >= 0 && rank/2 < size && (rank+1)%size >= 0 && (rank+1)%size < size && rank>>1 != size {
		_ = mpi.Barrier(world)
	}
	if (rank-1+size)%size >= 0 && (rank+size-1)%size < size && (size-1+rank)%size != size && rank+(size-1) >= 0 && rank+size > 0 {
		_ = mpi.Barrier(world)
	}
	if size-rank > 0 && size-rank <= size && size-1-rank >= 0 && size-1-rank < size {
		_ = mpi.Barrier(world)
	}
	if rank%every == 0 || rank&none == 0 || none*rank == 0 {
		_ = mpi.Barrier(world)
	}
	if uint(rank) < uint(size) {
		_ = mpi.Barrier(world)
	}
}

func ofGroup(world *mpi.Comm, buf []int) error {
	group, err := world.Split(world.Rank()/perGroup, 0)
	if err != nil {
		return err
	}
	if world.Rank()/perGroup == 0 {
		if err := mpi.Bcast(group, buf, 0); err != nil {
			return err
		}
	}
	return mpi.Barrier(world)
}

func byParameter(world *mpi.Comm, n int) error {
	if world.Rank()/n == 0 || world.Rank()%n == 0 {
		return mpi.Barrier(world)
	}
	return nil
}
