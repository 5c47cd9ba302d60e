package mpi_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// inAllForms returns the errors of the three forms of a call.
func inAllForms(block error, begin *mpi.Request, init error) []error {
	return []error{block, waited(begin), init}
}

// MPI 4.1, section 6.6: the root of Scatterv reads no element twice. A checked job names two parts that have an
// element in common, in all three forms, and moves nothing; in other jobs each rank gets its part.
func TestPartsOfScattervThatLieUponEachOther(t *testing.T) {
	counts, displs, send := []int{2, 1, 1}, []int{1, 5, 2}, sequence(9, 0)
	onTwo(t, 3, func(w *mpi.Comm) error {
		inter, first, err := sides(w, 1)
		if err != nil {
			return err
		}
		if !first {
			return errors.Join(is(mpi.Scatterv[int](inter, nil, nil, nil, make([]int, 1), 0), mpi.ErrBuffer, ""), inter.Free())
		}
		got, items := make([]int, 2), mpi.Views(send, 9, mpi.Contiguous(1))
		one := mpi.Scatterv(w, send, counts, displs, got, 0) // the root looks, before anybody has anything from it
		errs := append(inAllForms(one, mpi.Iscatterv(w, send, counts, displs, got, 0), second(mpi.ScattervInit(w, send, counts, displs, got, 0))),
			mpi.Scatterv(w, items, counts, displs, mpi.View(got, mpi.Contiguous(2)), 0))
		for i, err := range errs {
			errs[i] = tells(err, mpi.ErrBuffer, "parts 0 and 2 both have element 2; an element is sent to one rank")
		}
		return errors.Join(append(errs,
			is(one, mpi.ErrBuffer, "mpi: Scatterv on world root 0: send: parts 0 and 2 both have element 2; an element is sent to one rank"),
			is(mpi.Scatterv(inter, send, []int{1, 1}, []int{3, 3}, nil, mpi.Root), mpi.ErrBuffer, ""), inter.Free())...)
	})
	onTwo(t, 3, func(w *mpi.Comm) error {
		got := make([]int, counts[w.Rank()])
		err := mpi.Scatterv(w, send, counts, displs, got, 0)
		if want := send[displs[w.Rank()]:][:len(got)]; err != nil || !slices.Equal(got, want) {
			return fmt.Errorf("got %v and %v, want %v", got, err, want)
		}
		return nil
	}, mpitest.Unguarded())
}

// MPI 4.1, sections 6.5, 6.7, 6.8 and 8.6: no element of a receive buffer belongs to
// the parts of two ranks, and none is outside of the buffer; the calls name it, in all
// three forms, and move nothing.
func TestPartsThatLieUponEachOther(t *testing.T) {
	onTwo(t, 3, func(w *mpi.Comm) error {
		ring, err := w.CartCreate([]int{3}, []bool{true})
		if err != nil {
			return err
		}
		one, big, send := []int{1}, make([]int, 9), make([]int, 9)
		ones, twos := []int{1, 1, 1}, []int{2, 2, 2}
		for _, row := range []struct {
			counts, displs []int
			text           string
		}{
			{ones, []int{4, 2, 4}, "recv: parts 0 and 2 both have element 4; an element is received from one rank"},
			{ones, []int{0, 0, 0}, "recv: parts 0 and 1 both have element 0; an element is received from one rank"},
			{[]int{1, 3, 1}, []int{8, 0, 2}, "recv: parts 1 and 2 both have element 2; an element is received from one rank"},
			{ones, []int{0, -1, 2}, "recv: part 1 is elements -1 to -1 of a buffer of 9"},
			{ones, []int{0, 1, 9}, "recv: part 2 is elements 9 to 9 of a buffer of 9"},
		} {
			check := func(call string, errs []error) error {
				for _, err := range errs {
					if e := tells(err, mpi.ErrBuffer, row.text); e != nil {
						return fmt.Errorf("%s: %w", call, e)
					}
				}
				return nil
			}
			e := second(mpi.AllgathervInit(w, one, big, row.counts, row.displs))
			if err := check("Allgatherv", inAllForms(mpi.Allgatherv(w, one, big, row.counts, row.displs), mpi.Iallgatherv(w, one, big, row.counts, row.displs), e)); err != nil {
				return err
			}
			e = second(mpi.AlltoallvInit(w, send, ones, nil, big, row.counts, row.displs))
			if err := check("Alltoallv", inAllForms(mpi.Alltoallv(w, send, ones, nil, big, row.counts, row.displs), mpi.Ialltoallv(w, send, ones, nil, big, row.counts, row.displs), e)); err != nil {
				return err
			}
			if w.Rank() == 2 { // the root checks, before it sends anything
				e = second(mpi.GathervInit(w, one, big, row.counts, row.displs, 2))
				if err := check("Gatherv", inAllForms(mpi.Gatherv(w, one, big, row.counts, row.displs, 2), mpi.Igatherv(w, one, big, row.counts, row.displs, 2), e)); err != nil {
					return err
				}
			}
			if displs := row.displs[:2]; row.counts[1] == 1 && displs[0] == displs[1] {
				text := "parts 0 and 1 both have element 0"
				e = second(mpi.NeighborAllgathervInit(ring, one, big, ones[:2], displs))
				for _, err := range append(inAllForms(mpi.NeighborAllgatherv(ring, one, big, ones[:2], displs), mpi.IneighborAllgatherv(ring, one, big, ones[:2], displs), e),
					mpi.NeighborAlltoallv(ring, send, ones[:2], nil, big, ones[:2], displs)) {
					if e := tells(err, mpi.ErrBuffer, text); e != nil {
						return e
					}
				}
			}
			items := mpi.Views(make([]int, 18), 9, mpi.Vector(1, 1, 1).Resized(0, 16))
			if err := mpi.Allgatherv(w, mpi.View(one, mpi.Contiguous(1)), items, row.counts, row.displs); is(err, mpi.ErrBuffer, "") != nil {
				return fmt.Errorf("of layouts: %v", err)
			}
		}
		// an element may be sent to several ranks, and empty parts may be anywhere
		errs := []error{
			mpi.Alltoallv(w, one, ones, []int{0, 0, 0}, big, ones, []int{5, 3, 1}),
			mpi.Allgatherv(w, []int{w.Rank(), 7}, big, twos, []int{6, 3, 0}),
			mpi.Allgatherv(w, one[:w.Rank()%2], big, []int{0, 1, 0}, []int{-5, 4, 99}),
			mpi.Barrier(w), ring.Free(),
		}
		return errors.Join(errs...)
	})
}

