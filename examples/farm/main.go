// Farm hands out work: rank 0 gives the next number to whichever rank is free and collects answers in the
// order in which they arrive (MPI_ANY_SOURCE).
package main

import (
	"fmt"

	"rhinet/mpi"
)

const (
	numbers = 200
	tagWork = 1
	tagStop = 2
)

// An answer says how many steps the Collatz sequence of Start takes to reach 1.
type answer struct{ Start, Steps int }

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	if world.Size() == 1 {
		longest := answer{}
		for n := 1; n <= numbers; n++ {
			longest = longer(longest, answer{n, collatz(n)})
		}
		return check(longest)
	}
	if world.Rank() == 0 {
		return master(world)
	}
	return worker(world)
}

func master(world *mpi.Comm) error {
	next, busy := 1, 0
	give := func(to int) error {
		if next > numbers {
			return mpi.Send[int](world, nil, to, tagStop)
		}
		next, busy = next+1, busy+1
		return mpi.Send(world, []int{next - 1}, to, tagWork)
	}
	for w := 1; w < world.Size(); w++ {
		if err := give(w); err != nil {
			return err
		}
	}
	longest := answer{}
	for busy > 0 {
		got := make([]answer, 1)
		st, err := mpi.Recv(world, got, mpi.AnySource, tagWork)
		if err != nil {
			return err
		}
		busy--
		longest = longer(longest, got[0])
		if err := give(st.Source); err != nil {
			return err
		}
	}
	return check(longest)
}

func worker(world *mpi.Comm) error {
	for {
		work := []int{0}
		st, err := mpi.Recv(world, work, 0, mpi.AnyTag)
		if err != nil || st.Tag == tagStop {
			return err
		}
		if err := mpi.Send(world, []answer{{work[0], collatz(work[0])}}, 0, tagWork); err != nil {
			return err
		}
	}
}

func collatz(n int) (steps int) {
	for ; n != 1; steps++ {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
	}
	return steps
}

func longer(a, b answer) answer {
	if b.Steps > a.Steps {
		return b
	}
	return a
}

func check(longest answer) error {
	if longest != (answer{171, 124}) {
		return fmt.Errorf("the longest sequence is %+v", longest)
	}
	fmt.Printf("below %d, %d takes longest: %d steps\n", numbers+1, longest.Start, longest.Steps)
	return nil
}
