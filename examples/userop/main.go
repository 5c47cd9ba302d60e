// Userop finds the run of numbers with the largest sum in a sequence that is spread over all ranks, by a
// user-defined operation that does not commute.
package main

import (
	"fmt"

	"rhinet/mpi"
)

// A span describes a stretch of the sequence by sums: of the whole, and of the best run at its start, at
// its end, and anywhere.
type span struct{ All, Head, Tail, Best int }

// join joins stretches: in lies to the left of inout.
func join(in, inout []span) {
	for i, l := range in {
		r := inout[i]
		inout[i] = span{
			All:  l.All + r.All,
			Head: max(l.Head, l.All+r.Head),
			Tail: max(r.Tail, r.All+l.Tail),
			Best: max(l.Best, r.Best, l.Tail+r.Head),
		}
	}
}

const each = 50

// number returns element i of the sequence.
func number(i int) int { return (i*7919+13)%41 - 20 }

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	mine := stretch(world.Rank()*each, (world.Rank()+1)*each)
	all := make([]span, 1)
	if err := mpi.Allreduce(world, []span{mine}, all, mpi.OpFunc(join)); err != nil {
		return err
	}
	if want := stretch(0, world.Size()*each); all[0] != want {
		return fmt.Errorf("got %+v, want %+v", all[0], want)
	}
	if world.Rank() == 0 {
		fmt.Printf("the best run of %d numbers adds up to %d\n", world.Size()*each, all[0].Best)
	}
	return nil
}

func stretch(from, to int) span {
	v := number(from)
	s := []span{{v, v, v, v}}
	for i := from + 1; i < to; i++ {
		v = number(i)
		next := []span{{v, v, v, v}}
		join(s, next)
		s = next
	}
	return s[0]
}
