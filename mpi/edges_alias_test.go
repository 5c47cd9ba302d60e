package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, sections 2.3 and 6.8: the parts that Alltoallv sends and receives may lie
// between each other in one slice, but have no element in common.
func TestAlltoallvWithinOneSlice(t *testing.T) {
	onTwo(t, 3, func(w *mpi.Comm) error {
		me := w.Rank()
		calls := map[string]func(c *mpi.Comm, send []int, sc, sd []int, recv []int, rc, rd []int) error{
			"Alltoallv": mpi.Alltoallv[int],
			"Ialltoallv": func(c *mpi.Comm, send []int, sc, sd []int, recv []int, rc, rd []int) error {
				return waited(mpi.Ialltoallv(c, send, sc, sd, recv, rc, rd))
			},
			"AlltoallvInit": func(c *mpi.Comm, send []int, sc, sd []int, recv []int, rc, rd []int) error {
				return begun(mpi.AlltoallvInit(c, send, sc, sd, recv, rc, rd))
			},
		}
		for _, name := range []string{"Alltoallv", "Ialltoallv", "AlltoallvInit"} {
			buf, counts := make([]int, 13), []int{2, 2, 2}
			for i := range buf {
				buf[i] = 100*me + i
			}
			// sent are 0 1 4 5 8 9, received 2 3 6 7 10 11
			err := calls[name](w, buf[:12], counts, []int{0, 4, 8}, buf[1:], counts, []int{1, 5, 9})
			want := make([]int, 13)
			for i := range want {
				if want[i] = 100*me + i; i%4 > 1 {
					want[i] = 100*(i/4) + 4*me + i%2
				}
			}
			if err := errors.Join(err, equalAll(name, buf, want)); err != nil {
				return err
			}
			err = calls[name](w, buf, counts, []int{0, 4, 8}, buf[1:], counts, []int{1, 6, 10})
			if err := is(err, mpi.ErrBuffer, "mpi: "+name+" on world: part 2 of send and part 1 of recv overlap; they must be apart, or pass recv as send"); err != nil {
				return err
			}
		}
		return mpi.Barrier(w)
	})
}

// MPI 4.1, sections 2.3 and 8.6.2: a rank sends the inner cells of a row to its
// neighbors, and receives theirs into the outer ones of the same row.
func TestNeighborsExchangeBordersOfOneSlice(t *testing.T) {
	onTwo(t, 3, func(w *mpi.Comm) error {
		c, err := w.CartCreate([]int{3}, []bool{false})
		if err != nil {
			return err
		}
		for _, n := range []int{1, 600, 20000} {
			row, me := make([]int, 6*n), c.Rank()
			counts, sends, recvs := []int{n, n}, []int{n, 4 * n}, []int{0, 5 * n}
			exchanges := []func() error{
				func() error { return mpi.NeighborAlltoallv(c, row, counts, sends, row, counts, recvs) },
				func() error {
					return waited(mpi.IneighborAlltoallv(c, row[n:], counts, []int{0, 3 * n}, row, counts, recvs))
				},
				func() error {
					return begun(mpi.NeighborAlltoallvInit(c, row, counts, sends, row, counts, recvs))
				},
			}
			for k, exchange := range exchanges {
				for i := range row {
					row[i] = 10*me + i/n
				}
				want := sequence(6, 10*me)
				if me > 0 {
					want[0] = 10*(me-1) + 4
				}
				if me < 2 {
					want[5] = 10*(me+1) + 1
				}
				if err := exchange(); err != nil {
					return err
				}
				for i := range row {
					if row[i] != want[i/n] {
						return fmt.Errorf("call %d, %d cells: cell %d is %d, want %d", k, n, i, row[i], want[i/n])
					}
				}
			}
		}
		row, one := []int{1, 2, 3}, []int{1, 1}
		if c.Rank() > 0 {
			return nil
		}
		// Beyond an end nothing is moved: parts 0 are no mistake, parts 1 are.
		return is(mpi.NeighborAlltoallv(c, row, one, []int{0, 2}, row, one, []int{0, 2}), mpi.ErrBuffer,
			"mpi: NeighborAlltoallv on "+c.Name()+": part 1 of send and part 1 of recv overlap; they must be apart")
	})
}

// begun is waited for a persistent request, which it frees.
func begun(r *mpi.Request, err error) error {
	if err != nil {
		return err
	}
	return errors.Join(r.Start(), waited(r), r.Free())
}
