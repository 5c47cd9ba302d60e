package mpi

// NeighborAllgather sends send to every neighbor and receives what each of them sends
// into its part of recv, which has one part of that length for each neighbor that sends
// to the caller.
//
// MPI 4.1, section 8.6.1.
func NeighborAllgather[T any](c *Comm, send, recv []T) error {
	s := at("NeighborAllgather")
	h, err := neighborAllgather(c, s, send, recv)
	return h.run(c, s, err)
}

// IneighborAllgather begins [NeighborAllgather] and does not wait.
//
// MPI 4.1, section 8.7.1.
func IneighborAllgather[T any](c *Comm, send, recv []T) *Request {
	r := ineighborAllgather(c, send, recv)
	return &r
}

func ineighborAllgather[T any](c *Comm, send, recv []T) Request {
	s := at("IneighborAllgather")
	h, err := neighborAllgather(c, s, send, recv)
	return h.start(c, s, err)
}

// NeighborAllgatherInit makes a persistent request for [NeighborAllgather]. All ranks make
// these requests in the same order, and may start them in different orders.
//
// MPI 4.1, section 8.8.1.
func NeighborAllgatherInit[T any](c *Comm, send, recv []T) (*Request, error) {
	s := at("NeighborAllgatherInit")
	h, err := neighborAllgather(c, s, send, recv)
	return h.persist(c, s, err)
}

// NeighborAllgatherv is [NeighborAllgather] with a length and a displacement for what
// each neighbor sends; with nil displs the parts follow each other. send may lie between
// the parts of recv.
//
// MPI 4.1, section 8.6.1.
func NeighborAllgatherv[T any](c *Comm, send, recv []T, counts, displs []int) error {
	s := at("NeighborAllgatherv")
	h, err := neighborAllgatherv(c, s, send, recv, counts, displs)
	return h.run(c, s, err)
}

// IneighborAllgatherv begins [NeighborAllgatherv] and does not wait.
//
// MPI 4.1, section 8.7.1.
func IneighborAllgatherv[T any](c *Comm, send, recv []T, counts, displs []int) *Request {
	r := ineighborAllgatherv(c, send, recv, counts, displs)
	return &r
}

func ineighborAllgatherv[T any](c *Comm, send, recv []T, counts, displs []int) Request {
	s := at("IneighborAllgatherv")
	h, err := neighborAllgatherv(c, s, send, recv, counts, displs)
	return h.start(c, s, err)
}

// NeighborAllgathervInit makes a persistent request for [NeighborAllgatherv].
//
// MPI 4.1, section 8.8.1.
func NeighborAllgathervInit[T any](c *Comm, send, recv []T, counts, displs []int) (*Request, error) {
	s := at("NeighborAllgathervInit")
	h, err := neighborAllgatherv(c, s, send, recv, counts, displs)
	return h.persist(c, s, err)
}

// NeighborAlltoall sends each of the equal parts of send to another neighbor, and
// receives a part of recv from each.
//
// MPI 4.1, section 8.6.2.
func NeighborAlltoall[T any](c *Comm, send, recv []T) error {
	s := at("NeighborAlltoall")
	h, err := neighborAlltoall(c, s, send, recv)
	return h.run(c, s, err)
}

// IneighborAlltoall begins [NeighborAlltoall] and does not wait.
//
// MPI 4.1, section 8.7.2.
func IneighborAlltoall[T any](c *Comm, send, recv []T) *Request {
	r := ineighborAlltoall(c, send, recv)
	return &r
}

func ineighborAlltoall[T any](c *Comm, send, recv []T) Request {
	s := at("IneighborAlltoall")
	h, err := neighborAlltoall(c, s, send, recv)
	return h.start(c, s, err)
}

// NeighborAlltoallInit makes a persistent request for [NeighborAlltoall].
//
// MPI 4.1, section 8.8.2.
func NeighborAlltoallInit[T any](c *Comm, send, recv []T) (*Request, error) {
	s := at("NeighborAlltoallInit")
	h, err := neighborAlltoall(c, s, send, recv)
	return h.persist(c, s, err)
}

// NeighborAlltoallv is [NeighborAlltoall] with a length and a displacement for each
// part. send and recv may be the same slice, such as a grid with its borders, if no element
// is both sent and received.
//
// MPI 4.1, section 8.6.2.
func NeighborAlltoallv[T any](c *Comm, send []T, scounts, sdispls []int, recv []T, rcounts, rdispls []int) error {
	s := at("NeighborAlltoallv")
	h, err := neighborAlltoallv(c, s, send, scounts, sdispls, recv, rcounts, rdispls)
	return h.run(c, s, err)
}

// IneighborAlltoallv begins [NeighborAlltoallv] and does not wait.
//
// MPI 4.1, section 8.7.2.
func IneighborAlltoallv[T any](c *Comm, send []T, scounts, sdispls []int, recv []T, rcounts, rdispls []int) *Request {
	r := ineighborAlltoallv(c, send, scounts, sdispls, recv, rcounts, rdispls)
	return &r
}

func ineighborAlltoallv[T any](c *Comm, send []T, scounts, sdispls []int, recv []T, rcounts, rdispls []int) Request {
	s := at("IneighborAlltoallv")
	h, err := neighborAlltoallv(c, s, send, scounts, sdispls, recv, rcounts, rdispls)
	return h.start(c, s, err)
}

// NeighborAlltoallvInit makes a persistent request for [NeighborAlltoallv].
//
// MPI 4.1, section 8.8.2.
func NeighborAlltoallvInit[T any](c *Comm, send []T, scounts, sdispls []int, recv []T, rcounts, rdispls []int) (*Request, error) {
	s := at("NeighborAlltoallvInit")
	h, err := neighborAlltoallv(c, s, send, scounts, sdispls, recv, rcounts, rdispls)
	return h.persist(c, s, err)
}

// NeighborAlltoallw is [NeighborAlltoall] with an element type for each part.
//
// MPI 4.1, section 8.6.2.
func NeighborAlltoallw(c *Comm, send, recv []Part) error {
	s := at("NeighborAlltoallw")
	h, err := neighborAlltoallw(c, s, send, recv)
	return h.run(c, s, err)
}

// IneighborAlltoallw begins [NeighborAlltoallw] and does not wait.
//
// MPI 4.1, section 8.7.2.
func IneighborAlltoallw(c *Comm, send, recv []Part) *Request {
	r := ineighborAlltoallw(c, send, recv)
	return &r
}

func ineighborAlltoallw(c *Comm, send, recv []Part) Request {
	s := at("IneighborAlltoallw")
	h, err := neighborAlltoallw(c, s, send, recv)
	return h.start(c, s, err)
}

// NeighborAlltoallwInit makes a persistent request for [NeighborAlltoallw].
//
// MPI 4.1, section 8.8.2.
func NeighborAlltoallwInit(c *Comm, send, recv []Part) (*Request, error) {
	s := at("NeighborAlltoallwInit")
	h, err := neighborAlltoallw(c, s, send, recv)
	return h.persist(c, s, err)
}
