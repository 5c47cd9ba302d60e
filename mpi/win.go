package mpi

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"rhinet/internal/epoch"
)

// A Win is a window: a part of the memory of each rank of a communicator, made of
// elements of type T, that all ranks can read and change without the owner taking part.
// [WinAllocate] makes the fastest windows. Displacements count elements from the
// beginning of a rank's part.
//
// Access is allowed only in epochs. There are three ways to begin and end one:
//
//   - [Win.Fence], called by all ranks, ends one epoch and begins the next;
//   - [Win.Post] and [Win.Wait] at the ranks that expose their memory, [Win.Start] and
//     [Win.Complete] at those that access it;
//   - [Win.Lock] and [Win.Unlock], or [Win.LockAll] and [Win.UnlockAll], only at the rank
//     that accesses.
//
// An access outside of an epoch is an error (ErrRMASync), as is one outside of a rank's
// part (ErrRMARange). An access is complete, also at the target, when the call returns;
// a program that shall run on other implementations of MPI must still follow the rules
// of the standard.
//
// The memory model is the unified one (section 12.4): there is one copy of a rank's
// part. Within an epoch no rank may access what another rank puts, and only one rank
// may put to an element; otherwise the result is an undefined mixture: a data race, as
// in any Go program. Accumulates, [Win.FetchAndOp] and [Win.CompareAndSwap] are atomic
// with respect to each other, element by element, for elements of one type; a rank that
// polls its own part while others update it must read it by FetchAndOp with [NoOp].
// Where ranks share processors, a rank that polls by accesses, or by [Win.Sync], gives
// way to others now and then; a loop of loads alone keeps the processor.
// Accesses of one rank to one element take effect in the order of the calls. In a
// checked job (see Job.Check) accesses to one location that the standard forbids in one
// epoch are errors (ErrRMAConflict).
//
// Any number of goroutines may access a window at once; its epochs are those of the
// rank. Calls on a nil Win, or on a zero one, which no call has made, fail with [ErrWin].
//
// MPI 4.1, chapter 12.
type Win[T any] struct {
	*window
	elem  *elem
	parts [][]T // of each rank, if loads and stores reach them; else nil
	near  [][]T // the same, if calls may access them without further checks; else nil
	solo  [][]T // the same, if this rank has a processor for itself; else nil: calls that read may poll
}

// AnyWin is a [Win] of any type.
//
// Not in the standard.
type AnyWin interface {
	Holder
	base() *window
	place() *world
}

// A Flavor says how a window was made.
//
// MPI 4.1, section 12.2.6 (MPI_WIN_CREATE_FLAVOR).
type Flavor uint8

// The flavors.
const (
	Created         Flavor = iota // by WinCreate
	Allocated                     // by WinAllocate
	AllocatedShared               // by WinAllocateShared
	Dynamic                       // by WinDynamic
)

// String returns the name of the flavor.
func (f Flavor) String() string {
	return [...]string{"Created", "Allocated", "AllocatedShared", "Dynamic"}[f&3]
}

// A window is a Win without its type.
type window struct {
	c        *Comm // its own
	flavor   Flavor
	hints    Info
	reach    reach
	handler  handlerSlot[AnyWin]
	attrs    attributes
	bytes    []uint64 // of each rank's part
	mem      [][]byte // parts that loads and stores reach; else nil
	shared   *mapped  // access by loads, stores and the processor's atomic operations; nil: other means
	local    []byte   // this rank's part
	block    uint64   // memory that rank 0 frees
	owns     bool     // this rank frees it
	reserved bool     // there is such memory

	mode atomic.Uint32
	open []atomic.Uint32 // for each rank, what allows access to it besides mode
	null atomic.Uint32   // the same for ProcNull, which may be locked

	mu       sync.Mutex   // guards what follows, and changes of mode and open
	locks    int          // of single ranks
	started  []int        // ranks of Start
	exposure []*Request   // of Post: the requests that end it
	exposing []int        // ranks of Post
	exposed  bool         // between Post and Wait
	unposted bool         // exposed, by a Post that has failed: Wait or Free ends that
	opening  bool         // a goroutine is in Start or LockAll
	posted   []int        // ranks whose Post a Start that has failed has received
	starting string       // label of the waits of Start,
	ending   string       // and of those of Wait
	attached *attachments // of a dynamic window

	order   atomic.Uint32 // see fence
	plain   bool          // a Flush has nothing to do besides: the job does not survive deaths, and is not checked
	unwatch func()        // see refuseLocks; nil: nothing to end
	polling *polling      // nil: each rank has a processor

	log   *epoch.Log // in a checked job; else nil
	begun beginning  // in a checked job
}

