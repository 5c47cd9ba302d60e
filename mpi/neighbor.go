package mpi

import (
	"errors"

	"rhinet/llc"
)

// The calls to neighbors. All ranks of a communicator with a topology make them
// in one order; each exchanges with its neighbors, in the order that the
// topology has for them: in a grid, for each dimension that below and that
// above; nothing moves beyond an end, and that part of the buffer stays as it is.
// They post all their messages at once, so those of one pair meet in the order
// of the calls, also of those that do not block.

// A hood is a call to neighbors, checked: what to receive and to send.
type hood struct {
	in, out    []edge
	recv, send func(i int) []byte
	re, se     func(i int) *elem
}

// hoodOf finds the neighbors.
func (c *Comm) hoodOf(s site) (*hood, error) {
	if err := c.check(s); err != nil {
		return nil, err
	}
	if c.topo == nil {
		return nil, c.errorAt(s, ErrTopology, "the communicator has no topology; make one with CartCreate, GraphCreate or DistGraphCreate")
	}
	h := new(hood)
	h.in, h.out = c.topo.neighbors(c.rank)
	return h, nil
}

// hoodFor is hoodOf for elements of one type.
func hoodFor[T any](c *Comm, s site, send, recv []T) (*hood, error) {
	h, err := c.hoodOf(s)
	if err != nil {
		return nil, err
	}
	e := elemFor[T](c)
	if e.bad != "" && !e.items {
		return nil, c.badElem(s, e)
	}
	if overlap(view(send), view(recv)) {
		return nil, c.errorAt(s, ErrBuffer, "send and recv overlap; they must be apart")
	}
	one := func(int) *elem { return e }
	h.re, h.se = one, one
	return h, nil
}

// begin posts all messages.
func (h *hood) begin(c *Comm, s site) (reqs []Request) {
	for i, e := range h.in {
		reqs = append(reqs, c.beginEdge(s, h.re(i), h.recv(i), e, receiving))
	}
	for i, e := range h.out {
		reqs = append(reqs, c.beginEdge(s, h.se(i), h.send(i), e, sending))
	}
	return reqs
}

// beginEdge is begin in the collective context.
func (c *Comm) beginEdge(s site, e *elem, b []byte, to edge, k kind) Request {
	var in *body
	if e.items {
		var err error
		if e, b, in, err = c.spread(s, b, k == receiving); err != nil {
			return *c.failedRequest(s, err)
		}
	}
	p := c.w.requests.take(false)
	p.c, p.elem, p.kind, p.null = c, e, k, to.peer == ProcNull
	p.site = site{s.call, toPeer, to.peer, Undefined}
	if k == receiving {
		p.site.role = fromPeer
	}
	if !p.null {
		id := c.id
		if k != receiving {
			id = c.idOf(to.peer)
		}
		p.Peer, p.Tag, p.Buf, p.Mode = c.global(to.peer), id.tag(groupTag|neighborTag|to.tag&(neighborTag-1)), b, llc.Standard
		p.Context, p.Type, p.Label = id.collective(), e.key.Type(), s.call
		if in != nil {
			p.lay(in)
		}
		c.t.Start(&p.Request, k != receiving)
	}
	c.disown(p)
	return Request{p: p, gen: p.gen}
}

// finish waits for what begin posted.
func (h *hood) finish(c *Comm, s site, reqs []Request) error {
	var failed error
	for i := range reqs {
		st, err := reqs[i].Wait()
		if err != nil {
			var e *Error
			if errors.As(err, &e) {
				e.Tag = Undefined
			}
			failed = errors.Join(failed, err)
		} else if i < len(h.in) && h.in[i].peer != ProcNull && st.Bytes != int64(h.re(i).bytesOf(h.recv(i))) {
			failed = errors.Join(failed, c.errorAt(s, ErrTruncate, "%d bytes arrived from %d where %d belong; neighbors must call it with lengths that fit",
				st.Bytes, h.in[i].peer, h.re(i).bytesOf(h.recv(i))))
		}
	}
	return failed
}

// The three ways of a call to neighbors, each of which checked it before.

func (h *hood) run(c *Comm, s site, err error) error {
	if err == nil {
		err = h.finish(c, s, h.begin(c, s))
	}
	return c.raise(err)
}

func (h *hood) start(c *Comm, s site, err error) *Request {
	if err != nil {
		return c.failedRequest(s, err)
	}
	r := h.request(c, s)
	return &r
}

func (h *hood) persist(c *Comm, s site, err error) (*Request, error) {
	if err != nil {
		return nil, c.raise(err)
	}
	return c.repeat(s, func() Request { return h.request(c, s) }), nil
}

// request begins the call; a goroutine waits for what is not there at once.
func (h *hood) request(c *Comm, s site) Request {
	reqs, k := h.begin(c, s), newTask()
	r := c.request(s, k)
	if c.w.Check {
		c.w.requests.guardAll(r.p, regionsOf(reqs))
	}
	for i := range reqs {
		if !reqs[i].p.ready() {
			go func() { k.end(emptyStatus(), h.finish(c, s, reqs)) }()
			return r
		}
	}
	k.end(emptyStatus(), h.finish(c, s, reqs))
	return r
}

