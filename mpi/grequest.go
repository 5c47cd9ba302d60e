package mpi

import "sync/atomic"

// NewRequest makes a request for an operation of the program (generalized request): it
// is complete when the function complete has been called, once, with the results that
// its Wait shall return. An error that is not an [*Error] becomes the cause of one, of
// the class that [Comm.CallErrhandler] would give it. A second call of complete does
// nothing and returns ErrRequest.
//
// [Request.Cancel] calls the function cancel, if there is one, with whether the request
// is complete already, and returns its error; it does nothing else. If cancel ends the
// operation, it calls complete with a status of which [Status.SetCancelled] was called.
// A Cancel of the request while cancel runs, as by cancel itself, has no effect.
//
// The query and free functions of C are not needed: complete and its closure replace
// them. c may be any communicator.
//
// MPI 4.1, section 13.2 (MPI_Grequest_start, MPI_Grequest_complete).
func NewRequest(c *Comm, cancel ...func(complete bool) error) (_ *Request, complete func(Status, error) error, err error) {
	defer c.raised(&err)
	s := at("NewRequest")
	if err := c.check(s); err != nil {
		return nil, nil, err
	}
	k := newTask()
	var cancelling atomic.Bool
	k.cancel = func() error {
		if cancelling.Swap(true) {
			return nil
		}
		defer cancelling.Store(false)
		for _, f := range cancel {
			if err := c.asError(at("Cancel"), f(k.over.Load())); err != nil {
				return err
			}
		}
		return nil
	}
	r := c.request(s, k)
	var completed atomic.Bool
	return &r, func(st Status, err error) error {
		if completed.Swap(true) {
			return c.raise(c.errorAt(s, ErrRequest, "the request is complete already; complete it once"))
		}
		k.end(st, c.asError(s, err))
		return nil
	}, nil
}

// asError makes an error of the program an [*Error], unless it is one.
func (c *Comm) asError(s site, err error) error {
	if _, is := err.(*Error); is || err == nil {
		return err
	}
	return c.ofProgram(s, err)
}
