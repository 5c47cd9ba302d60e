package pmb

import "rhinet/mpi"

func reductions() []Benchmark {
	return []Benchmark{
		{Name: "Reduce", About: "sum of float32 values on one rank", Kind: Collective, floats: true, shift: true, sends: one, recvs: one,
			expectSum: func(e *env) (int, int) {
				if e.rank != e.root {
					return 0, 0
				}
				return 0, e.n / 4
			},
			call: func(e *env, i int) error { return mpi.Reduce(e.c, e.outF(i), e.inF(i), mpi.Sum, e.root) }},
		{Name: "Allreduce", About: "sum of float32 values on all ranks", Kind: Collective, floats: true, sends: one, recvs: one,
			expectSum: func(e *env) (int, int) { return 0, e.n / 4 },
			call:      func(e *env, i int) error { return mpi.Allreduce(e.c, e.outF(i), e.inF(i), mpi.Sum) }},
		{Name: "Reduce_scatter", About: "sum of float32 values, a share on each rank", Kind: Collective, floats: true, sends: one, recvs: one,
			expectSum: func(e *env) (int, int) { return e.places[e.rank], e.shares[e.rank] },
			call: func(e *env, i int) error {
				return mpi.ReduceScatter(e.c, e.outF(i), e.inF(i)[:e.shares[e.rank]], e.shares, mpi.Sum)
			}},
	}
}
