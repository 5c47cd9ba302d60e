package traffic

import (
	"fmt"
	"time"

	"rhinet/mpi"
)

// Flood has pairs of ranks exchange long messages repeatedly, and send rank 0 a numbered message for each
// round; rank 0 sleeps first and then receives all of these from any source. While it sleeps its rings are
// full, so every network must refuse packets while answers wait.
func Flood(world *mpi.Comm, rounds, bytes int, sleep time.Duration) error {
	if world.Size() < 3 || world.Size()%2 == 0 {
		return fmt.Errorf("traffic: flood wants an odd number of ranks, 3 at least, not %d", world.Size())
	}
	if world.Rank() == 0 {
		time.Sleep(sleep)
		if err := collect(world, rounds); err != nil {
			return fmt.Errorf("traffic: flood: %w", err)
		}
		return mpi.Barrier(world)
	}
	partner := (world.Rank() - 1 ^ 1) + 1
	for round := range rounds {
		if err := exchangeLong(world, partner, round, bytes); err != nil {
			return fmt.Errorf("traffic: flood: rank %d, round %d: %w", world.Rank(), round, err)
		}
	}
	return mpi.Barrier(world)
}

// Tags of a flood, and size of the messages to rank 0.
const (
	longTag   = 4
	noteTag   = 5
	noteBytes = 1 << 10
)

// exchangeLong is one round of a rank other than 0.
func exchangeLong(c *mpi.Comm, partner, round, bytes int) error {
	in, out, note := room(bytes), make([]byte, bytes), make([]byte, noteBytes)
	keyOf(1, c.Rank(), round, 0).fill(out)
	keyOf(2, c.Rank(), round, 0).fill(note)
	receive := mpi.Irecv(c, in, partner, longTag)
	err := mpi.WaitAll(receive, mpi.Isend(c, out, partner, longTag), mpi.Isend(c, note, 0, noteTag))
	if err != nil {
		return err
	}
	if at := keyOf(1, partner, round, 0).differs(in); at >= 0 || !intact(in) {
		return fmt.Errorf("what rank %d sent is wrong at byte %d of %d", partner, at, bytes)
	}
	return nil
}

// collect receives the messages to rank 0, and checks that none overtakes another.
func collect(c *mpi.Comm, rounds int) error {
	next := make([]int, c.Size())
	note := room(noteBytes)
	for range rounds * (c.Size() - 1) {
		st, err := mpi.Recv(c, note, mpi.AnySource, noteTag)
		if err != nil {
			return err
		}
		if at := keyOf(2, st.Source, next[st.Source], 0).differs(note); at >= 0 || st.Count != noteBytes || !intact(note) {
			return fmt.Errorf("after %d messages of rank %d another one came than the next, %+v", next[st.Source], st.Source, st)
		}
		next[st.Source]++
	}
	for r, n := range next[1:] {
		if n != rounds {
			return fmt.Errorf("%d messages of rank %d, not %d", n, r+1, rounds)
		}
	}
	return nil
}

// Everybody runs Alltoall with the given bytes between any two ranks, rounds times.
func Everybody(world *mpi.Comm, rounds, bytes int) error {
	n, me := world.Size(), world.Rank()
	out, in := make([]byte, n*bytes), make([]byte, n*bytes)
	for round := range rounds {
		for r := range n {
			keyOf(3, me, r, round).fill(out[r*bytes : (r+1)*bytes])
		}
		if err := mpi.Alltoall(world, out, in); err != nil {
			return fmt.Errorf("traffic: alltoall: rank %d, round %d: %w", me, round, err)
		}
		for r := range n {
			if at := keyOf(3, r, me, round).differs(in[r*bytes : (r+1)*bytes]); at >= 0 {
				return fmt.Errorf("traffic: alltoall: rank %d, round %d: byte %d of %d from rank %d is wrong", me, round, at, bytes, r)
			}
		}
	}
	return nil
}
