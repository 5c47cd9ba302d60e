package pmb

import "rhinet/mpi"

// vectors are the collectives with counts, all equal here. Package mpi has no
// Allgatherv and no Scatterv, so they are what a program writes instead:
// Alltoallv with the counts of what they would move.
func vectors() []Benchmark {
	return []Benchmark{
		{Name: "Allgatherv", About: "Allgather with counts (by mpi.Alltoallv)", Kind: Collective, sends: one, recvs: each, expect: fromAll,
			call: func(e *env, i int) error {
				return mpi.Alltoallv(e.c, e.out(i), e.counts, e.zeros, e.in(i), e.counts, e.displs)
			}},
		{Name: "Gatherv", About: "Gather with counts", Kind: Collective, shift: true, sends: one, recvs: each, expect: fromAllAtRoot,
			call: func(e *env, i int) error {
				return mpi.Gatherv(e.c, e.out(i), e.in(i), e.counts, e.displs, e.root)
			}},
		{Name: "Scatterv", About: "Scatter with counts (by mpi.Alltoallv)", Kind: Collective, sends: each, recvs: one, expect: mineFromRoot, call: scatterv},
		{Name: "Alltoallv", About: "Alltoall with counts", Kind: Collective, sends: each, recvs: each, expect: mineFromAll,
			call: func(e *env, i int) error {
				return mpi.Alltoallv(e.c, e.out(i), e.counts, e.displs, e.in(i), e.counts, e.displs)
			}},
	}
}

// scatterv is always from rank 0: every rank expects a message from it alone.
func scatterv(e *env, i int) error {
	scounts := e.zeros
	if e.rank == 0 {
		scounts = e.counts
	}
	return mpi.Alltoallv(e.c, e.out(i), scounts, e.displs, e.in(i), e.fromZero, e.zeros)
}
