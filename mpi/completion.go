package mpi

import "errors"

// WaitAllStatus is [WaitAll] with the status of each request.
//
// MPI 4.1, section 3.7.5 (MPI_Waitall).
func WaitAllStatus(reqs ...*Request) ([]Status, error) {
	sts := make([]Status, len(reqs))
	var failed error
	for i, r := range reqs {
		st, err := r.Wait()
		sts[i] = st
		if err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return sts, failed
}

// TestAll completes all requests if all are complete, and reports whether it did;
// otherwise it changes none of them. Their errors are joined. It does not wait.
//
// MPI 4.1, section 3.7.5.
func TestAll(reqs ...*Request) ([]Status, bool, error) {
	if !allReady(reqs) {
		return nil, false, nil
	}
	sts, err := WaitAllStatus(reqs...)
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
	st, err := reqs[i].Wait()
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
// returns their indices with the status of each. Errors are joined. The indices are nil
// if no request is active.
//
// MPI 4.1, section 3.7.5.
func WaitSome(reqs ...*Request) ([]int, []Status, error) {
	i, st, err := WaitAny(reqs...)
	if i == Undefined {
		return nil, nil, nil
	}
	index, sts, more := TestSome(reqs...)
	return append([]int{i}, index...), append([]Status{st}, sts...), errors.Join(err, more)
}

// TestSome is [WaitSome] without waiting: the indices are empty if no request is
// complete, and nil if none is active.
//
// MPI 4.1, section 3.7.5.
func TestSome(reqs ...*Request) ([]int, []Status, error) {
	var index []int
	var sts []Status
	var failed error
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
		st, err := r.Wait()
		index, sts, failed = append(index, i), append(sts, st), errors.Join(failed, err)
	}
	return index, sts, failed
}

// StatusAll reports whether all requests are complete, and their statuses. It completes
// none of them.
//
// MPI 4.1, section 3.7.6 (MPI_Request_get_status_all).
func StatusAll(reqs ...*Request) ([]Status, bool, error) {
	if !allReady(reqs) {
		return nil, false, nil
	}
	var failed error
	sts := make([]Status, len(reqs))
	for i, r := range reqs {
		st, _, err := r.Status()
		sts[i], failed = st, errors.Join(failed, err)
	}
	return sts, true, failed
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
	var failed error
	for i, r := range reqs {
		if r.active() == nil {
			continue
		}
		if index == nil {
			index = []int{}
		}
		if st, done, err := r.Status(); done {
			index, sts, failed = append(index, i), append(sts, st), errors.Join(failed, err)
		}
	}
	return index, sts, failed
}
