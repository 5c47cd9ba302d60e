package mpi

// NewRequest makes a request for something that the program does itself: it is
// complete when the function that comes with it has been called, once, with what
// its Wait shall return. The functions that C passes for query and free are not
// needed: what a request holds, its completion knows. c is any communicator.
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
