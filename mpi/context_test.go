package mpi_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"rhinet/mpi"
)

// Communicators that different goroutines make at once do not wait for each other: here
// a rank makes one of itself alone while its Dup of the world waits for the other rank,
// which waits for the first one.
func TestACommunicatorOfOneRankWaitsForNobody(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		self, err := w.Split(w.Rank(), 0)
		if err != nil {
			return err
		}
		if w.Rank() == 1 {
			if _, err := mpi.Recv(w, []int{0}, 0, 1); err != nil {
				return err
			}
			c, err := w.Dup()
			return errors.Join(err, mpi.Barrier(c))
		}
		begun := make(chan struct{})
		made := make(chan error)
		go func() {
			close(begun)
			c, err := w.Dup()
			if err == nil {
				err = mpi.Barrier(c)
			}
			made <- err
		}()
		<-begun
		for range 20 {
			d, err := self.Dup()
			if err != nil {
				return err
			}
			if err := d.Free(); err != nil {
				return err
			}
		}
		return errors.Join(mpi.Send(w, []int{0}, 1, 1), <-made)
	})
}

// Goroutines make communicators of overlapping groups, each rank in a different order:
// only calls on one communicator need an order.
func TestCommunicatorsOfOverlappingGroupsMadeAtOnce(t *testing.T) {
	const ranks, lines = 4, 5
	everywhere(t, ranks, func(w *mpi.Comm) error {
		parents := make([]*mpi.Comm, lines)
		for i := range parents {
			color := 0
			if i < ranks && w.Rank() == i { // all but rank i
				color = mpi.Undefined
			}
			var err error
			if parents[i], err = w.Split(color, 0); err != nil {
				return err
			}
		}
		var all sync.WaitGroup
		errs := make([]error, lines)
		for k := range lines {
			i := (k + w.Rank()) % lines // another order on every rank
			if parents[i] == nil {
				continue
			}
			all.Go(func() { errs[i] = comeAndGo(parents[i], i) })
		}
		all.Wait()
		return errors.Join(errs...)
	})
}

// comeAndGo makes and frees communicators, and makes a sum on each.
func comeAndGo(parent *mpi.Comm, salt int) error {
	for round := range 20 {
		c, err := parent.Split(parent.Rank()%2, -parent.Rank())
		if err != nil {
			return err
		}
		sum := []int{0}
		err = errors.Join(mpi.Allreduce(c, []int{1000*salt + round}, sum, mpi.Sum),
			equal("sum", sum[0], c.Size()*(1000*salt+round)))
		if c.Size() > 1 {
			in := []int{0}
			_, e := mpi.Sendrecv(c, []int{salt}, (c.Rank()+1)%c.Size(), round, in, (c.Rank()+c.Size()-1)%c.Size(), round)
			err = errors.Join(err, e, equal("from the left", in[0], salt))
		}
		if err = errors.Join(err, c.Free()); err != nil {
			return fmt.Errorf("line %d, round %d: %w", salt, round, err)
		}
	}
	return nil
}

// Ranks that are in different numbers of communicators use different contexts for a
// common one.
func TestRanksKnowACommunicatorByDifferentContexts(t *testing.T) {
	everywhere(t, 4, func(w *mpi.Comm) error {
		self, err := w.Split(w.Rank(), 0)
		if err != nil {
			return err
		}
		for range 5 * w.Rank() { // rank r is in 5r more
			if _, err := self.Dup(); err != nil {
				return err
			}
		}
		c, err := w.Split(0, -w.Rank())
		if err != nil {
			return err
		}
		d, err := c.Dup()
		if err != nil {
			return err
		}
		for _, c := range []*mpi.Comm{c, d} {
			for _, n := range []int{1, 5000, 60000} {
				if err := exchangeAll(c, n); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// exchangeAll sends n numbers between all ranks of c, by messages of each mode
// and by collective calls.
func exchangeAll(c *mpi.Comm, n int) error {
	var reqs []*mpi.Request
	in := make([][]int, c.Size())
	for r := range in {
		in[r] = make([]int, n)
		reqs = append(reqs, mpi.Irecv(c, in[r], r, n), mpi.Issend(c, sequence(n, c.Rank()), r, n))
	}
	if err := mpi.WaitAll(reqs...); err != nil {
		return err
	}
	for r := range in {
		if err := equalAll(fmt.Sprint("from ", r), in[r], sequence(n, r)); err != nil {
			return err
		}
	}
	sums := make([]int, n)
	if err := mpi.Allreduce(c, sequence(n, c.Rank()), sums, mpi.Sum); err != nil {
		return err
	}
	return equal("last sum", sums[n-1], c.Size()*(n-1)+c.Size()*(c.Size()-1)/2)
}

// A message never received on a freed communicator never matches on another one, also
// after all contexts have been used.
func TestWhatIsLeftOnAFreedCommunicatorIsNeverReceived(t *testing.T) {
	rounds := 4300 // more than there are contexts
	if testing.Short() {
		rounds = 1000
	}
	everywhere(t, 2, func(w *mpi.Comm) error {
		for round := range rounds {
			c, err := w.Dup()
			if err != nil {
				return err
			}
			if w.Rank() == 0 {
				err = errors.Join(mpi.Send(c, []int{-1}, 1, 5), mpi.Send(c, []int{round}, 1, 6), mpi.Send(c, make([]int, 100), 1, 5))
			} else {
				got := []int{0}
				_, err = mpi.Recv(c, got, 0, 6)
				err = errors.Join(err, equal("number", got[0], round))
			}
			if round%2 == 0 { // the other half may arrive after Free
				err = errors.Join(err, mpi.Barrier(w))
			}
			if err = errors.Join(err, c.Free()); err != nil {
				return fmt.Errorf("round %d: %w", round, err)
			}
			if w.Rank() == 1 && round%500 == 0 {
				if err := nothingWaits(w); err != nil {
					return fmt.Errorf("round %d: %w", round, err)
				}
			}
		}
		return nil
	})
}

// nothingWaits returns an error if a message waits. w.Rank() is 1.
func nothingWaits(w *mpi.Comm) error {
	_, found, err := mpi.Iprobe(w, mpi.AnySource, mpi.AnyTag)
	return errors.Join(err, equal("a message waits", found, false))
}

// A send that waits for its receive ends with an error when its receiver has freed the
// communicator without one.
func TestFreeEndsSendsWithoutAReceive(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		if w.Rank() == 0 {
			long := mpi.Issend(c, make([]float64, 100000), 1, 1)
			short := mpi.Issend(c, []int32{1}, 1, 2)
			err := c.Free()
			_, e1 := long.Wait()
			_, e2 := short.Wait()
			const text = "mpi: Issend on world.dup1 to 1 tag %d: the receiver has freed the communicator, or called Finalize, and has not received the message"
			return errors.Join(err, is(e1, mpi.ErrComm, fmt.Sprintf(text, 1)), is(e2, mpi.ErrComm, fmt.Sprintf(text, 2)))
		}
		return c.Free()
	})
}
