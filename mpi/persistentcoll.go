package mpi

// Persistent collective calls. All ranks of a communicator must make them in the same
// order, together with its other collective calls, and such a call may wait for the
// other ranks. Starts do not count in that order: ranks may start operations in
// different orders. Lengths and displacements are those of the call that made the
// request, the contents of the buffers those at each start.

// BarrierInit makes a persistent request for [Barrier].
//
// MPI 4.1, section 6.13.1.
func BarrierInit(c *Comm) (*Request, error) {
	return c.persistent(at("BarrierInit"), func(c *Comm) error { return Barrier(c) })
}

// BcastInit makes a persistent request for [Bcast].
//
// MPI 4.1, section 6.13.2.
func BcastInit[T any](c *Comm, buf []T, root int) (*Request, error) {
	return c.persistent(atRoot("BcastInit", root), func(c *Comm) error { return Bcast(c, buf, root) })
}

// GatherInit makes a persistent request for [Gather].
//
// MPI 4.1, section 6.13.3.
func GatherInit[T any](c *Comm, send, recv []T, root int) (*Request, error) {
	return c.persistent(atRoot("GatherInit", root), func(c *Comm) error { return Gather(c, send, recv, root) })
}

// GathervInit makes a persistent request for [Gatherv].
//
// MPI 4.1, section 6.13.3.
func GathervInit[T any](c *Comm, send, recv []T, counts, displs []int, root int) (*Request, error) {
	return c.persistent(atRoot("GathervInit", root), func(c *Comm) error { return Gatherv(c, send, recv, counts, displs, root) })
}

// ScatterInit makes a persistent request for [Scatter].
//
// MPI 4.1, section 6.13.4.
func ScatterInit[T any](c *Comm, send, recv []T, root int) (*Request, error) {
	return c.persistent(atRoot("ScatterInit", root), func(c *Comm) error { return Scatter(c, send, recv, root) })
}

// ScattervInit makes a persistent request for [Scatterv].
//
// MPI 4.1, section 6.13.4.
func ScattervInit[T any](c *Comm, send []T, counts, displs []int, recv []T, root int) (*Request, error) {
	return c.persistent(atRoot("ScattervInit", root), func(c *Comm) error { return Scatterv(c, send, counts, displs, recv, root) })
}

// AllgatherInit makes a persistent request for [Allgather].
//
// MPI 4.1, section 6.13.5.
func AllgatherInit[T any](c *Comm, send, recv []T) (*Request, error) {
	return c.persistent(at("AllgatherInit"), func(c *Comm) error { return Allgather(c, send, recv) })
}

// AllgathervInit makes a persistent request for [Allgatherv].
//
// MPI 4.1, section 6.13.5.
func AllgathervInit[T any](c *Comm, send, recv []T, counts, displs []int) (*Request, error) {
	return c.persistent(at("AllgathervInit"), func(c *Comm) error { return Allgatherv(c, send, recv, counts, displs) })
}

// AlltoallInit makes a persistent request for [Alltoall].
//
// MPI 4.1, section 6.13.6.
func AlltoallInit[T any](c *Comm, send, recv []T) (*Request, error) {
	return c.persistent(at("AlltoallInit"), func(c *Comm) error { return Alltoall(c, send, recv) })
}

// AlltoallvInit makes a persistent request for [Alltoallv].
//
// MPI 4.1, section 6.13.6.
func AlltoallvInit[T any](c *Comm, send []T, scounts, sdispls []int, recv []T, rcounts, rdispls []int) (*Request, error) {
	return c.persistent(at("AlltoallvInit"), func(c *Comm) error { return Alltoallv(c, send, scounts, sdispls, recv, rcounts, rdispls) })
}

// ReduceInit makes a persistent request for [Reduce].
//
// MPI 4.1, section 6.13.7.
func ReduceInit[T any](c *Comm, in, out []T, op Op, root int) (*Request, error) {
	return c.persistent(atRoot("ReduceInit", root), func(c *Comm) error { return Reduce(c, in, out, op, root) })
}

// AllreduceInit makes a persistent request for [Allreduce].
//
// MPI 4.1, section 6.13.8.
func AllreduceInit[T any](c *Comm, in, out []T, op Op) (*Request, error) {
	return c.persistent(at("AllreduceInit"), func(c *Comm) error { return Allreduce(c, in, out, op) })
}

// ReduceScatterBlockInit makes a persistent request for [ReduceScatterBlock].
//
// MPI 4.1, section 6.13.9.
func ReduceScatterBlockInit[T any](c *Comm, in, out []T, op Op) (*Request, error) {
	return c.persistent(at("ReduceScatterBlockInit"), func(c *Comm) error { return ReduceScatterBlock(c, in, out, op) })
}

// ReduceScatterInit makes a persistent request for [ReduceScatter].
//
// MPI 4.1, section 6.13.10.
func ReduceScatterInit[T any](c *Comm, in, out []T, counts []int, op Op) (*Request, error) {
	return c.persistent(at("ReduceScatterInit"), func(c *Comm) error { return ReduceScatter(c, in, out, counts, op) })
}

// ScanInit makes a persistent request for [Scan].
//
// MPI 4.1, section 6.13.11.
func ScanInit[T any](c *Comm, in, out []T, op Op) (*Request, error) {
	return c.persistent(at("ScanInit"), func(c *Comm) error { return Scan(c, in, out, op) })
}

// ExscanInit makes a persistent request for [Exscan].
//
// MPI 4.1, section 6.13.12.
func ExscanInit[T any](c *Comm, in, out []T, op Op) (*Request, error) {
	return c.persistent(at("ExscanInit"), func(c *Comm) error { return Exscan(c, in, out, op) })
}