// Values of a window's mode: the state of this rank's epoch.
const (
	winIdle    uint32 = iota // none: access is an error
	winFence                 // of Fence; nothing has been accessed
	winFenced                // of Fence
	winLocked                // of Lock: see open
	winLockAll               // of LockAll
	winStarted               // of Start: see open
	winFreed
)

// Values of window.open.
const (
	closedTo      uint32 = iota
	openStarted          // by Start
	openShared           // by Lock
	openExclusive        // by Lock
	openPending          // Lock waits
)

// base returns the window of w, nil if w is nil or a zero Win.
func (w *Win[T]) base() *window {
	if w == nil {
		return nil
	}
	return w.window
}

// base is w itself.
func (w *window) base() *window { return w }

// check returns why w cannot be used, or nil.
func (w *window) check(s site) error {
	if w == nil || w.mode.Load() == winFreed {
		return w.alive(s)
	}
	return w.c.check(s)
}

// alive is check for local calls, and for calls that end an epoch: w may have been revoked.
func (w *window) alive(s site) error {
	if w == nil {
		var none *Comm
		return none.errorAt(s, ErrWin, "the window is nil or a zero Win; use one that a call has made without an error")
	}
	if w.mode.Load() == winFreed {
		return w.c.errorAt(s, ErrWin, "the window has been freed")
	}
	return w.c.alive(s)
}

// fence keeps loads and stores of this rank's processor from passing it.
func (w *window) fence() {
	if n := w.order.Add(1); w.polling != nil {
		w.polling.synced(n)
	}
}

// ready reports whether target may be accessed now.
func (w *window) ready(target int) bool {
	switch w.mode.Load() {
	case winLockAll, winFenced:
		return true
	case winLocked, winStarted:
		o := w.open[target].Load()
		return o != closedTo && o != openPending
	case winFence:
		w.mode.CompareAndSwap(winFence, winFenced)
		return true
	}
	return false
}

// locate checks an access to n elements of type e from disp on, and returns its offset
// in bytes. If null, there is nothing to do.
func (w *window) locate(s site, e *elem, disp, n int) (at uint64, null bool, err error) {
	if err := w.check(s); err != nil {
		return 0, true, err
	}
	target := s.peer
	switch {
	case target == ProcNull:
		return 0, true, nil
	case uint(target) >= uint(w.c.size):
		return 0, true, w.c.errorAt(s, ErrRank, "there is no rank %d; ranks are 0 to %d", target, w.c.size-1)
	case !w.ready(target):
		return 0, true, w.noEpoch(s)
	}
	if err := w.gone(s, target); err != nil {
		return 0, true, err
	}
	if w.flavor == Dynamic {
		if at, err = w.placeOf(s, e, disp, n); err != nil {
			return 0, true, err
		}
		return at, n == 0, nil
	}
	have := int(w.bytes[target] / uint64(e.size))
	if disp < 0 || disp > have || n > have-disp {
		return 0, true, w.c.errorAt(s, ErrRMARange, "%d elements from %d on are not all within the %d that rank %d has in the window", n, disp, have, target)
	}
	return uint64(disp) * uint64(e.size), n == 0, nil
}

// noEpoch returns why target may not be accessed.
func (w *window) noEpoch(s site) error {
	switch w.mode.Load() {
	case winStarted:
		return w.c.errorAt(s, ErrRMASync, "the epoch of Start is for ranks %v only", w.started)
	case winLocked:
		return w.c.errorAt(s, ErrRMASync, "rank %d is not locked; Lock it first, or LockAll", s.peer)
	}
	return w.c.errorAt(s, ErrRMASync, "there is no epoch; call Fence, Start, Lock or LockAll first")
}

// direct returns the memory of target if the present epoch allows access and loads and
// stores reach it.
func (w *Win[T]) direct(target int) []T {
	if w != nil && uint(target) < uint(len(w.near)) && (w.mode.Load() == winLockAll || w.ready(target)) {
		return w.near[target]
	}
	return nil
}

// ownTurn is direct for accesses that a program may poll with, of a rank that has a
// processor for itself.
func (w *Win[T]) ownTurn(target int) []T {
	if w != nil && uint(target) < uint(len(w.solo)) && (w.mode.Load() == winLockAll || w.ready(target)) {
		return w.solo[target]
	}
	return nil
}

// Local returns this rank's own part; nil in a dynamic window, or if w is nil or freed. What it
// has returned must not be used after [Win.Free]: memory that a window allocated is reused then.
//
// MPI 4.1, section 12.2.6 (MPI_WIN_BASE, MPI_WIN_SIZE).
func (w *Win[T]) Local() []T {
	if w.base() == nil || w.mode.Load() == winFreed {
		return nil
	}
	return elements[T](w.local)
}

