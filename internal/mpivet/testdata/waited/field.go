package waited

import (
	"errors"

	"rhinet/mpi"
)

type halo struct {
	row   []int
	left  *mpi.Request
	right *mpi.Request
}

func (h halo) valid() bool { return len(h.row) > 0 }

func (h *halo) start(c *mpi.Comm) { h.left = mpi.Isend(c, h.row, 0, 0) }

func (h *halo) wait() error { return mpi.WaitAll(h.left, h.right) }

type grid struct{ rows, columns halo }

type embedding struct{ halo }

func oneOfTwoFields(c *mpi.Comm, early bool) error {
	var h halo
	h.left = mpi.Isend(c, h.row, 0, 0) // want `the request of Isend is not waited for on the way to line 31; call h.left.Wait there, too`
	h.right = mpi.Isend(c, h.row, 1, 0)
	if early {
		_, _ = h.right.Wait()
		return nil
	}
	return mpi.WaitAll(h.left, h.right)
}

func fieldTwice(c *mpi.Comm) error {
	h := halo{row: []int{1}}
	h.left = mpi.Isend(c, h.row, 0, 0) // want `the request of Isend is overwritten in line 40, and nobody has waited for it`
	h.row = nil
	h.left = mpi.Isend(c, h.row, 1, 0)
	_, err := h.left.Wait()
	return err
}

func fieldOfAField(c *mpi.Comm, early bool) error {
	var g grid
	g.rows.left = mpi.Isend(c, g.rows.row, 0, 0) // want `the request of Isend is not waited for on the way to line 51; call g.rows.left.Wait there, too`
	g.columns.left = mpi.Isend(c, g.rows.row, 0, 0)
	_, _ = g.columns.left.Wait()
	if early {
		return nil
	}
	return g.rows.wait2()
}

func (h halo) wait2() error { return mpi.WaitAll(h.left, h.right) }

func inTurns(c *mpi.Comm) error {
	for to := range 3 {
		h := halo{}
		h.left = mpi.Isend(c, h.row, to, 0) // want `the request of Isend is overwritten in line 60`
	}
	return nil
}

// What follows is right, or may be.

func bothFields(c *mpi.Comm) error {
	var h halo
	h.left = mpi.Isend(c, h.row, 0, 0)
	h.right = mpi.Isend(c, h.row, 1, 0)
	if !h.valid() {
		return nil
	}
	return mpi.WaitAll(h.left, h.right)
}

func byAMethod(c *mpi.Comm) error {
	var h halo
	h.left = mpi.Isend(c, h.row, 0, 0)
	return h.wait()
}

func deferredMethod(c *mpi.Comm) error {
	var h halo
	defer func() { _ = h.wait() }()
	h.left = mpi.Isend(c, h.row, 0, 0)
	return nil
}

func deferredPointer(c *mpi.Comm) error {
	var h halo
	defer h.wait()
	h.left = mpi.Isend(c, h.row, 0, 0)
	return nil
}

func ofAPointer(c *mpi.Comm, all *[]*halo) error {
	h := &halo{}
	*all = append(*all, h)
	h.left = mpi.Isend(c, h.row, 0, 0)
	return nil
}

func lent(c *mpi.Comm, all *[]*halo) error {
	var h halo
	*all = append(*all, &h)
	h.left = mpi.Isend(c, h.row, 0, 0)
	return nil
}

func lentByAMethod(c *mpi.Comm) error {
	var h halo
	h.start(c)
	h.left = mpi.Isend(c, h.row, 0, 0)
	return nil
}

func copied(c *mpi.Comm) error {
	var h halo
	h.left = mpi.Isend(c, h.row, 0, 0)
	return errors.Join(halo.wait2(h))
}

func ofAParameter(c *mpi.Comm, h *halo, g halo) error {
	h.left = mpi.Isend(c, h.row, 0, 0)
	g.left = mpi.Isend(c, h.row, 0, 0)
	return nil
}

func promoted(c *mpi.Comm) error {
	var e embedding
	e.left = mpi.Isend(c, e.row, 0, 0)
	e.halo.right = mpi.Isend(c, e.row, 0, 0)
	return errors.Join(e.halo.wait2(), mpi.WaitAll(e.left, e.right))
}

func wholeOfAField(c *mpi.Comm) (halo, error) {
	var g grid
	g.rows.left = mpi.Isend(c, g.rows.row, 0, 0)
	return g.rows, nil
}
