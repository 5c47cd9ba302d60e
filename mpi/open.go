package mpi

// open joins the fabric of s.
func (s setup) open() (Job, error) {
	return Job{}, initError(ErrInit, "no network interface can be opened yet")
}
