package mpi

import (
	"context"
	"sync/atomic"

	"rhinet/internal/observe"
	"rhinet/llc"
)

// A Comm is a communicator: an ordered group of ranks and a context, so that
// its messages meet only receives on itself. Any number of goroutines may use
// it at once, except that collective calls on one communicator come one after
// the other, in the same order on all ranks.
//
// MPI 4.1, chapter 7.
type Comm struct {
	*core
	ctx    context.Context // limits waits; nil: none
	user   context.Context // the part of that which the program has set; nil: none
	whole  context.Context // limits waits for all ranks; nil: none
	launch *launch         // has collective calls prepared, not carried out; nil: no
}

// A core is a communicator without the limits of one user's view. Of an
// inter-communicator rank is that in the own group, and size, members, back and
// ids are those of the remote one, to which messages go.
type core struct {
	w        *world
	t        Transport
	rank     int
	size     int
	members  []int32     // world rank of each rank; nil: the same
	back     []int32     // rank of each world rank, or Undefined; nil: the same
	key      llc.Key     // of point-to-point messages to this rank, and to others if ids is nil
	ids      []contextID // by which each rank knows the communicator; nil: all by id
	state    atomic.Uint32
	name     string
	id       contextID
	board    boardSlot
	coll     collState
	born     atomic.Int32           // communicators made of this one, for their names
	attrs    attributes             // that the program caches on it
	hints    Info                   // that it was made with and that have a meaning
	topo     topology               // nil: none
	vicinity atomic.Pointer[around] // what topo says of this rank; nil: nobody has asked
	inter    *inter                 // of an inter-communicator; else nil
	fate     *fate                  // what becomes of it when ranks die; nil: the end of the job
	private  bool                   // what another object needs, which the program does not see
	win      *window                // which is a window; else nil
	handler  handlerSlot[*Comm]
	session  *Session       // that it comes from; nil: the world
	first    int            // if it joins the groups of an inter-communicator: how many ranks are of the first one
	counted  observe.CommID // see Counters
	seen     uint64         // messages that waited in the context before c was made
	buffer   sendBuffer     // for sends in buffered mode, if one is attached
}

// The states of a communicator.
const (
	commOpen uint32 = iota
	commFreed
	commFinalized
	commBroken // a collective call ended half-way
)

// Rank returns the caller's number in c, from 0.
//
// MPI 4.1, section 7.4.1.
func (c *Comm) Rank() int { return c.rank }

// Size returns the number of ranks of c: of an inter-communicator, those of the
// own group.
//
// MPI 4.1, section 7.4.1.
func (c *Comm) Size() int {
	if c.inter != nil {
		return c.inter.own.n
	}
	return c.size
}

// Name returns what errors call c: "world", or how it was made from that.
//
// MPI 4.1, section 7.8 (MPI_Comm_get_name).
func (c *Comm) Name() string { return c.name }

// WithContext returns a view of c whose waits end with [ErrCancelled] when ctx
// does. The communicator is the same: messages meet those sent and received on
// c. A receive that ends so takes no message. A send that ends so may still
// arrive, and its buffer must stay as it is; if it is long and nobody ever
// receives it, [Finalize] fails. A collective call that ends so leaves c
// unusable for further collective calls on this rank.
func (c *Comm) WithContext(ctx context.Context) *Comm {
	if c == nil {
		return nil
	}
	v := *c
	if v.user = ctx; ctx != nil && ctx.Done() == nil {
		v.user = nil
	}
	return v.bind()
}

// global is the world rank of rank r of c.
func (c *core) global(r int) int {
	if c.members == nil {
		return r
	}
	return int(c.members[r])
}

// onHost reports whether all ranks of c are on one host: then they can share boards and memory.
func (c *core) onHost(w *world) bool {
	for r := range c.size {
		if w.Transport.Host(c.global(r)) != w.Transport.Host(w.Rank) {
			return false
		}
	}
	return true
}

// idOf is the context of c at rank r.
func (c *core) idOf(r int) contextID {
	if c.ids == nil {
		return c.id
	}
	return c.ids[r]
}

// local is the rank in c of world rank p.
func (c *core) local(p int) int {
	if c.back == nil {
		return p
	}
	return int(c.back[p])
}

// check is the slow half of validation: why c cannot be used, or nil.
func (c *Comm) check(s site) error {
	if err := c.alive(s); err != nil {
		return err
	}
	if c.ctx != nil {
		if err := context.Cause(c.ctx); err != nil {
			return c.limited(s, err, "the context has ended")
		}
	}
	return nil
}

// alive is check for what neither a context nor the death of ranks can end.
func (c *Comm) alive(s site) error {
	if c == nil {
		return c.errorAt(s, ErrComm, "the communicator is nil; Split gives nil to a rank whose color is Undefined")
	}
	switch c.state.Load() {
	case commFreed:
		return c.errorAt(s, ErrComm, "the communicator has been freed")
	case commFinalized:
		return c.errorAt(s, ErrFinalized, "nothing can be called after Finalize")
	}
	return nil
}

// checkRank says why r cannot be the partner of a transfer, or nil.
func (c *Comm) checkRank(s site, r int) error {
	if r >= 0 && r < c.size || r == ProcNull || r == AnySource && s.role == fromPeer {
		return nil
	}
	return c.errorAt(s, ErrRank, "there is no rank %d; ranks are 0 to %d", r, c.size-1)
}

// checkTag says why tag cannot be the tag of a transfer, or nil.
func (c *Comm) checkTag(s site, tag int) error {
	if tag >= 0 && tag <= MaxTag || tag == AnyTag && s.role == fromPeer {
		return nil
	}
	return c.errorAt(s, ErrTag, "tags are 0 to %d", MaxTag)
}
