package pmb

import "rhinet/mpi"

const tag = 1

func transfers() []Benchmark {
	all := []Benchmark{
		test("PingPong", "half the time of a round trip between two ranks", Single, 1, Benchmark{loop: pingPong, sends: one, recvs: one, expect: fromOther}),
		test("PingPing", "two ranks send to each other at once", Single, 1, Benchmark{loop: pingPing, sends: one, recvs: one, expect: fromOther}),
		test("Sendrecv", "a chain: receive from the left, send to the right", Parallel, 2, Benchmark{loop: sendrecv, sends: one, recvs: one, expect: fromLeft}),
		test("Exchange", "send to and receive from both neighbours", Parallel, 4, Benchmark{loop: exchange, sends: one, recvs: two, expect: fromBoth}),
	}
	all[0].Scale = 0.5
	return all
}

func fromOther(e *env) []piece { return []piece{{1 - e.rank, 0}} }
func fromLeft(e *env) []piece  { return []piece{{e.left(), 0}} }
func fromBoth(e *env) []piece  { return []piece{{e.left(), 0}, {e.right(), 0}} }

func (e *env) left() int  { return (e.rank + e.size - 1) % e.size }
func (e *env) right() int { return (e.rank + 1) % e.size }

func pingPong(e *env, reps int) error {
	for i := range reps {
		if e.rank == 0 {
			if err := mpi.Send(e.c, e.out(i), 1, tag); err != nil {
				return err
			}
		}
		if _, err := mpi.Recv(e.c, e.in(i), 1-e.rank, tag); err != nil {
			return err
		}
		if e.rank == 1 {
			if err := mpi.Send(e.c, e.out(i), 0, tag); err != nil {
				return err
			}
		}
	}
	return nil
}

func pingPing(e *env, reps int) error {
	for i := range reps {
		r := mpi.Isend(e.c, e.out(i), 1-e.rank, tag)
		if _, err := mpi.Recv(e.c, e.in(i), 1-e.rank, tag); err != nil {
			return err
		}
		if _, err := r.Wait(); err != nil {
			return err
		}
	}
	return nil
}

func sendrecv(e *env, reps int) error {
	left, right := e.left(), e.right()
	for i := range reps {
		if _, err := mpi.Sendrecv(e.c, e.out(i), right, tag, e.in(i), left, tag); err != nil {
			return err
		}
	}
	return nil
}

// exchange distinguishes messages from the left and from the right by their tags: on two ranks both come
// from the same rank.
func exchange(e *env, reps int) error {
	left, right := e.left(), e.right()
	for i := range reps {
		in := e.in(i)
		toRight := mpi.Isend(e.c, e.out(i), right, tag)
		toLeft := mpi.Isend(e.c, e.out(i), left, tag+1)
		if _, err := mpi.Recv(e.c, in[:e.n], left, tag); err != nil {
			return err
		}
		if _, err := mpi.Recv(e.c, in[e.n:], right, tag+1); err != nil {
			return err
		}
		if err := mpi.WaitAll(toRight, toLeft); err != nil {
			return err
		}
	}
	return nil
}
