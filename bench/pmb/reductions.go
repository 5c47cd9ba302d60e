package pmb

import "rhinet/mpi"

func reductions() []Benchmark {
	return []Benchmark{
		test("Reduce", "sum of float32 values on one rank", Collective, 0, Benchmark{floats: true, shift: true, sends: one, recvs: one,
			expectSum: func(e *env) (int, int) {
				if e.rank != e.root {
					return 0, 0
				}
				return 0, e.n / 4
			},
			call: func(e *env, i int) error { return mpi.Reduce(e.c, e.outF(i), e.inF(i), mpi.Sum, e.root) }}),
		test("Allreduce", "sum of float32 values on all ranks", Collective, 0, Benchmark{floats: true, sends: one, recvs: one,
			expectSum: func(e *env) (int, int) { return 0, e.n / 4 },
			call:      func(e *env, i int) error { return mpi.Allreduce(e.c, e.outF(i), e.inF(i), mpi.Sum) }}),
		test("Reduce_scatter", "sum of float32 values, a share on each rank", Collective, 0, Benchmark{floats: true, sends: one, recvs: one,
			expectSum: func(e *env) (int, int) { return e.places[e.rank], e.shares[e.rank] },
			call: func(e *env, i int) error {
				return mpi.ReduceScatter(e.c, e.outF(i), e.inF(i)[:e.shares[e.rank]], e.shares, mpi.Sum)
			}}),
	}
}
