package mpi

// Nonblocking collective calls. All ranks of a communicator must make them in the same
// order, together with its other collective calls; a blocking call does not match a
// nonblocking one (MPI 4.1, section 6.12). The buffers belong to the call until the
// request is complete. Any goroutine that makes progress, in any call, may call an
// operation of the user, which must not call MPI itself (section 6.9.5).
//
// Each is small enough to be inlined, as Isend is, so that a request that does not
// escape from the caller is on the caller's stack.

// Ibarrier begins [Barrier] and does not wait.
//
// MPI 4.1, section 6.12.1.
func Ibarrier(c *Comm) *Request {
	r := ibarrier(c)
	return &r
}

func ibarrier(c *Comm) Request {
	return c.nonblocking(at("Ibarrier"), func(c *Comm) error { return Barrier(c) })
}

// Ibcast begins [Bcast] and does not wait.
//
// MPI 4.1, section 6.12.2.
func Ibcast[T any](c *Comm, buf []T, root int) *Request {
	r := ibcast(c, buf, root)
	return &r
}

func ibcast[T any](c *Comm, buf []T, root int) Request {
	return c.nonblocking(atRoot("Ibcast", root), func(c *Comm) error { return Bcast(c, buf, root) })
}

// Igather begins [Gather] and does not wait.
//
// MPI 4.1, section 6.12.3.
func Igather[T any](c *Comm, send, recv []T, root int) *Request {
	r := igather(c, send, recv, root)
	return &r
}

func igather[T any](c *Comm, send, recv []T, root int) Request {
	return c.nonblocking(atRoot("Igather", root), func(c *Comm) error { return Gather(c, send, recv, root) })
}

// Igatherv begins [Gatherv] and does not wait.
//
// MPI 4.1, section 6.12.3.
func Igatherv[T any](c *Comm, send, recv []T, counts, displs []int, root int) *Request {
	r := igatherv(c, send, recv, counts, displs, root)
	return &r
}

func igatherv[T any](c *Comm, send, recv []T, counts, displs []int, root int) Request {
	return c.nonblocking(atRoot("Igatherv", root), func(c *Comm) error { return Gatherv(c, send, recv, counts, displs, root) })
}

// Iscatter begins [Scatter] and does not wait.
//
// MPI 4.1, section 6.12.4.
func Iscatter[T any](c *Comm, send, recv []T, root int) *Request {
	r := iscatter(c, send, recv, root)
	return &r
}

func iscatter[T any](c *Comm, send, recv []T, root int) Request {
	return c.nonblocking(atRoot("Iscatter", root), func(c *Comm) error { return Scatter(c, send, recv, root) })
}

// Iscatterv begins [Scatterv] and does not wait.
//
// MPI 4.1, section 6.12.4.
func Iscatterv[T any](c *Comm, send []T, counts, displs []int, recv []T, root int) *Request {
	r := iscatterv(c, send, counts, displs, recv, root)
	return &r
}

func iscatterv[T any](c *Comm, send []T, counts, displs []int, recv []T, root int) Request {
	return c.nonblocking(atRoot("Iscatterv", root), func(c *Comm) error { return Scatterv(c, send, counts, displs, recv, root) })
}

// Iallgather begins [Allgather] and does not wait.
//
// MPI 4.1, section 6.12.5.
func Iallgather[T any](c *Comm, send, recv []T) *Request {
	r := iallgather(c, send, recv)
	return &r
}

func iallgather[T any](c *Comm, send, recv []T) Request {
	return c.nonblocking(at("Iallgather"), func(c *Comm) error { return Allgather(c, send, recv) })
}

// Iallgatherv begins [Allgatherv] and does not wait.
//
// MPI 4.1, section 6.12.5.
func Iallgatherv[T any](c *Comm, send, recv []T, counts, displs []int) *Request {
	r := iallgatherv(c, send, recv, counts, displs)
	return &r
}

func iallgatherv[T any](c *Comm, send, recv []T, counts, displs []int) Request {
	return c.nonblocking(at("Iallgatherv"), func(c *Comm) error { return Allgatherv(c, send, recv, counts, displs) })
}

