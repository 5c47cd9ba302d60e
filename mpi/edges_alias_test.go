package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
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

// MPI 4.1, sections 2.3 and 8.6.1: what is sent to all neighbors may lie between the parts
// that are received, and in a part beyond an end, where nothing is received.
func TestNeighborsGatherAroundWhatTheySend(t *testing.T) {
	onTwo(t, 3, func(w *mpi.Comm) error {
		c, err := w.CartCreate([]int{3}, []bool{false})
		if err != nil {
			return err
		}
		me, counts, displs := c.Rank(), []int{1, 1}, []int{0, 2}
		row := make([]int, 3)
		for k, gather := range []func() error{
			func() error { return mpi.NeighborAllgatherv(c, row[1:2], row, counts, displs) },
			func() error { return waited(mpi.IneighborAllgatherv(c, row[1:2], row, counts, displs)) },
			func() error { return begun(mpi.NeighborAllgathervInit(c, row[1:2], row, counts, displs)) },
		} {
			copy(row, []int{-1, 10 * me, -1})
			want := [][]int{{-1, 0, 10}, {0, 10, 20}, {10, 20, -1}}[me]
			if err := errors.Join(gather(), equalAll(fmt.Sprint("call ", k), row, want)); err != nil {
				return err
			}
		}

		ends := make([]int, 4) // apart on rank 1 only
		copy(ends, []int{me, me, me, me})
		send, recv := [][]int{ends[:1], ends[3:], ends[1:2]}[me], ends[:2]
		if err := mpi.NeighborAllgather(c, send, recv); err != nil {
			return err
		}
		if err := equalAll("gathered", recv, [][]int{{0, 1}, {0, 2}, {1, 2}}[me]); err != nil {
			return err
		}
		copy(ends, []int{10*me + 1, 10*me + 2, 0, 0})
		if recv = ends[1:3]; me == 1 {
			recv = ends[2:]
		}
		if err := mpi.NeighborAlltoall(c, ends[:2], recv); err != nil {
			return err
		}
		if err := equalAll("exchanged", ends, [][]int{{1, 2, 11, 0}, {11, 12, 2, 21}, {21, 12, 0, 0}}[me]); err != nil {
			return err
		}
		if me != 1 {
			return nil
		}
		const text = ": send and recv overlap; they must be apart"
		return errors.Join(
			is(mpi.NeighborAllgatherv(c, row[2:], row, counts, displs), mpi.ErrBuffer, "mpi: NeighborAllgatherv on "+c.Name()+text),
			is(mpi.NeighborAllgather(c, row[:1], row[:2]), mpi.ErrBuffer, "mpi: NeighborAllgather on "+c.Name()+text),
			is(mpi.NeighborAlltoall(c, ends[:2], ends[1:3]), mpi.ErrBuffer, "mpi: NeighborAlltoall on "+c.Name()+": part 1 of send and part 0 of recv overlap; they must be apart"))
	})
}

// MPI 4.1, sections 2.3, 6.7 and 6.8: as TestAlltoallvWithinOneSlice, between groups.
func TestCallsAcrossGroupsWithinOneSlice(t *testing.T) {
	acrossGroups(t, func(w, c *mpi.Comm, first bool) error {
		n, me := c.RemoteSize(), c.Rank()
		other := 100 // what the other group sends
		if first {
			other = 200
		}
		buf, counts, sdispls, rdispls := make([]int, 2*n+1), make([]int, n), make([]int, n), make([]int, n)
		for r := range n {
			counts[r], sdispls[r], rdispls[r] = 1, 2*r, 2*r+1
		}
		fill := func() {
			for i := range buf {
				buf[i] = 300 - other + 10*me + i/2
			}
		}
		check := func(name string, received func(r int) int) error {
			for r := range n {
				if buf[rdispls[r]] != received(r) {
					return fmt.Errorf("%s: from %d: %d, want %d", name, r, buf[rdispls[r]], received(r))
				}
			}
			return nil
		}
		fill()
		err := mpi.Allgatherv(c, buf[2*n:], buf, counts, rdispls)
		err = errors.Join(err, check("Allgatherv", func(r int) int { return other + 10*r + c.Size() }))
		fill()
		after := make([]int, n) // rdispls behind the first element
		for r := range n {
			after[r] = rdispls[r] - 1
		}
		err = errors.Join(err, mpi.Alltoallv(c, buf, counts, sdispls, buf[1:], counts, after))
		return errors.Join(err, check("Alltoallv", func(r int) int { return other + 10*r + me }),
			is(mpi.Allgatherv(c, buf[1:2], buf, counts, rdispls), mpi.ErrBuffer, ""),
			is(mpi.Alltoallv(c, buf, counts, rdispls, buf[1:], counts, after), mpi.ErrBuffer, ""),
			tells(mpi.Alltoallv(c, buf, counts, sdispls, buf, counts, rdispls), mpi.ErrBuffer, "begin with the same element"))
	})
}

// MPI 4.1, section 6.6: the root of Scatterv may receive its part into a gap between those
// that it sends, also if it sends an element twice, which only a checked job refuses.
func TestScattervIntoAGap(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		buf, counts, displs := []int{7 - w.Rank(), 0, 0}, []int{1, 1}, []int{0, 0}
		if err := errors.Join(mpi.Scatterv(w, buf, counts, displs, buf[1:2], 0), equalAll("scattered", buf, []int{7 - w.Rank(), 7, 0})); err != nil || w.Rank() > 0 {
			return err
		}
		return is(mpi.Scatterv(w, buf, counts, []int{0, 1}, buf[1:2], 0), mpi.ErrBuffer, "mpi: Scatterv on world root 0: send and recv overlap; they must be apart, or one and the same")
	}, mpitest.Unguarded())
}

// begun is waited for a persistent request, which it frees.
func begun(r *mpi.Request, err error) error {
	if err != nil {
		return err
	}
	return errors.Join(r.Start(), waited(r), r.Free())
}
