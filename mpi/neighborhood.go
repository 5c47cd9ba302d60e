package mpi

import (
	"math/bits"
	"slices"
	"sync"

	"rhinet/llc"
)

// A neighborhood is what neighborhood collectives on a communicator need of its topology,
// computed once.
type neighborhood struct {
	in, out []edge
	// Indices of all edges; those that lead out are ordered by tag, as the ranks at the
	// other end expect.
	from, to []int
	// Those to and from other ranks.
	farFrom, farTo []int
	// own pairs the edges by which this rank sends to itself; whole says that none is
	// left without a pair.
	own   []loop
	whole bool
	// tagBits is the width of the tags of edges, which is the same on all ranks.
	tagBits int

	mu      sync.Mutex
	free    []*neighborTask // see spent
	numbers int             // given to persistent operations so far
}

// A loop is an edge from a rank to itself, by its indices.
type loop struct{ out, in int }

// neighborhood returns the neighborhood of c.
func (c *core) neighborhood() *neighborhood {
	if a := c.neighbors.Load(); a != nil {
		return a
	}
	c.neighbors.CompareAndSwap(nil, newNeighborhood(c.rank, c.topo))
	return c.neighbors.Load()
}

func newNeighborhood(rank int, t topology) *neighborhood {
	a := new(neighborhood)
	a.in, a.out = t.neighbors(rank)
	var loops []int // that lead out
	for i := range a.out {
		a.to = append(a.to, i)
	}
	slices.SortStableFunc(a.to, func(i, j int) int { return a.out[i].tag - a.out[j].tag })
	for _, i := range a.to {
		switch a.out[i].peer {
		case ProcNull:
		case rank:
			loops = append(loops, i)
		default:
			a.farTo = append(a.farTo, i)
		}
	}
	a.whole = true
	for i, e := range a.in {
		a.from = append(a.from, i)
		switch e.peer {
		case ProcNull:
		case rank:
			k := slices.IndexFunc(loops, func(o int) bool { return a.out[o].tag == e.tag })
			if k < 0 {
				a.whole = false
				continue
			}
			a.own = append(a.own, loop{loops[k], i})
			loops = slices.Delete(loops, k, k+1)
		default:
			a.farFrom = append(a.farFrom, i)
		}
	}
	a.whole = a.whole && len(loops) == 0
	top := 0
	for _, e := range slices.Concat(a.in, a.out) {
		top = max(top, e.tag)
	}
	a.tagBits = min(bits.Len(uint(top)), mostTagBits)
	return a
}

// The tags of messages to neighbors: that of the edge, and above it the number of the operation. Edges with
// one tag match in order.
const (
	mostTagBits  = 9
	otherNumbers = 1 + 2*neighborCalls // of calls that are not persistent: see enlist
)

// nextNumber returns the number of a persistent operation that is made now: all ranks make
// them in the same order. Operations that are so many apart that they have the same number
// match in the order in which they are started.
func (a *neighborhood) nextNumber() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.numbers++
	return otherNumbers + (a.numbers-1)%(neighborTag>>a.tagBits-otherNumbers)
}

// edgeParts are the parts of a buffer, one for each edge.
type edgeParts struct {
	b              []byte
	e              *elem
	part, step     int // bytes of one part, and from one to the next
	counts, displs []int
	parts          []Part // each with its own elements; replaces all other fields
}

// at returns part i. A part without elements has no place.
func (k *edgeParts) at(i int) []byte {
	switch {
	case k.parts != nil:
		return k.parts[i].b
	case k.counts == nil:
		return k.b[i*k.step:][:k.part]
	case k.counts[i] == 0:
		return nil
	}
	from := offset(k.counts, k.displs, i) * k.e.size
	return k.b[from:][:k.counts[i]*k.e.size]
}

// elem returns the element type of part i.
func (k *edgeParts) elem(c *Comm, i int) *elem {
	if k.parts != nil {
		return k.parts[i].elem(c)
	}
	return k.e
}

// items reports whether elements are layouts.
func (k *edgeParts) items(c *Comm) bool {
	for i := range k.parts {
		if k.parts[i].elem(c).items {
			return true
		}
	}
	return k.e != nil && k.e.items
}

// direct begins the call without requests, in the common case: it copies what the rank
// sends to itself, and sends the messages that the transport accepts at once, in order.
// If ok is false, nothing has happened; else sent is how many messages have been sent.
func (h *neighborCall) direct(c *Comm) (sent int, ok bool) {
	if !h.whole || !c.plain() || c.w.Observe != nil || h.send.items(c) || h.recv.items(c) {
		return 0, false
	}
	for _, l := range h.own {
		if h.send.elem(c, l.out) != h.recv.elem(c, l.in) || len(h.send.at(l.out)) != len(h.recv.at(l.in)) {
			return 0, false // the transport reports it
		}
	}
	for _, l := range h.own {
		copy(h.recv.at(l.in), h.send.at(l.out))
	}
	for _, i := range h.farTo {
		e := &h.out[i]
		key, tag := h.edgeKey(c.idOf(e.peer), h.send.elem(c, i), e)
		if !c.t.TrySend(key, c.global(e.peer), tag, h.send.at(i)) {
			break
		}
		sent++
	}
	return sent, true
}

// take receives from the other ranks, one after the other. All messages that they wait
// for have been sent.
func (h *neighborCall) take(c *Comm, s site) (failed error) {
	for _, i := range h.farFrom {
		e, b, is := &h.in[i], h.recv.at(i), h.recv.elem(c, i)
		key, tag := h.edgeKey(c.id, is, e)
		if st, err := c.t.RecvFor(s.call, key, c.global(e.peer), tag, b); err != nil || int(st.Bytes) != len(b) {
			st.Err = err
			failed = h.arrived(c, s, failed, i, st)
		}
	}
	return failed
}

// arrived joins to failed the error of what the transport has received for edge i, if
// any.
func (h *neighborCall) arrived(c *Comm, s site, failed error, i int, st llc.Status) error {
	got, err := c.received(site{s.call, fromPeer, h.in[i].peer, Undefined}, h.recv.elem(c, i), st, st.Err, len(h.recv.at(i)))
	return h.joined(c, s, failed, i, got, err)
}
