package pending

import (
	"fmt"

	"rhinet/mpi"
)

type halo struct {
	comm   *mpi.Comm
	row    []float64
	other  []float64
	last   *mpi.Request
	all    []*mpi.Request
	byRank map[int]*mpi.Request
}

func (h *halo) written() error {
	h.last = mpi.Isend(h.comm, h.row, 1, 0)
	h.row[0] = 1 // want `h.row is used while the Isend of line 19 may still send it; wait for the request first`
	_, err := h.last.Wait()
	return err
}

func (h *halo) read() error {
	h.all = append(h.all, mpi.Irecv(h.comm, h.row, 1, 0))
	fmt.Println(h.row[0]) // want `h.row is used while the Irecv of line 26 may still fill it`
	return mpi.WaitAll(h.all...)
}

func byRankAndAnother(h *halo, buf []int) error {
	h.byRank[1] = mpi.Irecv(h.comm, buf, 1, 0)
	h.other = nil
	buf[0]++ // want `buf is used while the Irecv of line 32 may still fill it`
	_, err := h.byRank[1].Wait()
	return err
}

// What follows is right, or may be.

func (h *halo) wait() error { return mpi.WaitAll(h.last) }

func (h *halo) inAMethod() error {
	h.last = mpi.Isend(h.comm, h.row, 1, 0)
	if err := h.wait(); err != nil {
		return err
	}
	h.row[0] = 1
	return nil
}

func (h *halo) waitedFor() error {
	h.last = mpi.Isend(h.comm, h.row, 1, 0)
	if _, err := h.last.Wait(); err != nil {
		return err
	}
	h.row[0] = 1
	return nil
}

func (h *halo) byAnotherName() error {
	same := h
	h.last = mpi.Isend(h.comm, h.row, 1, 0)
	if err := mpi.WaitAll(same.last); err != nil {
		return err
	}
	h.row[0] = 1
	return nil
}

func (h *halo) byAFunction(wait func()) {
	h.last = mpi.Isend(h.comm, h.row, 1, 0)
	wait()
	h.row[0] = 1
}

func (h *halo) handedOver() {
	h.last = mpi.Isend(h.comm, h.row, 1, 0)
	go func() { _ = h.wait() }()
	h.row[0] = 1
}

func (h *halo) anotherBuffer() error {
	h.last = mpi.Isend(h.comm, h.row, 1, 0)
	h.other[0] = h.row[0]
	h.row = nil
	_, err := h.last.Wait()
	return err
}