// Len returns how many elements a rank's part has, 0 in a dynamic window; Undefined if
// there is no such rank, or w is nil.
//
// MPI 4.1, section 12.2.6 (MPI_WIN_SIZE).
func (w *Win[T]) Len(rank int) int {
	if w.base() == nil || uint(rank) >= uint(w.c.size) {
		return Undefined
	}
	return int(w.bytes[rank] / uint64(w.elem.size))
}

// Shared returns the part of a rank for direct loads and stores; if rank is ProcNull,
// that of the first rank that has one. Concurrent accesses by ranks must be atomic or
// separated, by an epoch and [Win.Sync], or by messages and barriers. The ranks of a host
// share the parts that [WinAllocateShared] and [WinAllocate] have made; of a part that
// this rank cannot reach, such as the memory of another rank in a window of [WinCreate],
// it returns nothing. It is an error in a dynamic window (ErrRMAFlavor).
//
// MPI 4.1, section 12.2.3 (MPI_Win_shared_query).
func (w *Win[T]) Shared(rank int) (_ []T, err error) {
	defer w.base().raised(&err)
	s := atPeer("Shared", rank)
	if err := w.base().alive(s); err != nil {
		return nil, err
	}
	if w.flavor == Dynamic {
		return nil, w.c.errorAt(s, ErrRMAFlavor, "a dynamic window has no parts; tell the other ranks what Attach returns")
	}
	if rank == ProcNull {
		rank = max(0, slices.IndexFunc(w.bytes, func(n uint64) bool { return n > 0 }))
	}
	switch {
	case uint(rank) >= uint(w.c.size):
		return nil, w.c.errorAt(s, ErrRank, "there is no rank %d; ranks are 0 to %d", rank, w.c.size-1)
	case w.parts != nil:
		return w.parts[rank], nil
	case rank == w.c.rank:
		return w.Local(), nil
	}
	return nil, nil
}

// Flavor returns how w was made, Created if w is nil.
//
// MPI 4.1, section 12.2.6 (MPI_WIN_CREATE_FLAVOR).
func (w *Win[T]) Flavor() Flavor {
	if w.base() == nil {
		return Created
	}
	return w.flavor
}

// WinAs returns another view of the same window: its memory as elements of type U, in
// which displacements are counted. Epochs, and everything else, are those of w.
//
// Not in the standard, which has a type with every access.
func WinAs[U any](w AnyWin) (_ *Win[U], err error) {
	var b *window
	if w != nil {
		b = w.base()
	}
	defer b.raised(&err)
	s := at("WinAs")
	if err := b.alive(s); err != nil {
		return nil, err
	}
	e, err := elemForWin[U](b.c, s)
	if err != nil {
		return nil, err
	}
	for r, mem := range append([][]byte{b.local}, b.mem...) {
		if !aligned[U](mem) {
			return nil, b.c.errorAt(s, ErrType, "part %d of the window does not begin where a %s may", r-1, e.name)
		}
	}
	return viewOf[U](b, e), nil
}

func viewOf[T any](b *window, e *elem) *Win[T] {
	w := &Win[T]{window: b, elem: e}
	if b.mem != nil {
		w.parts = make([][]T, len(b.mem))
		for r, mem := range b.mem {
			w.parts[r] = elements[T](mem[:len(mem)/e.size*e.size])
		}
		if b.shared != nil && b.c.w.Observe == nil && b.c.failures == nil && b.log == nil {
			w.near = w.parts
		}
		if b.polling == nil {
			w.solo = w.near
		}
	}
	return w
}

// elemForWin is elemOf for a type that can be in a window.
func elemForWin[T any](c *Comm, s site) (*elem, error) {
	if err := c.alive(s); err != nil {
		return nil, err
	}
	e := elemOf[T](&c.w.elems)
	if e.bad != "" {
		return nil, c.badElem(s, e)
	}
	return e, nil
}

// explain words the error of an access to memory.
func (w *window) explain(s site, err error) error {
	switch {
	case err == nil:
		return nil
	case err == errNotAttached:
		return w.c.because(s, ErrRMARange, err, "")
	case err == errUnknownType:
		return w.c.because(s, ErrOp, err, "")
	case err == errWindowRevoked:
		return w.refused(s)
	}
	if !errors.Is(err, ErrProcFailed) {
		if gone := w.unreached(s); gone != nil {
			return gone
		}
	}
	return w.c.explain(s, err)
}
