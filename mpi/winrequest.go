package mpi

// Rput is [Win.Put] with a request, only in epochs of Lock and LockAll. When the
// request is complete, data may be used again; for completion at the target see
// [Win.Flush].
//
// MPI 4.1, section 12.3.5.
func (w *Win[T]) Rput(data []T, target, disp int) *Request {
	s := atPeer("Rput", target)
	return w.base().requested(s, func() error { return w.put(s, w.elem, view(data), disp, len(data)) })
}

// Rget is [Win.Get] with a request, only in epochs of Lock and LockAll.
//
// MPI 4.1, section 12.3.5.
func (w *Win[T]) Rget(buf []T, target, disp int) *Request {
	s := atFrom("Rget", target)
	return w.base().requested(s, func() error { return w.get(s, w.elem, view(buf), disp, len(buf)) })
}

// Raccumulate is [Win.Accumulate] with a request, only in epochs of Lock and LockAll.
//
// MPI 4.1, section 12.3.5.
func (w *Win[T]) Raccumulate(data []T, target, disp int, op Op) *Request {
	s := atPeer("Raccumulate", target)
	return w.base().requested(s, func() error {
		return w.update(s, &update{e: w.elem, data: view(data)}, op, disp, len(data))
	})
}

// RgetAccumulate is [Win.GetAccumulate] with a request, only in epochs of Lock and
// LockAll.
//
// MPI 4.1, section 12.3.5.
func (w *Win[T]) RgetAccumulate(data, old []T, target, disp int, op Op) *Request {
	s := atPeer("RgetAccumulate", target)
	return w.base().requested(s, func() error { return w.getAccumulate(s, data, old, disp, op) })
}

// requested calls f and returns a complete request.
func (w *window) requested(s site, f func() error) *Request {
	err := w.check(s)
	if err != nil {
		return w.owner().failedRequest(s, err)
	}
	if mode := w.mode.Load(); mode != winLocked && mode != winLockAll {
		return w.c.failedRequest(s, w.c.errorAt(s, ErrRMASync, "requests are for epochs of Lock and LockAll; call Lock or LockAll first"))
	}
	if err := f(); err != nil {
		return w.c.failedRequest(s, err)
	}
	k := newTask()
	k.end(emptyStatus(), nil)
	r := w.c.request(s, k)
	return &r
}
