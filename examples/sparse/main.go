// Sparse exchanges data between ranks that do not know who sends to them, as when bodies move to other
// parts of a divided space. A synchronous send is complete when its message is being received. So a rank
// whose sends are complete enters a nonblocking barrier, and receives until that ends: then all messages
// have arrived. Nobody has to count or announce them.
package main

import (
	"fmt"
	"math/rand/v2"

	"rhinet/mpi"
)

const (
	rounds    = 20
	perRank   = 500  // bodies of each rank
	leaving   = 0.05 // part of them that changes its place in a round
	neighbors = 3    // ranks to either side that they can reach
)

func main() { mpi.Main(run) }

// A body is known by its number. It moves by chance, which depends only on its number and the round.
type body struct {
	Number int
	Place  int // the rank that has it
	Moves  int
}

// move returns the body after a round.
func (b body) move(round, ranks int) body {
	rnd := rand.New(rand.NewPCG(uint64(b.Number), uint64(round)))
	if rnd.Float64() < leaving {
		b.Place = (b.Place + rnd.IntN(2*neighbors+1) + ranks*neighbors - neighbors) % ranks
		b.Moves++
	}
	return b
}

func run(world *mpi.Comm) error {
	me, n := world.Rank(), world.Size()
	var mine []body
	for i := range perRank {
		mine = append(mine, body{Number: me*perRank + i, Place: me})
	}
	moved := 0
	for round := range rounds {
		leave := map[int][]body{}
		var stay []body
		for _, b := range mine {
			if b = b.move(round, n); b.Place == me {
				stay = append(stay, b)
			} else {
				leave[b.Place] = append(leave[b.Place], b)
				moved++
			}
		}
		arrived, err := exchange(world, leave, round%2)
		if err != nil {
			return err
		}
		mine = append(stay, arrived...)
	}
	return check(world, mine, moved)
}

// exchange sends the bodies that leave to their places, and returns those that arrive. Exchanges that follow
// each other have different tags: a rank may send for the next one while others still receive for this one.
func exchange(world *mpi.Comm, leave map[int][]body, tag int) (arrived []body, err error) {
	var sends []*mpi.Request
	for place, bodies := range leave {
		sends = append(sends, mpi.Issend(world, bodies, place, tag))
	}
	for sent := false; !sent; {
		if arrived, err = take(world, arrived, tag); err != nil {
			return nil, err
		}
		if _, sent, err = mpi.TestAll(sends...); err != nil {
			return nil, err
		}
	}
	barrier := mpi.Ibarrier(world)
	for over := false; !over; {
		if arrived, err = take(world, arrived, tag); err != nil {
			return nil, err
		}
		if _, over, err = barrier.Test(); err != nil {
			return nil, err
		}
	}
	return arrived, nil
}

// take adds the bodies of a message that is here, if there is one, to those that have arrived.
func take(world *mpi.Comm, arrived []body, tag int) ([]body, error) {
	m, st, found, err := mpi.Improbe(world, mpi.AnySource, tag)
	if err != nil || !found {
		return arrived, err
	}
	bodies := make([]body, mpi.Count[body](st))
	if _, err := mpi.Mrecv(m, bodies); err != nil {
		return nil, err
	}
	return append(arrived, bodies...), nil
}

// check compares the bodies of this rank with what a rank alone finds.
func check(world *mpi.Comm, mine []body, moved int) error {
	me, n := world.Rank(), world.Size()
	want := map[int]body{}
	for number := range n * perRank {
		b := body{Number: number, Place: number / perRank}
		for round := range rounds {
			b = b.move(round, n)
		}
		if b.Place == me {
			want[number] = b
		}
	}
	for _, b := range mine {
		if want[b.Number] != b {
			return fmt.Errorf("body %+v is here, want %+v", b, want[b.Number])
		}
		delete(want, b.Number)
	}
	if len(want) > 0 {
		return fmt.Errorf("%d bodies have not arrived", len(want))
	}
	sum := []int{0}
	err := mpi.Reduce(world, []int{moved}, sum, mpi.Sum, 0)
	if me == 0 {
		fmt.Printf("%d bodies went to other ranks in %d rounds, and all arrived\n", sum[0], rounds)
	}
	return err
}
