package mpi

import "errors"

// In a checked job blocking calls must not use memory that a request of the program sends from or receives into
// (MPI 4.1, section 3.7.2). They are carried out all the same, because other ranks take part in them, and return
// the error afterwards.

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

// touch returns a touchError if a blocking call that begins now, and sends b or receives into it, must not use b.
// The pool is locked.
func (k *guards) touch(b []byte, fills bool) error {
	if len(b) == 0 {
		return nil
	}
	g := guard{region: region{fills: fills}, from: address(b), to: address(b) + uintptr(len(b))}
	if o := k.touching(&g); o != nil {
		return &touchError{o.owner.String(), g}
	}
	return nil
}

// near reports whether there may be guarded memory where b is. It is inlined.
func (k *requestPool) near(b []byte) bool { return address(b) < k.guards.top.Load() }

// touch is that of the guards.
func (k *requestPool) touch(b []byte, fills bool) (err error) {
	if k.near(b) {
		k.mu.Lock()
		err = k.guards.touch(b, fills)
		k.mu.Unlock()
	}
	return err
}

// touchError returns the error of a call that has been carried out, but must not have used its buffer. The calls of
// the runtime may: their memory is in the hands of those who have asked for it.
func (c *Comm) touchError(s site, e *touchError) error {
	if c.core.private {
		return nil
	}
	c.w.requests.told(e)
	return c.errorAt(s, ErrBuffer, "%s", e.Error())
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
	if k.clash == nil && len(b) > 0 {
		k.clash = k.t.c.w.requests.touch(b, fills)
	}
}

// clashed returns the error of the call in progress: err, or else that it has used the buffer of a request.
func (k *collState) clashed(err error) error {
	clash := touched(k.clash)
	if k.clash = nil; clash == nil {
		return err
	}
	if k.t.c.w.requests.told(clash); err != nil {
		return err
	}
	return &Error{Class: ErrBuffer, text: clash.Error()}
}
