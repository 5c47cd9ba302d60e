package mpi_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, section 7.4.2: ranks with one color form a group, ordered by key
// and, for equal keys, by their old rank; MPI_UNDEFINED gets none.
func TestSplitOrdersByKeyThenByRank(t *testing.T) {
	for n := 1; n <= 7; n++ {
		everywhere(t, n, func(w *mpi.Comm) error {
			color, key := w.Rank()%3, -(w.Rank() / 2)
			if color == 2 {
				color = mpi.Undefined
			}
			c, err := w.Split(color, key)
			if err != nil {
				return err
			}
			if color == mpi.Undefined {
				if c != nil {
					return fmt.Errorf("a rank without color got %s", c.Name())
				}
				return nil
			}
			var want []int
			for k := -n; k <= 0; k++ {
				for r := range n {
					if r%3 == color && -(r/2) == k {
						want = append(want, r)
					}
				}
			}
			got := make([]int, c.Size())
			if err := mpi.Allgather(c, []int{w.Rank()}, got); err != nil {
				return err
			}
			if err := equalAll(c.Name(), got, want); err != nil {
				return err
			}
			// ranks in messages and statuses are those of c
			right, left := (c.Rank()+1)%c.Size(), (c.Rank()+c.Size()-1)%c.Size()
			in := []int{0}
			st, err := mpi.Sendrecv(c, []int{w.Rank()}, right, 0, in, mpi.AnySource, 0)
			if err != nil {
				return err
			}
			if st.Source != left || in[0] != want[left] {
				return fmt.Errorf("got %d from %d, want %d from %d", in[0], st.Source, want[left], left)
			}
			return c.Free()
		})
	}
}

// MPI 4.1, section 7.4.2: communicators can be made of any communicator.
func TestRowsAndColumnsOfAGrid(t *testing.T) {
	everywhere(t, 6, func(w *mpi.Comm) error {
		row, err := w.Split(w.Rank()/3, 0)
		if err != nil {
			return err
		}
		col, err := w.Split(w.Rank()%3, 0)
		if err != nil {
			return err
		}
		half, err := row.Split(min(row.Rank(), 1), 5-row.Rank())
		if err != nil {
			return err
		}
		sums := []int{0, 0, 0}
		for i, c := range []*mpi.Comm{row, col, half} {
			if err := mpi.Allreduce(c, []int{w.Rank()}, sums[i:i+1], mpi.Sum); err != nil {
				return err
			}
		}
		r, k := w.Rank()/3, w.Rank()%3
		want := []int{9*r + 3, 2*k + 3, 3 * r}
		if k > 0 {
			want[2] = 6*r + 3
		}
		return equalAll("sums", sums, want)
	})
}

// MPI 4.1, section 7.4.2: communicators that all goroutines make at once, each from its
// own parent, must not share a context.
func TestCommunicatorsMadeAtOnceAreDistinct(t *testing.T) {
	const parents, rounds = 5, 10
	everywhere(t, 3, func(w *mpi.Comm) error {
		var from [parents]*mpi.Comm
		for i := range from {
			var err error
			if from[i], err = w.Dup(); err != nil {
				return err
			}
		}
		failed := make(chan error, parents)
		for i, p := range from {
			go func() {
				failed <- func() error {
					for j := range rounds {
						d, err := p.Dup()
						if err != nil {
							return err
						}
						got := []int{0}
						if err := mpi.Allreduce(d, []int{i*rounds + j}, got, mpi.Sum); err != nil {
							return err
						}
						if err := equal("sum", got[0], 3*(i*rounds+j)); err != nil {
							return err
						}
						if j%3 == 0 {
							if err := d.Free(); err != nil {
								return err
							}
						}
					}
					return nil
				}()
			}()
		}
		var err error
		for range from {
			if e := <-failed; err == nil {
				err = e
			}
		}
		return err
	})
}

// Contexts are a bounded set: when all are in use, Dup fails, and Free returns them.
func TestContextsRunOutAndComeBack(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		var made []*mpi.Comm
		for {
			d, err := w.Dup()
			if err != nil {
				if err := is(err, mpi.ErrComm, "mpi: Dup on world: all 4096 communicators and windows are in use; Free those that are not needed"); err != nil {
					return err
				}
				break
			}
			made = append(made, d)
		}
		if err := equal("communicators", len(made), 4095); err != nil {
			return err
		}
		for _, i := range []int{17, 4094} {
			if err := made[i].Free(); err != nil {
				return err
			}
		}
		for range 2 {
			d, err := w.Dup()
			if err != nil {
				return err
			}
			if err := mpi.Barrier(d); err != nil {
				return err
			}
		}
		_, err := w.Dup()
		return is(err, mpi.ErrComm, "")
	})
}

// Communicators that come and go reuse contexts and flag arrays, and never receive each
// other's messages.
func TestContextsAreUsedAgainCleanly(t *testing.T) {
	everywhere(t, 4, func(w *mpi.Comm) error {
		for i := range 60 {
			c, err := w.Split((w.Rank()+i)%(1+i%3), i)
			if err != nil {
				return err
			}
			for j := range i % 5 {
				got := []int{0}
				if err := mpi.Allreduce(c, []int{i + j}, got, mpi.Max); err != nil {
					return err
				}
				if err := equal("max", got[0], i+j); err != nil {
					return err
				}
			}
			if err := c.Free(); err != nil {
				return err
			}
		}
		return nil
	})
}

