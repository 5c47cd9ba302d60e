package mpi_test

import (
	"errors"
	"strings"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// eachAlltoallw calls do with each form of Alltoallw.
func eachAlltoallw(do func(name string, call func(c *mpi.Comm, send, recv []mpi.Part) error) error) error {
	return errors.Join(
		do("Alltoallw", mpi.Alltoallw),
		do("Ialltoallw", func(c *mpi.Comm, send, recv []mpi.Part) error { return waited(mpi.Ialltoallw(c, send, recv)) }),
		do("AlltoallwInit", func(c *mpi.Comm, send, recv []mpi.Part) error { return second(mpi.AlltoallwInit(c, send, recv)) }),
		do("NeighborAlltoallw", mpi.NeighborAlltoallw),
		do("IneighborAlltoallw", func(c *mpi.Comm, send, recv []mpi.Part) error {
			return waited(mpi.IneighborAlltoallw(c, send, recv))
		}),
		do("NeighborAlltoallwInit", func(c *mpi.Comm, send, recv []mpi.Part) error {
			return second(mpi.NeighborAlltoallwInit(c, send, recv))
		}))
}

// partOfEach returns a part for each slice.
func partOfEach[T any](slices ...[]T) (all []mpi.Part) {
	for _, s := range slices {
		all = append(all, mpi.PartOf(s))
	}
	return all
}

// columnsOf returns columns of a matrix of 4 columns and 3 rows as parts.
func columnsOf(m []int, from ...int) (all []mpi.Part) {
	for _, i := range from {
		all = append(all, mpi.PartOf(mpi.View(m[i:], mpi.Vector(3, 1, 4))))
	}
	return all
}

// MPI 4.1, sections 6.8 and 8.6.2: no element of a part that is received into belongs to another part.
func TestPartsOfAlltoallwLieApart(t *testing.T) {
	const twice = ": recv: parts 0 and 1 overlap; an element is received from one rank"
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		ring, err := w.CartCreate([]int{2}, []bool{true})
		if err != nil {
			return err
		}
		x, y, m := make([]int, 8), make([]int, 8), make([]int, 20)
		two := partOfEach(y[:3], y[4:7])
		for _, row := range []struct {
			send, recv []mpi.Part
			want       string
		}{
			{two, partOfEach(x[0:3], x[1:4]), twice},
			{two, partOfEach(x[1:4], x[0:3]), twice},
			{two, partOfEach(x[0:3], x[0:3]), twice},
			{partOfEach(y[:3], y[4:5]), append(partOfEach(x[0:3]), partOfEach(x[1:2])...), twice},
			{two, columnsOf(m, 1, 1), twice},
			{two, columnsOf(m, 1, 5), twice},
			{two, append(columnsOf(m, 1), mpi.PartOf(m[4:7])), twice},
			{partOfEach(x[2:5], y[4:7]), partOfEach(x[5:8], x[0:3]), ": part 0 of send and part 1 of recv overlap; they must be apart"},
			{partOfEach(x[3:6], x[0:3]), partOfEach(x[0:3], x[3:6]), ": part 1 of send and part 0 of recv overlap; they must be apart"},
			{columnsOf(m, 2, 3), columnsOf(m, 0, 2), ": part 0 of send and part 1 of recv overlap; they must be apart"},
		} {
			if err := eachAlltoallw(func(name string, call func(c *mpi.Comm, send, recv []mpi.Part) error) error {
				want := row.want
				if strings.Contains(want, "send") && !strings.Contains(strings.ToLower(name), "neighbor") {
					want += ", or pass recv as send"
				}
				return tells(call(ring, row.send, row.recv), mpi.ErrBuffer, name+" on "+ring.Name()+want)
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Parts may interleave, in place they are one and the same, and those beyond an end of a grid do not matter.
func TestPartsThatLieApart(t *testing.T) {
	mpitest.Run(t, 2, func(w *mpi.Comm) error {
		line, err := w.CartCreate([]int{2}, []bool{false})
		if err != nil {
			return err
		}
		rank := w.Rank()
		m, x := make([]int, 20), []int{10 * rank, 10*rank + 1}
		send, recv := columnsOf(m, 0, 2), columnsOf(m, 1, 3)
		for round := range 3 { // the second time they are known
			clear(m)
			for i := range 3 {
				m[4*i], m[4*i+2] = round+100*rank+i, round+100*rank+10+i
			}
			if err := mpi.Alltoallw(w, send, recv); err != nil {
				return err
			}
			for i := range 3 {
				if err := equalAll("row", m[4*i:][:4], []int{round + 100*rank + i, round + 10*rank + i, round + 100*rank + 10 + i, round + 100 + 10*rank + i}); err != nil {
					return err
				}
			}
		}
		for range 2 { // the parts of the call before are not taken for those of this one
			if err := is(mpi.Alltoallw(w, send, columnsOf(m, 1, 2)), mpi.ErrBuffer, ""); err != nil {
				return err
			}
		}
		l := mpi.Vector(3, 1, 4)
		own := func() []mpi.Part { return []mpi.Part{mpi.PartOf(mpi.View(m, l)), mpi.PartOf(mpi.View(m[2:], l))} }
		parts := partOfEach(x[:1], x[1:])
		return errors.Join(
			mpi.Alltoallw(w, parts, parts),
			equalAll("in place", x, []int{rank, 10 + rank}),
			mpi.Alltoallw(w, own(), own()),
			mpi.NeighborAlltoallw(line, partOfEach(m[:1], m[1:2]), partOfEach(x[1:], x[1:])),
			mpi.Alltoallw(w, make([]mpi.Part, 2), make([]mpi.Part, 2)))
	})
}

// Parts that interleave in very many pieces are compared in a checked job.
func TestManyInterleavedPiecesAreComparedInACheckedJob(t *testing.T) {
	const rows = 10000
	for _, checked := range []bool{true, false} {
		var option []mpitest.Option
		if !checked {
			option = append(option, mpitest.Unguarded())
		}
		mpitest.Run(t, 1, func(w *mpi.Comm) error {
			m, l := make([]int8, 2*rows), mpi.Vector(rows/2, 1, 4)
			send := partOfEach(mpi.View(m[1:], l))
			apart := mpi.Alltoallw(w, send, partOfEach(mpi.View(m, l)))
			err := mpi.Alltoallw(w, send, partOfEach(mpi.View(m[1:], mpi.Vector(rows/2, 1, 3))))
			if checked {
				err = is(err, mpi.ErrBuffer, "")
			}
			return errors.Join(apart, err)
		}, option...)
	}
}