// MPI 4.1, section 6.11.2: recvbuf is not significant at rank 0 of an Exscan. It may be
// empty there, in all forms and algorithms; the contribution of rank 0 is only read.
func TestExscanWithoutAResultAtRank0(t *testing.T) {
	names, err := mpi.Algorithms("exscan")
	if err != nil {
		t.Fatal(err)
	}
	names = append(names, "") // and the usual one
	for _, n := range []int{1, 2, 5} {
		onTwo(t, n, func(w *mpi.Comm) error {
			for _, name := range names {
				c, err := w.DupWithInfo(mpi.Info{mpi.HintAlgorithms: map[bool]string{true: "exscan=" + name}[name != ""]})
				if err != nil {
					return err
				}
				for _, length := range []int{0, 1, 3000} {
					if err := exscanned(c, length); err != nil {
						return fmt.Errorf("%q, %d elements: %w", name, length, err)
					}
				}
				if err := c.Free(); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// exscanned makes an Exscan in each form, from a buffer that another request sends.
func exscanned(c *mpi.Comm, length int) error {
	in, want, sink := sequence(length, c.Rank()), make([]int, length), make([]int, length)
	var out []int
	if c.Rank() > 0 {
		out = make([]int, length)
		for i := range want {
			want[i] = c.Rank()*i + c.Rank()*(c.Rank()-1)/2
		}
	} else {
		want = nil
	}
	items, into := mpi.Views(in, length, mpi.Contiguous(1)), mpi.Views(out, len(out), mpi.Contiguous(1))
	sum := mpi.OpFunc(func(in, inout []int) {
		for i, v := range in {
			inout[i] += v
		}
	}, mpi.Commutative)
	for i, form := range []func() error{
		func() error { return mpi.Exscan(c, in, out, mpi.Sum) },
		func() error { return waited(mpi.Iexscan(c, in, out, mpi.Sum)) },
		func() error {
			r, err := mpi.ExscanInit(c, in, out, mpi.Sum)
			return errors.Join(err, r.Start(), waited(r), r.Start(), waited(r), r.Free())
		},
		func() error { return mpi.Exscan(c, items, into, sum) },
		func() error { return waited(mpi.Iexscan(c, items, into, sum)) },
	} {
		clear(out)
		recv := mpi.Irecv(c, sink, c.Rank(), 3)
		send := mpi.Isend(c, in, c.Rank(), 3)
		err := errors.Join(form(), mpi.WaitAll(recv, send), equalAll("out", out, want), equalAll("in", in, sequence(length, c.Rank())))
		if err != nil {
			return fmt.Errorf("form %d: %w", i, err)
		}
	}
	return nil
}
