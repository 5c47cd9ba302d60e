package pmb

import "rhinet/mpi"

func collectives() []Benchmark {
	return []Benchmark{
		test("Bcast", "one rank's message to all", Collective, 0, Benchmark{shift: true, call: bcast, sends: one, recvs: one, expect: func(e *env) []piece {
			if e.rank == e.root {
				return nil
			}
			return []piece{{e.root, 0}}
		}}),
		test("Allgather", "every rank's message to all", Collective, 0, Benchmark{sends: one, recvs: each, expect: fromAll,
			call: func(e *env, i int) error { return mpi.Allgather(e.c, e.out(i), e.in(i)) }}),
		test("Gather", "every rank's message to one", Collective, 0, Benchmark{shift: true, sends: one, recvs: each, expect: fromAllAtRoot,
			call: func(e *env, i int) error { return mpi.Gather(e.c, e.out(i), e.in(i), e.root) }}),
		test("Scatter", "a message of its own from one rank to each", Collective, 0, Benchmark{shift: true, sends: each, recvs: one, expect: mineFromRoot,
			call: func(e *env, i int) error { return mpi.Scatter(e.c, e.out(i), e.in(i), e.root) }}),
		test("Alltoall", "a message of its own from each rank to each", Collective, 0, Benchmark{sends: each, recvs: each, expect: mineFromAll,
			call: func(e *env, i int) error { return mpi.Alltoall(e.c, e.out(i), e.in(i)) }}),
	}
}

func bcast(e *env, i int) error {
	buf := e.in(i)
	if e.rank == e.root {
		buf = e.out(i)
	}
	return mpi.Bcast(e.c, buf, e.root)
}

func fromAll(e *env) (pieces []piece) {
	for r := range e.size {
		pieces = append(pieces, piece{r, 0})
	}
	return pieces
}

func fromAllAtRoot(e *env) []piece {
	if e.rank != e.root {
		return nil
	}
	return fromAll(e)
}

func mineFromRoot(e *env) []piece { return []piece{{e.root, e.rank * e.n}} }

func mineFromAll(e *env) (pieces []piece) {
	for r := range e.size {
		pieces = append(pieces, piece{r, e.rank * e.n})
	}
	return pieces
}

func barrier() Benchmark {
	return test("Barrier", "all ranks wait for each other", Sync, 0, Benchmark{sends: none, recvs: none,
		expect: func(*env) []piece { return nil },
		loop: func(e *env, reps int) error {
			for range reps {
				if err := mpi.Barrier(e.c); err != nil {
					return err
				}
			}
			return nil
		}})
}
