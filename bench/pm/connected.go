package pm

import (
	"fmt"
	"time"

	"rhinet/bench"
	"rhinet/mpi"
)

// Connected measures round trips over MPI depending on the number of idle peers that a rank is connected
// to. P9 (pm-messaging, section 2.3) measures this for a message layer; here it is measured for the
// runtime, with whichever layer it uses.
//
// Two pairs of one job play in turn, so that everything else is equal: ranks 0 and 1 are connected to a few
// of the idle ranks, ranks 2 and 3 to all of them. Ranks that are not playing block in Recv, which goes to
// sleep after a millisecond.
type Connected struct {
	Few    int           // idle peers of the first pair
	Sizes  []int         // bytes
	Rounds int           // in each of them both pairs play; which one begins alternates
	Budget time.Duration // of one pair in one round
}

// players are the ranks of the two pairs. The ranks from players on are idle.
const players = 4

const (
	tagGreeting = 1 + iota // messages by which peers become connected
	tagOrder               // what to play, or that the measurement is over
	tagBall
	tagTime
)

// Many returns how many idle peers the second pair has in a job of the given number of ranks.
func (c Connected) Many(ranks int) int { return ranks - players }

// Check returns an error if the measurement cannot run in a job of the given number of ranks.
func (c Connected) Check(ranks int) error {
	switch {
	case c.Rounds < 1 || c.Budget <= 0:
		return fmt.Errorf("%w: %d rounds of %v; give one or more, and a positive duration, such as 20ms", bench.ErrInput, c.Rounds, c.Budget)
	case c.Few < 0:
		return fmt.Errorf("%w: %d idle peers; give 0 or more", bench.ErrInput, c.Few)
	case c.Many(ranks) <= c.Few:
		return fmt.Errorf("%w: two pairs, of which one is connected with more than %d idle peers, take at least %d ranks, there are %d; "+
			"start it with mpirun -n %d", bench.ErrInput, c.Few, players+c.Few+1, ranks, players+64)
	}
	for _, n := range c.Sizes {
		if n < 0 || n > 1<<30 {
			return fmt.Errorf("%w: size %d is not between 0 and 1073741824 bytes", bench.ErrInput, n)
		}
	}
	return nil
}

// Run measures in world; all ranks call it with the same arguments. On rank 0 it reports the microseconds
// of a round trip between ranks that are connected to the given number of idle peers.
func (c Connected) Run(world *mpi.Comm, report func(round, peers, bytes int, usec float64)) error {
	if err := c.connect(world); err != nil {
		return err
	}
	switch me := world.Rank(); {
	case me == 0:
		return c.lead(world, report)
	case me < players:
		return follow(world)
	}
	var o order
	_, err := mpi.Recv(world, o[:], 2, tagOrder) // until the measurement is over
	return err
}

// connect exchanges messages between all ranks that are to be connected: a player and its partner, and then
// the player and its idle peers.
func (c Connected) connect(world *mpi.Comm) error {
	me := world.Rank()
	if me >= players { // in the order in which the players greet
		for p := range players {
			if p >= 2 || me < players+c.Few {
				if err := greet(world, p); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := greet(world, me^1); err != nil {
		return err
	}
	end := players + c.Few
	if me >= 2 {
		end = world.Size()
	}
	for peer := players; peer < end; peer++ {
		if err := greet(world, peer); err != nil {
			return err
		}
	}
	return nil
}

// greetings is how many messages two ranks exchange each way. With the first one the layer asks for a ring,
// if it has rings, and later ones travel in the ring.
const greetings = 4

func greet(world *mpi.Comm, peer int) error {
	var out, in [1]byte
	for range greetings {
		if _, err := mpi.Sendrecv(world, out[:], peer, tagGreeting, in[:], peer, tagGreeting); err != nil {
			return err
		}
	}
	return nil
}

// An order tells a pair what to play: the bytes and the number of repetitions, which is 0 at the end.
type order [2]int64

// lead runs on rank 0, which plays in the first pair and orders the second pair to play.
func (c Connected) lead(world *mpi.Comm, report func(round, peers, bytes int, usec float64)) error {
	few := func(o order) (float64, error) {
		if err := mpi.Send(world, o[:], 1, tagOrder); err != nil {
			return 0, err
		}
		return play(world, o)
	}
	many := func(o order) (float64, error) {
		var t [1]float64
		if err := mpi.Send(world, o[:], 2, tagOrder); err != nil {
			return 0, err
		}
		_, err := mpi.Recv(world, t[:], 2, tagTime)
		return t[0], err
	}
	pairs := []struct {
		peers int
		play  func(order) (float64, error)
	}{{c.Few, few}, {c.Many(world.Size()), many}}
	for _, n := range c.Sizes {
		o := order{int64(n), probes}
		for range 2 { // the first call warms up
			once, err := few(o)
			if err != nil {
				return err
			}
			o[1] = min(max(int64(c.Budget.Seconds()/once), 1), maxReps)
		}
		for round := range c.Rounds {
			for i := range pairs {
				p := pairs[(round+i)%len(pairs)]
				t, err := p.play(o)
				if err != nil {
					return err
				}
				report(round, p.peers, n, t*1e6)
			}
		}
	}
	var end order
	if err := mpi.Send(world, end[:], 1, tagOrder); err != nil {
		return err
	}
	return mpi.Send(world, end[:], 2, tagOrder)
}

// Repetitions: those that estimate the time of one, and the maximum.
const (
	probes  = 50
	maxReps = 1_000_000
)

// follow runs on ranks 1 to 3, which do what the rank before them orders. Rank 2 leads the second pair, and
// tells all idle ranks when the measurement is over.
func follow(world *mpi.Comm) error {
	me := world.Rank()
	leader := me &^ 1
	if me == 2 {
		leader = 0
	}
	for {
		var o order
		if _, err := mpi.Recv(world, o[:], leader, tagOrder); err != nil {
			return err
		}
		if me == 2 {
			last := 3
			if o[1] == 0 {
				last = world.Size() - 1
			}
			for to := 3; to <= last; to++ {
				if err := mpi.Send(world, o[:], to, tagOrder); err != nil {
					return err
				}
			}
		}
		if o[1] == 0 {
			return nil
		}
		t, err := play(world, o)
		if err == nil && me == 2 {
			err = mpi.Send(world, []float64{t}, 0, tagTime)
		}
		if err != nil {
			return err
		}
	}
}

// play is the ping-pong of a pair. It returns the seconds of a round trip. The repetitions before the clock
// starts give the other pair time to go to sleep.
func play(world *mpi.Comm, o order) (float64, error) {
	me := world.Rank()
	partner, ball := me^1, make([]byte, o[0])
	warm := int(o[1]/4) + 20
	var start float64
	for i := range warm + int(o[1]) {
		if i == warm {
			start = mpi.Wtime()
		}
		if me%2 == 0 {
			if err := mpi.Send(world, ball, partner, tagBall); err != nil {
				return 0, err
			}
		}
		if _, err := mpi.Recv(world, ball, partner, tagBall); err != nil {
			return 0, err
		}
		if me%2 == 1 {
			if err := mpi.Send(world, ball, partner, tagBall); err != nil {
				return 0, err
			}
		}
	}
	return max((mpi.Wtime()-start)/float64(o[1]), 1e-9), nil
}
