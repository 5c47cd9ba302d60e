package mpi

import "errors"

// In a checked job blocking calls must not use memory that a request of the program sends from or receives into
// (MPI 4.1, section 3.7.2). They are carried out all the same, because other ranks take part in them, and return
// the error afterwards. An access to a window is not made.

// A touchError says which request has the memory that a blocking call has used.
type touchError struct {
	other string
	used  guard
}

// Error is what the program is told.
func (e *touchError) Error() string {
	return "the buffer overlaps that of a request that was not complete: " + e.other + "; give each a buffer of its own, or Wait before"
}

// touched returns the touchError in err, or nil.
func touched(err error) *touchError {
	var e *touchError
	errors.As(err, &e)
	return e
}

// touch returns a touchError if a blocking call that begins now, and sends r or receives into it, must not use r.
// The pool is locked.
func (k *guards) touch(r region, mem []byte) *touchError {
	g := guard{region: r, from: address(mem), to: address(mem) + uintptr(len(mem))}
	if o := k.touching(&g); o != nil {
		return &touchError{o.owner.String(), g}
	}
	return nil
}

// near reports whether there may be guarded memory where b is. It is inlined.
func (k *requestPool) near(b []byte) bool { return address(b) < k.guards.top.Load() }

// guarding reports whether there is guarded memory.
func (k *requestPool) guarding() bool { return k.guards.top.Load() > 0 }

// touch is that of the guards for each of some regions.
func (k *requestPool) touch(all ...region) (clash *touchError) {
	for i := range all {
		if mem := all[i].span(); len(mem) > 0 && k.near(mem) {
			k.mu.Lock()
			clash = k.guards.touch(all[i], mem)
			k.mu.Unlock()
		}
		if clash != nil {
			return clash
		}
	}
	return nil
}

// touchError returns the error of a call that has been carried out, but must not have used its buffer. The calls of
// the runtime may: their memory is in the hands of those who have asked for it.
func (c *Comm) touchError(s site, e *touchError) error {
	if c.core.private {
		return nil
	}
	c.w.requests.told(e)
	return c.because(s, ErrBuffer, e, "")
}

// told has the requests from whose buffers the call with this error has changed not report that, too.
func (k *requestPool) told(e *touchError) {
	k.mu.Lock()
	k.guards.share(&e.used)
	k.mu.Unlock()
}

// watches reports whether the call in progress is one whose buffers are looked at. Those of a call that is only
// prepared are guarded by its request.
func (k *collState) watches() bool { return k.watch && k.quick != &k.none }

// uses says that the blocking call in progress sends from in and receives into out. It is inlined.
func (k *collState) uses(in, out []byte) {
	if k.watches() {
		k.usesBoth(in, out)
	}
}

func (k *collState) usesBoth(in, out []byte) {
	k.touch(in, false)
	k.touch(out, true)
}

// usesParts is uses for the parts of one buffer.
func (k *collState) usesParts(buf []byte, d *division, fills bool) {
	if k.watches() {
		for i := range d.parts {
			k.touch(d.of(buf, i), fills)
		}
	}
}

// takes is uses for this rank's contribution and the parts into which all contributions go, of which it may be one.
func (k *collState) takes(in, out []byte) {
	if k.usesParts(out, &k.gathered, true); !sameStart(in, out) {
		k.uses(in, nil)
	}
}

// touch is uses for one piece of memory. The call is carried out, and then fails.
func (k *collState) touch(b []byte, fills bool) {
	k.touchAll(k.flats.region(b, fills))
}

// touchAll is touch for some regions.
func (k *collState) touchAll(all ...region) {
	if k.clash == nil {
		k.clash = k.t.c.w.requests.touch(all...)
	}
}

// clashed returns the error of the call in progress: err, or else that it has used the buffer of a request.
func (k *collState) clashed(err error) error {
	clash := k.clash
	if k.clash = nil; clash == nil {
		return err
	}
	if k.t.c.w.requests.told(clash); err != nil {
		return err
	}
	return &Error{Class: ErrBuffer, Err: clash}
}

// carriedOut reports whether a call with the error err has moved all its data.
func carriedOut(err error) bool { return err == nil || touched(err) != nil }