// regionsOf are the buffers of transfers that have just begun.
func regionsOf(reqs []Request) (all []region) {
	for i := range reqs {
		if p := reqs[i].p; p.started() {
			all = append(all, p.region())
		}
	}
	return all
}

func neighborAllgather[T any](c *Comm, s site, send, recv []T) (*hood, error) {
	h, err := hoodFor(c, s, send, recv)
	if err != nil {
		return nil, err
	}
	n := len(send)
	if len(recv) != n*len(h.in) {
		return nil, c.errorAt(s, ErrCount, "recv has room for %d elements, %d neighbors send %d each; make it %d", len(recv), len(h.in), n, n*len(h.in))
	}
	h.send = func(int) []byte { return view(send) }
	h.recv = func(i int) []byte { return view(recv[i*n : (i+1)*n]) }
	return h, nil
}

func neighborAllgatherv[T any](c *Comm, s site, send, recv []T, counts, displs []int) (*hood, error) {
	h, err := hoodFor(c, s, send, recv)
	if err != nil {
		return nil, err
	}
	if class, text := misplaced(len(h.in), len(recv), counts, displs); text != "" {
		return nil, c.errorAt(s, class, "recv: %s", text)
	}
	h.send = func(int) []byte { return view(send) }
	h.recv = parts(recv, counts, displs)
	return h, nil
}

func neighborAlltoall[T any](c *Comm, s site, send, recv []T) (*hood, error) {
	h, err := hoodFor(c, s, send, recv)
	if err != nil {
		return nil, err
	}
	in, out := len(h.in), len(h.out)
	if in == 0 && len(recv) > 0 || in > 0 && len(recv)%in != 0 {
		return nil, c.errorAt(s, ErrCount, "recv has %d elements, which cannot be cut into equal parts for %d neighbors; use NeighborAlltoallv", len(recv), in)
	}
	if out == 0 && len(send) > 0 || out > 0 && len(send)%out != 0 {
		return nil, c.errorAt(s, ErrCount, "send has %d elements, which cannot be cut into equal parts for %d neighbors; use NeighborAlltoallv", len(send), out)
	}
	if in > 0 && out > 0 && len(send)/out != len(recv)/in {
		return nil, c.errorAt(s, ErrCount, "send has parts of %d elements and recv of %d; they must be equally long", len(send)/out, len(recv)/in)
	}
	h.send = func(i int) []byte { return view(send[i*len(send)/out : (i+1)*len(send)/out]) }
	h.recv = func(i int) []byte { return view(recv[i*len(recv)/in : (i+1)*len(recv)/in]) }
	return h, nil
}

func neighborAlltoallv[T any](c *Comm, s site, send []T, scounts, sdispls []int, recv []T, rcounts, rdispls []int) (*hood, error) {
	h, err := hoodFor(c, s, send, recv)
	if err != nil {
		return nil, err
	}
	if class, text := misfit(len(h.out), len(send), scounts, sdispls); text != "" {
		return nil, c.errorAt(s, class, "send: %s", text)
	}
	if class, text := misplaced(len(h.in), len(recv), rcounts, rdispls); text != "" {
		return nil, c.errorAt(s, class, "recv: %s", text)
	}
	h.send, h.recv = parts(send, scounts, sdispls), parts(recv, rcounts, rdispls)
	return h, nil
}

// parts gives part i of buf. A part of no elements lies nowhere.
func parts[T any](buf []T, counts, displs []int) func(i int) []byte {
	return func(i int) []byte {
		if counts[i] == 0 {
			return nil
		}
		from := offset(counts, displs, i)
		return view(buf[from : from+counts[i]])
	}
}

func neighborAlltoallw(c *Comm, s site, send, recv []Part) (*hood, error) {
	h, err := c.hoodOf(s)
	if err != nil {
		return nil, err
	}
	if len(send) != len(h.out) || len(recv) != len(h.in) {
		return nil, c.errorAt(s, ErrCount, "%d parts to send to %d neighbors, %d to receive from %d; give one for each, empty ones too",
			len(send), len(h.out), len(recv), len(h.in))
	}
	for _, p := range append(append([]Part(nil), send...), recv...) {
		if p.set && p.e(c).bad != "" && !p.e(c).items {
			return nil, c.badElem(s, p.e(c))
		}
	}
	h.send, h.recv = func(i int) []byte { return send[i].b }, func(i int) []byte { return recv[i].b }
	h.se, h.re = func(i int) *elem { return send[i].elem(c) }, func(i int) *elem { return recv[i].elem(c) }
	return h, nil
}

// elem is what the elements are; bytes of a part that is not set.
func (p Part) elem(c *Comm) *elem {
	if !p.set {
		return elemFor[byte](c)
	}
	return p.e(c)
}