// Ialltoall begins [Alltoall] and does not wait.
//
// MPI 4.1, section 6.12.6.
func Ialltoall[T any](c *Comm, send, recv []T) *Request {
	r := ialltoall(c, send, recv)
	return &r
}

func ialltoall[T any](c *Comm, send, recv []T) Request {
	return c.nonblocking(at("Ialltoall"), func(c *Comm) error { return Alltoall(c, send, recv) })
}

// Ialltoallv begins [Alltoallv] and does not wait.
//
// MPI 4.1, section 6.12.6.
func Ialltoallv[T any](c *Comm, send []T, scounts, sdispls []int, recv []T, rcounts, rdispls []int) *Request {
	r := ialltoallv(c, send, scounts, sdispls, recv, rcounts, rdispls)
	return &r
}

func ialltoallv[T any](c *Comm, send []T, scounts, sdispls []int, recv []T, rcounts, rdispls []int) Request {
	return c.nonblocking(at("Ialltoallv"), func(c *Comm) error { return Alltoallv(c, send, scounts, sdispls, recv, rcounts, rdispls) })
}

// Ireduce begins [Reduce] and does not wait.
//
// MPI 4.1, section 6.12.7.
func Ireduce[T any](c *Comm, in, out []T, op Op, root int) *Request {
	r := ireduce(c, in, out, op, root)
	return &r
}

func ireduce[T any](c *Comm, in, out []T, op Op, root int) Request {
	return c.nonblocking(atRoot("Ireduce", root), func(c *Comm) error { return Reduce(c, in, out, op, root) })
}

// Iallreduce begins [Allreduce] and does not wait.
//
// MPI 4.1, section 6.12.8.
func Iallreduce[T any](c *Comm, in, out []T, op Op) *Request {
	r := iallreduce(c, in, out, op)
	return &r
}

func iallreduce[T any](c *Comm, in, out []T, op Op) Request {
	return c.nonblocking(at("Iallreduce"), func(c *Comm) error { return Allreduce(c, in, out, op) })
}

// IreduceScatterBlock begins [ReduceScatterBlock] and does not wait.
//
// MPI 4.1, section 6.12.9.
func IreduceScatterBlock[T any](c *Comm, in, out []T, op Op) *Request {
	r := ireduceScatterBlock(c, in, out, op)
	return &r
}

func ireduceScatterBlock[T any](c *Comm, in, out []T, op Op) Request {
	return c.nonblocking(at("IreduceScatterBlock"), func(c *Comm) error { return ReduceScatterBlock(c, in, out, op) })
}

// IreduceScatter begins [ReduceScatter] and does not wait.
//
// MPI 4.1, section 6.12.10.
func IreduceScatter[T any](c *Comm, in, out []T, counts []int, op Op) *Request {
	r := ireduceScatter(c, in, out, counts, op)
	return &r
}

func ireduceScatter[T any](c *Comm, in, out []T, counts []int, op Op) Request {
	return c.nonblocking(at("IreduceScatter"), func(c *Comm) error { return ReduceScatter(c, in, out, counts, op) })
}

// Iscan begins [Scan] and does not wait.
//
// MPI 4.1, section 6.12.11.
func Iscan[T any](c *Comm, in, out []T, op Op) *Request {
	r := iscan(c, in, out, op)
	return &r
}

func iscan[T any](c *Comm, in, out []T, op Op) Request {
	return c.nonblocking(at("Iscan"), func(c *Comm) error { return Scan(c, in, out, op) })
}

// Iexscan begins [Exscan] and does not wait.
//
// MPI 4.1, section 6.12.12.
func Iexscan[T any](c *Comm, in, out []T, op Op) *Request {
	r := iexscan(c, in, out, op)
	return &r
}

func iexscan[T any](c *Comm, in, out []T, op Op) Request {
	return c.nonblocking(at("Iexscan"), func(c *Comm) error { return Exscan(c, in, out, op) })
}
