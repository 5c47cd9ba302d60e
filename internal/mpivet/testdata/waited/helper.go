package waited

import "rhinet/mpi"

func send(c *mpi.Comm, buf []int, to int) *mpi.Request {
	if to == 0 {
		return mpi.Issend(c, buf, to, 0)
	}
	return mpi.Isend(c, buf, to, 0)
}

type neighbor struct {
	c    *mpi.Comm
	rank int
	last *mpi.Request
}

func (n *neighbor) receive(buf []int) *mpi.Request { return mpi.Irecv(n.c, buf, n.rank, 0) }

func (n *neighbor) keep(buf []int) *mpi.Request {
	n.last = mpi.Irecv(n.c, buf, n.rank, 0)
	return n.last
}

func droppedByCallers(c *mpi.Comm, n *neighbor, buf []int) {
	put := func(to int) *mpi.Request { return mpi.Isend(c, buf, to, 1) }
	send(c, buf, 1)    // want `the request of Isend is dropped: nobody can wait for it; keep it and call Wait$`
	_ = n.receive(buf) // want `the request of Irecv is dropped: nobody can wait for it; keep it and call Wait$`
	go put(2)          // want `the request of Isend is dropped: nobody can wait for it; keep it and call Wait$`
}

func leftByACaller(c *mpi.Comm, buf []int, early bool) error {
	r := send(c, buf, 1) // want `the request of Isend is not waited for on the way to line 35; call r.Wait there, too`
	if early {
		return nil
	}
	_, err := r.Wait()
	return err
}

func collectedByACaller(c *mpi.Comm, buf []int) int {
	var reqs []*mpi.Request
	for to := range 3 {
		reqs = append(reqs, send(c, buf, to)) // want `reqs collects requests, and nobody waits for them`
	}
	return len(reqs)
}

// What follows is right, or may be.

func begin(c *mpi.Comm, buf []int) *mpi.Request {
	r := mpi.Isend(c, buf, 1, 0)
	pool = append(pool, r)
	return r
}

func perhaps(c *mpi.Comm, buf []int, n *neighbor) *mpi.Request {
	if len(buf) == 0 {
		return n.last
	}
	return mpi.Isend(c, buf, 1, 0)
}

func withError(c *mpi.Comm, buf []int) (*mpi.Request, error) { return mpi.SendInit(c, buf, 1, 0) }

func named2(c *mpi.Comm, buf []int) (r *mpi.Request) {
	r = mpi.Isend(c, buf, 1, 0)
	return
}

func keptElsewhere(c *mpi.Comm, n *neighbor, buf []int) {
	var unknown func() *mpi.Request
	begin(c, buf)
	n.keep(buf)
	perhaps(c, buf, n)
	named2(c, buf)
	unknown()
	_, _ = withError(c, buf)
	_, _ = send(c, buf, 1).Wait()
}
