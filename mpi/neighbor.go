package mpi

import (
	"errors"
	"strings"

	"rhinet/llc"
)

// Neighborhood collectives. All ranks of a communicator with a topology make them in
// the same order. Each rank exchanges messages with its neighbors, in the order of the
// topology: in a grid, for each dimension the lower and then the upper neighbor; beyond
// an end nothing is moved, and that part of the buffer stays as it is. A call posts all
// its messages at once, so those between two ranks match in the order of the calls,
// also of nonblocking ones. Those of persistent operations match by the number of the
// operation, since ranks may start these in different orders (MPI 4.1, section 8.8).

// A neighborCall is a neighborhood call whose arguments have been checked: what to receive and
// to send.
type neighborCall struct {
	*neighborhood
	recv, send edgeParts
	call       callCode
	number     int // see nextNumber and enlist
}

// newNeighborCall finds the neighbors.
func (c *Comm) newNeighborCall(s site, call callCode) (h neighborCall, err error) {
	if err := c.check(s); err != nil {
		return h, err
	}
	if c.topo == nil {
		return h, c.errorAt(s, ErrTopology, "the communicator has no topology; make one with CartCreate, GraphCreate or DistGraphCreate")
	}
	h.neighborhood, h.call = c.neighborhood(), call
	return h, nil
}

// neighborPartsFor is newNeighborCall for elements of one type.
func neighborPartsFor[T any](c *Comm, s site, call callCode, send, recv []T) (h neighborCall, e *elem, err error) {
	if h, err = c.newNeighborCall(s, call); err != nil {
		return h, nil, err
	}
	e = elemFor[T](c)
	if e.bad != "" && !e.items {
		return h, nil, c.badElem(s, e)
	}
	h.send = edgeParts{b: view(send), e: e}
	h.recv = edgeParts{b: view(recv), e: e}
	return h, e, nil
}

// begin posts the messages of all edges.
func (h *neighborCall) begin(c *Comm, s site) []Request {
	reqs := make([]Request, 0, len(h.from)+len(h.to))
	for _, i := range h.from {
		reqs = append(reqs, h.beginEdge(c, s, h.recv.elem(c, i), h.recv.at(i), h.in[i], receiving))
	}
	for _, i := range h.to {
		reqs = append(reqs, h.beginEdge(c, s, h.send.elem(c, i), h.send.at(i), h.out[i], sending))
	}
	return reqs
}

// edgeKey returns key and tag of the messages of an edge, for a rank that knows the
// communicator by id.
func (h *neighborCall) edgeKey(id contextID, e *elem, to *edge) (key llc.Key, tag int) {
	return llc.MakeKey(id.collective(), e.key.Type()), id.tag(groupTag | neighborTag | h.number<<h.tagBits | to.tag&(1<<h.tagBits-1))
}

// beginEdge is begin in the collective context.
func (h *neighborCall) beginEdge(c *Comm, s site, e *elem, b []byte, to edge, k kind) Request {
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
		key, tag := h.edgeKey(id, e, &to)
		p.Peer, p.Tag, p.Buf, p.Mode = c.global(to.peer), tag, b, llc.Standard
		p.Context, p.Type, p.Label = key.Context(), key.Type(), s.call
		if in != nil {
			p.lay(in)
		}
		c.t.Start(&p.Request, k != receiving)
	}
	c.disown(p)
	return Request{p: p, gen: p.gen}
}

// finish waits for the transfers that begin posted.
func (h *neighborCall) finish(c *Comm, s site, reqs []Request) (failed error) {
	for k := range reqs {
		st, err := reqs[k].Wait()
		if k < len(h.from) {
			failed = h.joined(c, s, failed, h.from[k], st, err)
		} else if err != nil {
			failed = errors.Join(failed, untagged(err))
		}
	}
	return failed
}

// joined joins to failed what is wrong with the message of edge i, if anything.
func (h *neighborCall) joined(c *Comm, s site, failed error, i int, st Status, err error) error {
	if err != nil {
		return errors.Join(failed, untagged(err))
	}
	if room := h.recv.elem(c, i).bytesOf(h.recv.at(i)); h.in[i].peer != ProcNull && st.Bytes != int64(room) {
		return errors.Join(failed, c.errorAt(s, ErrTruncate, "%d bytes arrived from %d where %d belong; neighbors must call it with lengths that fit",
			st.Bytes, h.in[i].peer, room))
	}
	return failed
}