// Rank 0 frees a communicator with rank 1 and makes one with rank 2, which gets the
// same flag array. Rank 1 may be late, and must still find what rank 0 gave to the
// first one.
func TestAFlagArrayChangesHandsWhenAllHaveReadIt(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		with := func(peer int) (*mpi.Comm, error) {
			color := 0
			if w.Rank() != 0 && w.Rank() != peer {
				color = mpi.Undefined
			}
			return w.Split(color, 0)
		}
		first, err1 := with(1)
		second, err2 := with(2)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		turn := func(c *mpi.Comm, i int) error {
			if c == nil {
				return nil
			}
			d, err := c.Dup()
			if err != nil {
				return err
			}
			for j := range 3 {
				got := []int{0}
				if err := mpi.Allreduce(d, []int{i + j}, got, mpi.Max); err != nil {
					return err
				}
				if err := equal("max", got[0], i+j); err != nil {
					return err
				}
				if w.Rank() == 1 {
					runtime.Gosched()
				}
			}
			return d.Free()
		}
		for i := range 300 {
			if err := errors.Join(turn(first, i), turn(second, i)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Names tell communicators apart in messages.
func TestNamesSayWhereACommunicatorComesFrom(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		d, err := w.Dup()
		if err != nil {
			return err
		}
		s, err := d.Split(4, 0)
		if err != nil {
			return err
		}
		return equal("name", strings.Join([]string{w.Name(), d.Name(), s.Name()}, " "), "world world.dup1 world.dup1.split1(color 4)")
	})
}

// Several goroutines may make collective calls on one communicator if ranks agree on
// the order; a lock serializes those of one rank.
func TestCollectiveCallsOfGoroutinesAreKeptApart(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		var group sync.WaitGroup
		errs := make(chan error, 8)
		for range 8 {
			group.Go(func() {
				for range 20 {
					if err := mpi.Barrier(w); err != nil {
						errs <- err
						return
					}
				}
			})
		}
		group.Wait()
		close(errs)
		return <-errs
	})
}

// MPI 4.1, section 11.6: goroutines of one rank may make collective calls on different
// communicators at once, each in its own order, beside messages and calls on a
// communicator of some of the ranks.
func TestCollectiveCallsOnDifferentCommunicatorsGoOnAtOnce(t *testing.T) {
	const comms, rounds = 6, 12
	everywhere(t, 4, func(w *mpi.Comm) error {
		half, err := w.Split(w.Rank()/2, 0)
		if err != nil {
			return err
		}
		failed := make(chan error, comms)
		for i := range comms {
			from := w
			if i%3 == 2 {
				from = half
			}
			c, err := from.Dup()
			if err != nil {
				return err
			}
			go func() { failed <- manyCalls(c, i, rounds) }()
		}
		for range comms {
			err = errors.Join(err, <-failed)
		}
		return err
	})
}

// manyCalls makes a sequence of calls that depends on seed, and checks the results.
func manyCalls(c *mpi.Comm, seed, rounds int) error {
	rank, size := c.Rank(), c.Size()
	for k := range rounds {
		n := []int{1, 8, 300, 9000}[(seed+k)%4]
		in, out, all := sequence(n, rank+k), make([]int, n), make([]int, n*size)
		want := make([]int, n)
		for i := range want {
			want[i] = size*(i+k) + size*(size-1)/2
		}
		counts := make([]int, size)
		for r := range counts {
			counts[r] = (r + k) % 3 * n / 2
		}
		var err error
		got := out
		switch (seed*5 + k) % 7 {
		case 0:
			err = mpi.Allreduce(c, in, out, mpi.Sum)
		case 1:
			if err = mpi.Barrier(c); err == nil {
				err = mpi.Allreduce(c, in, out, mpi.Sum)
			}
		case 2:
			copy(out, in)
			want = sequence(n, k)
			err = mpi.Bcast(c, out, 0)
		case 3:
			for r := range size {
				want = append(want[:r*n], sequence(n, r+k)...)
			}
			got, err = all, mpi.Allgather(c, in, all)
		case 4:
			want, got = nil, make([]int, sum(counts))
			for r, m := range counts {
				want = append(want, sequence(m, r)...)
			}
			err = mpi.Allgatherv(c, sequence(counts[rank], rank), got, counts, nil)
		case 5:
			got = make([]int, counts[rank])
			want = make([]int, counts[rank])
			for i := range want {
				want[i] = size*(sum(counts[:rank])+i) + size*(size-1)/2
			}
			err = mpi.ReduceScatter(c, sequence(sum(counts), rank), got, counts, mpi.Sum)
		case 6:
			want = sequence(n, (rank+size-1)%size+k)
			_, err = mpi.SendrecvReplace(c, in, (rank+1)%size, k, (rank+size-1)%size, k)
			got = in
		}
		if err == nil {
			err = equalAll(fmt.Sprintf("sequence %d, round %d", seed, k), got, want)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func sum(s []int) (total int) {
	for _, n := range s {
		total += n
	}
	return total
}
