package mpi

// A Part is memory of any element type, or with any layout, for calls in which each
// rank's part may have another one: see [PartOf].
//
// MPI 4.1, section 6.8 (MPI_Alltoallw).
type Part struct {
	b   []byte
	e   func(*Comm) *elem
	set bool
}

// PartOf returns the memory of buf as a Part.
//
// MPI 4.1, section 6.8 (MPI_Alltoallw).
func PartOf[T any](buf []T) Part { return Part{view(buf), elemFor[T], true} }

// noneSkipped is for calls that move all parts.
func noneSkipped(int, bool) bool { return false }

// Alltoallw is [Alltoallv] with an element type for each part: the caller sends send[i]
// to rank i and receives recv[i] from it, which must have as many bytes as rank i
// sends. The zero Part is empty. Parts of recv must not overlap each other or parts of
// send. In place: pass recv as send.
//
// MPI 4.1, section 6.8.
func Alltoallw(c *Comm, send, recv []Part) (err error) {
	defer c.raised(&err)
	w, err := c.packParts("Alltoallw", send, recv)
	if err != nil {
		return err
	}
	l := new(launch)
	if c.w.Check {
		l.regions = c.regions(at("Alltoallw"), send, recv)
	}
	if err = c.directly(l, w.call); carriedOut(err) {
		w.unpack(c, recv)
	}
	return named("Alltoallw", err)
}

// Ialltoallw begins [Alltoallw] and does not wait.
//
// MPI 4.1, section 6.12.6.
func Ialltoallw(c *Comm, send, recv []Part) *Request {
	s := at("Ialltoallw")
	w, err := c.packParts(s.call, send, recv)
	if err != nil {
		return c.failedRequest(s, err)
	}
	l, err := c.prepare(&launch{call: s.call, once: true}, w.call)
	if err != nil && l.script == nil {
		return c.failedRequest(s, err)
	}
	l.unpack = func() { w.unpack(c, recv) }
	if c.w.Check {
		l.regions = c.regions(s, send, recv)
	}
	r := l.begin(c, s)
	return &r
}

// call moves the parts.
func (w *packedParts) call(c *Comm) error {
	return alltoallvAs(c, at("Alltoallw"), w.out, w.scounts, nil, w.in, w.rcounts, nil)
}

// AlltoallwInit makes a persistent request for [Alltoallw].
//
// MPI 4.1, section 6.13.6.
func AlltoallwInit(c *Comm, send, recv []Part) (_ *Request, err error) {
	defer c.raised(&err)
	s := at("AlltoallwInit")
	w, err := c.packParts(s.call, send, recv)
	if err != nil {
		return nil, err
	}
	l, err := c.prepare(&launch{call: s.call}, w.call)
	if err != nil {
		return nil, err
	}
	l.pack, l.unpack = func() { w.packAgain(c, send) }, func() { w.unpack(c, recv) }
	if c.w.Check {
		l.regions = c.regions(s, send, recv)
	}
	return l.repeat(c, s), nil
}

// after returns a request that completes when r is complete and f has been called with
// its error; the error of the request is what f returns. The regions are in use until
// then.
func (c *Comm) after(r *Request, s site, used []region, f func(error) error) *Request {
	p := r.active()
	c.disown(p)
	k := newTask()
	next := c.request(s, k)
	if len(used) > 0 {
		c.w.requests.guardAll(next.p, used)
	}
	finish := func() (Status, error) {
		st, err := r.Wait()
		return st, f(err)
	}
	if p.ready() {
		k.end(finish())
		return &next
	}
	var done <-chan struct{}
	if c.w.Clock == nil { // else the clock must see the wait; here reports must not
		done = r.Done()
	}
	c.attend(k, func() (Status, error) {
		if done != nil {
			<-done
		}
		return finish()
	})
	return &next
}

// named puts the name of the call that the program made into an error.
func named(call string, err error) error {
	if e, ok := err.(*Error); ok {
		e.Call = call
	}
	return err
}

// A packedParts is what an Alltoallw moves, one part after the other.
type packedParts struct {
	out, in          []byte
	scounts, rcounts []int
}

// packParts checks the parts and packs what is sent.
func (c *Comm) packParts(call string, send, recv []Part) (w packedParts, err error) {
	s := at(call)
	if err := c.check(s); err != nil {
		return w, err
	}
	if len(send) != c.size || len(recv) != c.size {
		return w, c.errorAt(s, ErrCount, "%d parts to send and %d to receive for %d ranks; give one for each rank, empty ones too", len(send), len(recv), c.size)
	}
	for i := range send {
		for _, p := range []Part{send[i], recv[i]} {
			if p.set && p.e(c).bad != "" && !p.e(c).items {
				return w, c.badElem(s, p.e(c))
			}
		}
		w.scounts, w.rcounts = append(w.scounts, send[i].elem(c).bytesOf(send[i].b)), append(w.rcounts, recv[i].elem(c).bytesOf(recv[i].b))
	}
	if c.inter == nil && w.scounts[c.rank] != w.rcounts[c.rank] {
		return w, c.errorAt(s, ErrCount, "the caller sends itself %d bytes and expects %d", w.scounts[c.rank], w.rcounts[c.rank])
	}
	room := 0
	for i, p := range send {
		_, b, err := c.packed(s, p.elem(c), p.b)
		if err != nil {
			return w, err
		}
		w.out = append(w.out, b...)
		room += w.rcounts[i]
	}
	for _, p := range recv {
		if p.elem(c).items {
			if _, err := c.bodyOf(s, elements[Item](p.b), true); err != nil {
				return w, err
			}
		}
	}
	if text := c.mingled(s, send, recv, c.inter == nil, noneSkipped); text != "" {
		return w, c.errorAt(s, ErrBuffer, "%s", text)
	}
	w.in = make([]byte, room)
	return w, nil
}

// packAgain packs what the parts hold now.
func (w *packedParts) packAgain(c *Comm, send []Part) {
	next := 0
	for _, p := range send {
		_, b, _ := c.packed(at("AlltoallwInit"), p.elem(c), p.b) // packParts has checked it
		next += copy(w.out[next:], b)
	}
}

// unpack hands out what was received.
func (w *packedParts) unpack(c *Comm, recv []Part) {
	b := w.in
	for i, p := range recv {
		if mine := b[:w.rcounts[i]]; p.elem(c).items {
			in, _ := c.bodyOf(at("Alltoallw"), elements[Item](p.b), true) // packParts has checked it
			in.Scatter(mine, 0)
		} else {
			copy(p.b, mine)
		}
		b = b[w.rcounts[i]:]
	}
}
