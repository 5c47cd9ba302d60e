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
		{Name: "Reduce_scatter", About: "sum of float32 values, a share on each rank (uneven ones by Reduce and mpi.Alltoallv)", Kind: Collective, floats: true, sends: one, recvs: one,
			expectSum: func(e *env) (int, int) { return e.places[e.rank], e.shares[e.rank] },
			call:      reduceScatter},
	}
}

// reduceScatter uses the call there is where the shares are equal, and what a
// program writes instead where they are not.
func reduceScatter(e *env, i int) error {
	in, mine := e.inF(i), e.shares[e.rank]
	if e.n/4%e.size == 0 {
		return mpi.ReduceScatterBlock(e.c, e.outF(i), in[:mine], mpi.Sum)
	}
	if err := mpi.Reduce(e.c, e.outF(i), e.whole, mpi.Sum, 0); err != nil {
		return err
	}
	scounts := e.zeros
	if e.rank == 0 {
		scounts = e.shares
	}
	return mpi.Alltoallv(e.c, e.whole, scounts, e.places, in[:mine], e.fromZero, e.zeros)
}
