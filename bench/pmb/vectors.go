package pmb

import "rhinet/mpi"

// vectors returns the collectives with counts, which are all equal here.
func vectors() []Benchmark {
	return []Benchmark{
		test("Allgatherv", "Allgather with counts", Collective, 0, Benchmark{sends: one, recvs: each, expect: fromAll,
			call: func(e *env, i int) error {
				return mpi.Allgatherv(e.c, e.out(i), e.in(i), e.counts, e.displs)
			}}),
		test("Gatherv", "Gather with counts", Collective, 0, Benchmark{shift: true, sends: one, recvs: each, expect: fromAllAtRoot,
			call: func(e *env, i int) error {
				return mpi.Gatherv(e.c, e.out(i), e.in(i), e.counts, e.displs, e.root)
			}}),
		test("Scatterv", "Scatter with counts", Collective, 0, Benchmark{shift: true, sends: each, recvs: one, expect: mineFromRoot,
			call: func(e *env, i int) error {
				return mpi.Scatterv(e.c, e.out(i), e.counts, e.displs, e.in(i), e.root)
			}}),
		test("Alltoallv", "Alltoall with counts", Collective, 0, Benchmark{sends: each, recvs: each, expect: mineFromAll,
			call: func(e *env, i int) error {
				return mpi.Alltoallv(e.c, e.out(i), e.counts, e.displs, e.in(i), e.counts, e.displs)
			}}),
	}
}
