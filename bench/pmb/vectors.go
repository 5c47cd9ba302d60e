package pmb

import "rhinet/mpi"

// vectors are the collectives with counts, all equal here.
func vectors() []Benchmark {
	return []Benchmark{
		{Name: "Allgatherv", About: "Allgather with counts", Kind: Collective, sends: one, recvs: each, expect: fromAll,
			call: func(e *env, i int) error {
				return mpi.Allgatherv(e.c, e.out(i), e.in(i), e.counts, e.displs)
			}},
		{Name: "Gatherv", About: "Gather with counts", Kind: Collective, shift: true, sends: one, recvs: each, expect: fromAllAtRoot,
			call: func(e *env, i int) error {
				return mpi.Gatherv(e.c, e.out(i), e.in(i), e.counts, e.displs, e.root)
			}},
		{Name: "Scatterv", About: "Scatter with counts", Kind: Collective, shift: true, sends: each, recvs: one, expect: mineFromRoot,
			call: func(e *env, i int) error {
				return mpi.Scatterv(e.c, e.out(i), e.counts, e.displs, e.in(i), e.root)
			}},
		{Name: "Alltoallv", About: "Alltoall with counts", Kind: Collective, sends: each, recvs: each, expect: mineFromAll,
			call: func(e *env, i int) error {
				return mpi.Alltoallv(e.c, e.out(i), e.counts, e.displs, e.in(i), e.counts, e.displs)
			}},
	}
}
