package mpi

import (
	"context"
	"sync/atomic"

	"rhinet/internal/observe"
	"rhinet/llc"
)

// A Comm is a communicator: an ordered group of ranks and a context, so that its
// messages match only receives on it. Any number of goroutines may use it at once, but
// collective calls on one communicator must come one after the other, in the same order
// on all ranks.
//
// A nil Comm is MPI_COMM_NULL: calls on it fail with [ErrComm], and methods without an
// error to return say that it has no ranks. So it is with a zero Comm, which no call has
// made.
//
// MPI 4.1, chapter 7.
type Comm struct {
	*core                  // nil: a zero Comm
	direct *core           // core, if no context limits waits; else nil. Calls in the common case need one check for it and for a zero Comm
	ctx    context.Context // limits waits; nil: none
	user   context.Context // the one that the program has set; nil: none
	whole  context.Context // limits calls that wait for all ranks; nil: none
	launch *launch         // collective calls are prepared for it, not carried out; nil: no
}

// A core is a communicator without the context of one user's view. In an
// inter-communicator rank is the rank in the local group; size, members, back and ids
// describe the remote group, to which messages go.
type core struct {
	w         *world
	t         Transport
	rank      int
	size      int
	members   []int32     // world rank of each rank; nil: the same
	back      []int32     // rank of each world rank, or Undefined; nil: the same
	key       llc.Key     // of point-to-point messages to this rank, and to others if ids is nil
	ids       []contextID // by which each rank knows the communicator; nil: all by id
	state     atomic.Uint32
	name      string
	id        contextID
	flagArray flagArraySlot
	coll      collState
	born      atomic.Int32                 // communicators made from this one, for their names
	attrs     attributes                   // cached by the program
	hints     Info                         // that it was made with and that are recognized
	topo      topology                     // nil: none
	neighbors atomic.Pointer[neighborhood] // what topo says of this rank; nil: not asked yet
	apart     atomic.Pointer[[]partSpan]   // interleaved parts of the latest call with such parts; nil: none
	inter     *inter                       // of an inter-communicator; else nil
	failures  *commFailures                // of a job that survives deaths of ranks; nil: a death ends the job
	private   bool                         // belongs to another object; the program does not see it
	win       *window                      // the window it belongs to, or nil
	maker     *commFailures                // of the communicator that the window was made from; nil: no window, or a death ends the job
	handler   handlerSlot[*Comm]
	session   *Session       // that it comes from; nil: the world
	first     int            // if it joins the groups of an inter-communicator: size of the first one
	counted   observe.CommID // see Counters
	seen      uint64         // messages that waited in the context before c was made
	buffer    sendBuffer     // for sends in buffered mode, if one is attached
}

// The states of a communicator.
const (
	commOpen uint32 = iota
	commFreed
	commFinalized
	commBroken // a collective call ended half-way
	commUnmade // the request that makes it is not complete, or has failed
)

// newComm returns the view of a communicator that no context limits.
func newComm(k *core) *Comm { return &Comm{core: k, direct: k} }

// isNull reports whether c is nil or a zero Comm.
func (c *Comm) isNull() bool { return c == nil || c.core == nil }

// unmade returns what a call that does not wait gives in the place of the communicator that
// it makes, until its request is complete: no call can use it.
func (c *Comm) unmade(name string) *Comm {
	d := newComm(&core{w: c.w, t: c.t, rank: Undefined, name: name})
	d.state.Store(commUnmade)
	return d
}

// Rank returns the caller's number in c, from 0. It is Undefined if c is nil.
//
// MPI 4.1, section 7.4.1.
func (c *Comm) Rank() int {
	if c.isNull() {
		return Undefined
	}
	return c.rank
}

// Size returns the number of ranks of c: in an inter-communicator, those of the local
// group. It is 0 if c is nil.
//
// MPI 4.1, section 7.4.1.
func (c *Comm) Size() int {
	if c.isNull() {
		return 0
	}
	if c.inter != nil {
		return c.inter.own.n
	}
	return c.size
}

// Name returns what errors call c: "world", or a name that says how it was made. It is
// empty if c is nil.
//
// MPI 4.1, section 7.8 (MPI_Comm_get_name).
func (c *Comm) Name() string {
	if c.isNull() {
		return ""
	}
	return c.name
}

// WithContext returns a view of c on which waits end with [ErrCancelled] when ctx does.
// It is the same communicator: messages match those sent and received on c. A receive
// that ends so takes no message. A send that ends so may still arrive, so its buffer
// must not be changed. A partitioned send that ends so fails at its receiver, too. After a
// collective call that ends so, this rank can make no further collective calls on c.
//
// Not in the standard.
func (c *Comm) WithContext(ctx context.Context) *Comm {
	if c.isNull() {
		return nil
	}
	v := *c
	if v.user = ctx; ctx != nil && ctx.Done() == nil {
		v.user = nil
	}
	return v.bind()
}

// global returns the world rank of rank r of c.
func (c *core) global(r int) int {
	if c.members == nil {
		return r
	}
	return int(c.members[r])
}

// onHost reports whether all ranks of c are on one host and so can share flag arrays
// and memory.
func (c *core) onHost(w *world) bool {
	for r := range c.size {
		if w.Transport.Host(c.global(r)) != w.Transport.Host(w.Rank) {
			return false
		}
	}
	return true
}

// idOf returns the context ID of c at rank r.
func (c *core) idOf(r int) contextID {
	if c.ids == nil {
		return c.id
	}
	return c.ids[r]
}

// local returns the rank in c of world rank p.
func (c *core) local(p int) int {
	if c.back == nil {
		return p
	}
	return int(c.back[p])
}

// check is the slow half of validation: it returns why c cannot be used, or nil.
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

// alive is check without those reasons that are a context or the death of ranks.
func (c *Comm) alive(s site) error {
	switch {
	case c == nil:
		return c.errorAt(s, ErrComm, "the communicator is nil; Split, Create, CartCreate and GraphCreate give nil to the ranks that they leave out")
	case c.core == nil:
		return c.errorAt(s, ErrComm, "the communicator is a zero Comm, which no call has made; use one that a call has returned, such as Dup or Split")
	}
	switch c.state.Load() {
	case commFreed:
		return c.errorAt(s, ErrComm, "the communicator has been freed")
	case commFinalized:
		return c.errorAt(s, ErrFinalized, "nothing can be called after Finalize")
	case commUnmade:
		return c.errorAt(s, ErrComm, "the communicator is not made yet; complete the request that came with it, without an error")
	}
	return nil
}

// checkRank returns why r cannot be the peer of a transfer, or nil.
func (c *Comm) checkRank(s site, r int) error {
	if r >= 0 && r < c.size || r == ProcNull || r == AnySource && s.role == fromPeer {
		return nil
	}
	return c.errorAt(s, ErrRank, "there is no rank %d; ranks are 0 to %d", r, c.size-1)
}

// checkTag returns why tag cannot be the tag of a transfer, or nil.
func (c *Comm) checkTag(s site, tag int) error {
	if tag >= 0 && tag <= MaxTag || tag == AnyTag && s.role == fromPeer {
		return nil
	}
	if tag == Undefined { // which s does not name
		return c.errorAt(s, ErrTag, "the tag is Undefined; tags are 0 to %d", MaxTag)
	}
	return c.errorAt(s, ErrTag, "tags are 0 to %d", MaxTag)
}
