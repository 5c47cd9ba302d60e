// Package pending has buffers that are used while they belong to a request.
package pending

import "rhinet/mpi"

func written(c *mpi.Comm, buf []int) error {
	r := mpi.Isend(c, buf, 1, 0)
	buf[0] = 7 // want `buf is used while the Isend of line 7 may still send it; wait for the request first`
	_, err := r.Wait()
	return err
}

func deepInside(c *mpi.Comm, x [2]struct{ V int }) error {
	r := mpi.Isend(c, x[:], 1, 0)
	for i := range x {
		if i > 0 {
			x[i].V++ // want `x\[:\] is used while the Isend of line 14 may still send it`
		}
	}
	return mpi.WaitAll(r)
}

func copied(c *mpi.Comm, buf, other []int) error {
	reqs := make([]*mpi.Request, 1)
	reqs[0] = mpi.Isend(c, buf, 1, 0)
	copy(buf, other) // want `buf is used while the Isend of line 25 may still send it`
	return mpi.WaitAll(reqs...)
}

func receivedInto(c *mpi.Comm, buf []int) error {
	r := mpi.Isend(c, buf, 1, 0)
	_, err := mpi.Recv(c, buf, 1, 0) // want `buf is used while the Isend of line 31 may still send it`
	if err != nil {
		return err
	}
	return mpi.WaitAll(r)
}

func read(c *mpi.Comm, buf []int) (int, error) {
	r := mpi.Irecv(c, buf, 1, 0)
	n := buf[0] // want `buf is used while the Irecv of line 40 may still fill it; wait for the request first`
	_, err := r.Wait()
	return n, err
}

func sentOn(c *mpi.Comm, s struct{ row []int }) error {
	r := mpi.Irecv(c, s.row, 1, 0)
	err := mpi.Send(c, s.row, 2, 0) // want `s.row is used while the Irecv of line 47 may still fill it`
	if err != nil {
		return err
	}
	return mpi.WaitAll(r)
}

func twoReceives(c *mpi.Comm, buf []int) error {
	a := mpi.Irecv(c, buf[:4], 1, 0)
	b := mpi.Irecv(c, buf[2:6], 2, 0) // want `buf\[:4\] is used while the Irecv of line 56 may still fill it`
	return mpi.WaitAll(a, b)
}

func overlappingSum(c *mpi.Comm, in, out []int) error {
	r := mpi.Iallreduce(c, in, out, mpi.Sum)
	in[0]++ // want `in is used while the Iallreduce of line 62 may still send it`
	_, err := r.Wait()
	return err
}

func sharedByReceives(c *mpi.Comm) error {
	buf := make([]int, 1)
	var reqs []*mpi.Request
	for from := range 3 {
		reqs = append(reqs, mpi.Irecv(c, buf, from, 0)) // want `every turn of the loop has Irecv fill buf, while those before may still do so; give each request a buffer of its own`
	}
	return mpi.WaitAll(reqs...)
}

func sharedBySends(c *mpi.Comm) error {
	buf := make([]int, 1)
	reqs := make([]*mpi.Request, 3)
	for to := 0; to < 3; to++ {
		buf[0] = to // want `buf is changed in every turn of the loop, while the Isend of the turn before \(line 82\) may still send it; give each request a buffer of its own`
		reqs[to] = mpi.Isend(c, buf, to, 0)
	}
	return mpi.WaitAll(reqs...)
}

func sharedParameter(c *mpi.Comm, buf []int) error {
	var reqs []*mpi.Request
	for from := range 3 {
		reqs = append(reqs, mpi.Irecv(c, buf, from, 0)) // want `every turn of the loop has Irecv fill buf`
	}
	return mpi.WaitAll(reqs...)
}

func changedParameter(c *mpi.Comm, buf []int) error {
	reqs := make([]*mpi.Request, 3)
	for to := range reqs {
		buf[0] = to // want `buf is changed in every turn of the loop`
		reqs[to] = mpi.Isend(c, buf, to, 0)
	}
	return mpi.WaitAll(reqs...)
}

func sharedFromOutside(c *mpi.Comm, rows [][]int) (all []func() error) {
	for _, row := range rows {
		all = append(all, func() error {
			var reqs []*mpi.Request
			for from := range 3 {
				reqs = append(reqs, mpi.Irecv(c, row, from, 0)) // want `every turn of the loop has Irecv fill row`
			}
			return mpi.WaitAll(reqs...)
		})
	}
	return all
}

// What follows is right.

func afterWait(c *mpi.Comm, buf []int) error {
	r := mpi.Isend(c, buf, 1, 0)
	n := buf[0] // to read what is sent is allowed
	if _, err := r.Wait(); err != nil {
		return err
	}
	buf[0] = n + 1
	return nil
}

func otherPart(c *mpi.Comm, buf []int, i int) error {
	r := mpi.Isend(c, buf[:2], 1, 0)
	buf[2] = 7
	buf[i] = 8
	s := mpi.Irecv(c, buf[2:4], 1, 0)
	return mpi.WaitAll(r, s)
}

func otherBuffer(c *mpi.Comm, buf []int) error {
	r := mpi.Isend(c, buf, 1, 0)
	buf = make([]int, 1)
	buf[0] = 7
	return mpi.WaitAll(r)
}

func ownBuffers(c *mpi.Comm, rows [][]int) error {
	var reqs []*mpi.Request
	for to, row := range rows {
		row[0] = to
		reqs = append(reqs, mpi.Isend(c, row, to, 0))
	}
	for from := range 3 {
		buf := make([]int, 1)
		reqs = append(reqs, mpi.Irecv(c, buf, from, 1))
	}
	for from := range 3 {
		reqs = append(reqs, mpi.Irecv(c, rows[from], from, 2))
	}
	return mpi.WaitAll(reqs...)
}

func sameData(c *mpi.Comm, buf []int) error {
	var reqs []*mpi.Request
	for to := range 3 {
		reqs = append(reqs, mpi.Isend(c, buf, to, 0))
	}
	return mpi.WaitAll(reqs...)
}

func emptyMessages(c *mpi.Comm) error {
	var none []byte
	var reqs []*mpi.Request
	for from := range 3 {
		reqs = append(reqs, mpi.Irecv(c, none, from, 0))
	}
	return mpi.WaitAll(reqs...)
}

func waitedInTheLoop(c *mpi.Comm, buf []int) error {
	var reqs []*mpi.Request
	for to := range 3 {
		buf[0] = to
		reqs = append(reqs, mpi.Isend(c, buf, to, 0))
		if err := mpi.WaitAll(reqs...); err != nil {
			return err
		}
	}
	return nil
}

var nothing []byte

func emptyFromOutside(c *mpi.Comm) func() error {
	var none []byte
	return func() error {
		var reqs []*mpi.Request
		for from := range 3 {
			reqs = append(reqs, mpi.Irecv(c, none, from, 0))
			reqs = append(reqs, mpi.Irecv(c, nothing, from, 1))
		}
		return mpi.WaitAll(reqs...)
	}
}

func parameterOfItsOwn(c *mpi.Comm, buf []int) error {
	var reqs []*mpi.Request
	for to := range 3 {
		buf = append([]int(nil), to)
		reqs = append(reqs, mpi.Isend(c, buf, to, 0))
	}
	for from := range 3 {
		buf = buf[1:]
		reqs = append(reqs, mpi.Irecv(c, buf, from, 0))
	}
	return mpi.WaitAll(reqs...)
}
