package mpi

// NewRequest makes a request for an operation of the program (generalized request): it
// is complete when the function that is returned with it has been called, once, with
// the results that its Wait shall return. The query and free functions of C are not
// needed: that function and its closure replace them. c may be any communicator.
//
// MPI 4.1, section 13.2 (MPI_Grequest_start, MPI_Grequest_complete).
func NewRequest(c *Comm) (_ *Request, _ func(Status, error), err error) {
	defer c.raised(&err)
	s := at("NewRequest")
	if err := c.check(s); err != nil {
		return nil, nil, err
	}
	k := newTask()
	r := c.request(s, k)
	return &r, k.end, nil
}