// untagged removes the tag from an error: the program has not passed one.
func untagged(err error) error {
	var e *Error
	if errors.As(err, &e) {
		e.Tag = Undefined
	}
	return err
}

// The three forms of a neighborhood call, after the check of its arguments.

func (h *neighborCall) run(c *Comm, s site, err error) error {
	if err == nil {
		clash := h.touch(c, s)
		if err = h.exchange(c, s); clash != nil && err == nil {
			err = c.touchError(s, clash)
		}
	}
	return c.raise(err)
}

// touch returns a touchError if the blocking call must not use its buffers, or nil.
func (h *neighborCall) touch(c *Comm, s site) *touchError {
	if !c.w.requests.guarding() {
		return nil
	}
	return c.w.requests.touch(h.regions(c, s)...)
}

// exchange makes the blocking call.
func (h *neighborCall) exchange(c *Comm, s site) error {
	turn, err := h.enlist(c, s, 1)
	if err != nil {
		return err
	}
	if turn != 0 {
		c.coll.visits.Add(1)
		defer c.coll.visits.Add(-1)
	}
	switch sent, ok := h.direct(c); {
	case !ok:
		err = h.finish(c, s, h.begin(c, s))
	case sent == len(h.farTo):
		err = h.take(c, s)
	default:
		err = h.complete(c, s, sent)
	}
	if err != nil && turn != 0 {
		err = c.judged(s, turn, err)
	}
	return err
}

func (h *neighborCall) start(c *Comm, s site, err error) Request {
	if err == nil {
		_, err = h.enlist(c, s, 1+neighborCalls)
	}
	if err != nil {
		return *c.failedRequest(s, err)
	}
	return h.begun(c, s)
}

func (h neighborCall) persist(c *Comm, s site, err error) (*Request, error) {
	if err == nil {
		_, err = h.enlist(c, s, 0)
	}
	if err != nil {
		return nil, c.raise(err)
	}
	h.number = h.nextNumber()
	return c.repeat(s, func() Request { return h.begun(c, s) }), nil
}

// begun begins the call, which does not block.
func (h *neighborCall) begun(c *Comm, s site) Request {
	if r, v := h.nonblocking(c, s); v != nil {
		return r
	}
	return h.posted(c, s)
}

// posted begins the call with all its messages; a goroutine waits for those that are
// not complete at once.
func (h neighborCall) posted(c *Comm, s site) Request {
	reqs, k := h.begin(c, s), newTask()
	r := c.request(s, k)
	c.coll.visits.Add(1)
	finish := func() error {
		defer c.coll.visits.Add(-1)
		return c.overruled(s, h.finish(c, s, reqs))
	}
	if c.w.Check {
		c.w.requests.guardAll(r.p, h.regions(c, s))
	}
	for i := range reqs {
		if !reqs[i].p.ready() {
			for i := range reqs {
				reqs[i].label(c.unattended(s.call))
			}
			c.attend(k, func() (Status, error) { return emptyStatus(), finish() })
			return r
		}
	}
	k.end(emptyStatus(), finish())
	return r
}

func neighborAllgather[T any](c *Comm, s site, send, recv []T) (neighborCall, error) {
	h, e, err := neighborPartsFor(c, s, callNeighborAllgather, send, recv)
	if err != nil {
		return h, err
	}
	n := len(send)
	if len(recv) != n*len(h.in) {
		return h, c.errorAt(s, ErrCount, "recv has room for %d elements, %d neighbors send %d each; make it %d", len(recv), len(h.in), n, n*len(h.in))
	}
	h.send.part = n * e.size
	h.recv.part, h.recv.step = h.send.part, h.send.part
	return h, h.apartFromOne(c, s)
}

func neighborAllgatherv[T any](c *Comm, s site, send, recv []T, counts, displs []int) (neighborCall, error) {
	h, e, err := neighborPartsFor(c, s, callNeighborAllgatherv, send, recv)
	if err != nil {
		return h, err
	}
	if class, text := misplaced(len(h.in), len(recv), counts, displs); text != "" {
		return h, c.errorAt(s, class, "recv: %s", ofNeighbors(text))
	}
	h.send.part = len(send) * e.size
	h.recv.counts, h.recv.displs = counts, displs
	return h, h.apartFromOne(c, s)
}

