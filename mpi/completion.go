package mpi

import "errors"

// RequestErrors is the error of a call that completes several requests, or asks for
// their statuses, of which some have failed. It wraps the errors of all that have, and
// tells which these are:
//
//	var failed *mpi.RequestErrors
//	if errors.As(err, &failed) && failed.Of[2] != nil
//
// MPI 4.1, section 3.7.5 (MPI_ERR_IN_STATUS).
type RequestErrors struct {
	// Of has the error of each request of the call, or nil; for WaitSome, TestSome and
	// StatusSome, of each that it returns an index for.
	Of []error
}

// Error returns the texts of all errors, one a line.
func (e *RequestErrors) Error() string { return errors.Join(e.Of...).Error() }

// Unwrap returns the errors that are not nil.
func (e *RequestErrors) Unwrap() (all []error) {
	for _, err := range e.Of {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// failedAt notes the error of request i of n in failed, which is nil as long as there is
// none.
func failedAt(failed *RequestErrors, i, n int, err error) *RequestErrors {
	if err == nil {
		return failed
	}
	if failed == nil {
		failed = &RequestErrors{make([]error, n)}
	}
	failed.Of[i] = err
	return failed
}

// requestErrors returns the error of a call that has completed requests with these errors.
func requestErrors(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return &RequestErrors{errs}
		}
	}
	return nil
}

// result returns failed as an error.
func (e *RequestErrors) result() error {
	if e == nil {
		return nil
	}
	return e
}

// WaitAllStatus is [WaitAll] with the status of each request.
//
// MPI 4.1, section 3.7.5 (MPI_Waitall).
func WaitAllStatus(reqs ...*Request) ([]Status, error) {
	all := beginMany(reqs)
	sts, err := completeAll(reqs, func(r *Request) (Status, error) { return r.waitIn("WaitAllStatus") })
	all.end("WaitAllStatus", false)
	return sts, err
}

// completeAll completes one request after the other by wait.
func completeAll(reqs []*Request, wait func(*Request) (Status, error)) ([]Status, error) {
	sts := make([]Status, len(reqs))
	var failed *RequestErrors
	for i, r := range reqs {
		st, err := wait(r)
		sts[i], failed = st, failedAt(failed, i, len(reqs), err)
	}
	return sts, failed.result()
}

// TestAll completes all requests if all are complete, and reports whether it did;
// otherwise it changes none of them. Their errors are [RequestErrors]. It does not wait.
//
// MPI 4.1, section 3.7.5.
func TestAll(reqs ...*Request) ([]Status, bool, error) {
	if !allReady(reqs) {
		return nil, false, nil
	}
	sts, err := completeAll(reqs, func(r *Request) (Status, error) { return r.completeIn("TestAll") })
	return sts, true, err
}

// allReady reports whether all requests are complete. It tests each of them, so that
// all make progress.
func allReady(reqs []*Request) bool {
	all := true
	for _, r := range reqs {
		if p := r.active(); p != nil && !p.ready() {
			all = false
		}
	}
	return all
}

// TestAny completes one of the requests if one is complete, and returns its index and
// whether it did. If no request is active, it returns index Undefined and true. It does
// not wait.
//
// MPI 4.1, section 3.7.5.
func TestAny(reqs ...*Request) (int, Status, bool, error) {
	i, none := firstReady(reqs)
	if i == Undefined {
		return Undefined, emptyStatus(), none, nil
	}
	st, err := reqs[i].completeIn("TestAny")
	return i, st, true, err
}

// firstReady returns the index of an active request that is complete, or Undefined, and
// whether no request is active.
func firstReady(reqs []*Request) (index int, none bool) {
	none = true
	for i, r := range reqs {
		if p := r.active(); p != nil {
			if p.ready() {
				return i, false
			}
			none = false
		}
	}
	return Undefined, none
}

// WaitSome waits until at least one request is complete and completes all that are; it
// returns their indices with the status of each. Errors are [RequestErrors]. The indices
// are nil if no request is active.
//
// MPI 4.1, section 3.7.5.
func WaitSome(reqs ...*Request) ([]int, []Status, error) {
	i, st, err := waitAny("WaitSome", reqs)
	if i == Undefined {
		return nil, nil, nil
	}
	index, sts, errs := testSome(reqs)
	return append([]int{i}, index...), append([]Status{st}, sts...), requestErrors(append([]error{err}, errs...))
}

// TestSome is [WaitSome] without waiting: the indices are empty if no request is
// complete, and nil if none is active.
//
// MPI 4.1, section 3.7.5.
func TestSome(reqs ...*Request) ([]int, []Status, error) {
	index, sts, errs := testSome(reqs)
	return index, sts, requestErrors(errs)
}

// testSome is TestSome with the error of each request that it completes.
func testSome(reqs []*Request) (index []int, sts []Status, errs []error) {
	for i, r := range reqs {
		p := r.active()
		if p == nil {
			continue
		}
		if index == nil {
			index = []int{}
		}
		if !p.ready() {
			continue
		}
		st, err := r.completeIn("TestSome")
		index, sts, errs = append(index, i), append(sts, st), append(errs, err)
	}
	return index, sts, errs
}

// StatusAll reports whether all requests are complete, and their statuses. It completes
// none of them.
//
// MPI 4.1, section 3.7.6 (MPI_Request_get_status_all).
func StatusAll(reqs ...*Request) ([]Status, bool, error) {
	if !allReady(reqs) {
		return nil, false, nil
	}
	var failed *RequestErrors
	sts := make([]Status, len(reqs))
	for i, r := range reqs {
		st, _, err := r.Status()
		sts[i], failed = st, failedAt(failed, i, len(reqs), err)
	}
	return sts, true, failed.result()
}

// StatusAny is [TestAny] without completing the request.
//
// MPI 4.1, section 3.7.6 (MPI_Request_get_status_any).
func StatusAny(reqs ...*Request) (int, Status, bool, error) {
	i, none := firstReady(reqs)
	if i == Undefined {
		return Undefined, emptyStatus(), none, nil
	}
	return getStatus(i, reqs[i])
}

func getStatus(i int, r *Request) (int, Status, bool, error) {
	st, done, err := r.Status()
	return i, st, done, err
}

// StatusSome is [TestSome] without completing the requests.
//
// MPI 4.1, section 3.7.6 (MPI_Request_get_status_some).
func StatusSome(reqs ...*Request) ([]int, []Status, error) {
	var index []int
	var sts []Status
	var errs []error
	for i, r := range reqs {
		if r.active() == nil {
			continue
		}
		if index == nil {
			index = []int{}
		}
		if st, done, err := r.Status(); done {
			index, sts, errs = append(index, i), append(sts, st), append(errs, err)
		}
	}
	return index, sts, requestErrors(errs)
}
