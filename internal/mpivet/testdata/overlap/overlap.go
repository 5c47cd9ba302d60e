// Package overlap has messages that are sent from the buffer that is received into.
package overlap

import "rhinet/mpi"

func same(c *mpi.Comm, buf []int, left, right int) error {
	_, err := mpi.Sendrecv(c, buf, right, 0, buf, left, 0) // want `Sendrecv sends buf and receives into buf, which overlap; use two buffers, or SendrecvReplace`
	return err
}

func parts(c *mpi.Comm, row []float64) error {
	r := mpi.Isendrecv(c, row[:4], 1, 0, row[3:7], mpi.AnySource, 0) // want `Isendrecv sends row\[:4\] and receives into row\[3:7\], which overlap; use two buffers, or IsendrecvReplace`
	_, err := r.Wait()
	return err
}

// What follows is right, or may be.

func halo(c *mpi.Comm, row []float64, left, right int) error {
	n := len(row)
	if _, err := mpi.Sendrecv(c, row[1:2], left, 0, row[n-1:], right, 0); err != nil {
		return err
	}
	_, err := mpi.Sendrecv(c, row[1:2], left, 0, row[:1], right, 0)
	return err
}

func replaced(c *mpi.Comm, buf []int, left, right int) error {
	_, err := mpi.SendrecvReplace(c, buf, right, 0, left, 0)
	return err
}

func toNobody(c *mpi.Comm, buf []int) error {
	var none []byte
	if _, err := mpi.Sendrecv(c, none, 1, 0, none, 1, 0); err != nil {
		return err
	}
	_, err := mpi.Sendrecv(c, buf, mpi.ProcNull, 0, buf, 1, 0)
	return err
}

func inPlace(c *mpi.Comm, buf []int) error { return mpi.Allreduce(c, buf, buf, mpi.Sum) }