func neighborAlltoall[T any](c *Comm, s site, send, recv []T) (neighborCall, error) {
	h, e, err := neighborPartsFor(c, s, callNeighborAlltoall, send, recv)
	if err != nil {
		return h, err
	}
	in, out := len(h.in), len(h.out)
	if in == 0 && len(recv) > 0 || in > 0 && len(recv)%in != 0 {
		return h, c.errorAt(s, ErrCount, "recv has %d elements, which cannot be cut into equal parts for %d neighbors; use NeighborAlltoallv", len(recv), in)
	}
	if out == 0 && len(send) > 0 || out > 0 && len(send)%out != 0 {
		return h, c.errorAt(s, ErrCount, "send has %d elements, which cannot be cut into equal parts for %d neighbors; use NeighborAlltoallv", len(send), out)
	}
	if in > 0 && out > 0 && len(send)/out != len(recv)/in {
		return h, c.errorAt(s, ErrCount, "send has parts of %d elements and recv of %d; they must be equally long", len(send)/out, len(recv)/in)
	}
	h.send.part = len(send) / max(out, 1) * e.size
	h.recv.part = len(recv) / max(in, 1) * e.size
	h.send.step, h.recv.step = h.send.part, h.recv.part
	return h, h.apart(c, s)
}

// apart returns the error of parts that are sent and received into and overlap, or nil.
func (h *neighborCall) apart(c *Comm, s site) error {
	first, second := h.meeting()
	if text := mingledText(first, second, false); text != "" {
		return c.errorAt(s, ErrBuffer, "%s", text)
	}
	return nil
}

// apartFromOne is apart for one buffer that is sent to all neighbors.
func (h *neighborCall) apartFromOne(c *Comm, s site) error {
	if a, _ := h.meeting(); a != nil {
		return c.errorAt(s, ErrBuffer, "send and recv overlap; they must be apart")
	}
	return nil
}

// meeting returns two parts that overlap, as meetingOf does.
func (h *neighborCall) meeting() (a, b *placedPart) {
	if !overlap(h.send.b, h.recv.b) {
		return nil, nil
	}
	return meetingOf(partsOf{len(h.out), h.send.at}, partsOf{len(h.in), h.recv.at}, h.beyond)
}

func neighborAlltoallv[T any](c *Comm, s site, send []T, scounts, sdispls []int, recv []T, rcounts, rdispls []int) (neighborCall, error) {
	h, _, err := neighborPartsFor(c, s, callNeighborAlltoallv, send, recv)
	if err != nil {
		return h, err
	}
	if class, text := misfit(len(h.out), len(send), scounts, sdispls); text != "" {
		return h, c.errorAt(s, class, "send: %s", ofNeighbors(text))
	}
	if class, text := misplaced(len(h.in), len(recv), rcounts, rdispls); text != "" {
		return h, c.errorAt(s, class, "recv: %s", ofNeighbors(text))
	}
	h.send.counts, h.send.displs = scounts, sdispls
	h.recv.counts, h.recv.displs = rcounts, rdispls
	return h, h.apart(c, s)
}

// ofNeighbors words what is wrong with counts for neighbors, which are not all ranks.
func ofNeighbors(text string) string { return strings.Replace(text, " ranks", " neighbors", 1) }

func neighborAlltoallw(c *Comm, s site, send, recv []Part) (neighborCall, error) {
	h, err := c.newNeighborCall(s, callNeighborAlltoallw)
	if err != nil {
		return h, err
	}
	if len(send) != len(h.out) || len(recv) != len(h.in) {
		return h, c.errorAt(s, ErrCount, "%d parts to send to %d neighbors, %d to receive from %d; give one for each, empty ones too",
			len(send), len(h.out), len(recv), len(h.in))
	}
	for _, parts := range [][]Part{send, recv} {
		for _, p := range parts {
			if p.set && p.e(c).bad != "" && !p.e(c).items {
				return h, c.badElem(s, p.e(c))
			}
		}
	}
	if text := c.mingled(s, send, recv, false, h.beyond); text != "" {
		return h, c.errorAt(s, ErrBuffer, "%s", text)
	}
	h.send.parts, h.recv.parts = send, recv
	return h, nil
}

// beyond reports whether part i lies beyond an end of the topology, where nothing is moved.
func (h *neighborCall) beyond(i int, fills bool) bool {
	if fills {
		return h.in[i].peer == ProcNull
	}
	return h.out[i].peer == ProcNull
}

// elem returns the element type of the part; byte for the zero Part.
func (p Part) elem(c *Comm) *elem {
	if !p.set {
		return elemFor[byte](c)
	}
	return p.e(c)
}
