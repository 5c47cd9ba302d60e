package pmb

import (
	"strings"

	"rhinet/mpi"
)

// windows returns the benchmarks with many messages in flight. bw and bibw are the first two on two ranks,
// printed as by the OSU benchmarks.
func windows() []Benchmark {
	w := func(name, about string, both bool) Benchmark {
		b := test(name, about, Window, 1, Benchmark{pairs: true, loop: uniband, sends: one, recvs: one, expect: fromLower})
		if both {
			b.Moves, b.loop, b.expect = 2, biband, fromPartner
		}
		b.Peers = strings.HasSuffix(name, "band") // the others are the same
		return b
	}
	return []Benchmark{
		w("Uniband", "a window of messages from the first half of the ranks to the second", false),
		w("Biband", "windows of messages both ways between the halves of the ranks", true),
		w("bw", "Uniband on two ranks, printed as by osu_bw", false),
		w("bibw", "Biband on two ranks, printed as by osu_bibw", true),
	}
}

// partner returns the rank at the other end, in the other half.
func (e *env) partner() int { return (e.rank + e.size/2) % e.size }

func fromPartner(e *env) []piece { return []piece{{e.partner(), 0}} }

func fromLower(e *env) []piece {
	if e.rank < e.size/2 {
		return nil
	}
	return fromPartner(e)
}

func uniband(e *env, reps int) error {
	p := e.partner()
	for i := range reps {
		if e.rank < e.size/2 {
			for k := range e.window {
				*e.requests[k] = *mpi.Isend(e.c, e.out(i), p, tag)
			}
			if err := mpi.WaitAll(e.requests[:e.window]...); err != nil {
				return err
			}
			if _, err := mpi.Recv(e.c, e.ack[:], p, tag+1); err != nil {
				return err
			}
			continue
		}
		for k := range e.window {
			*e.requests[k] = *mpi.Irecv(e.c, e.in(i), p, tag)
		}
		if err := mpi.WaitAll(e.requests[:e.window]...); err != nil {
			return err
		}
		if err := mpi.Send(e.c, e.ack[:], p, tag+1); err != nil {
			return err
		}
	}
	return nil
}

func biband(e *env, reps int) error {
	p := e.partner()
	for i := range reps {
		for k := range e.window {
			*e.requests[k] = *mpi.Irecv(e.c, e.in(i), p, tag)
		}
		for k := range e.window {
			*e.requests[e.window+k] = *mpi.Isend(e.c, e.out(i), p, tag)
		}
		if err := mpi.WaitAll(e.requests...); err != nil {
			return err
		}
	}
	return nil
}
