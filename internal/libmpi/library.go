//go:build peers && linux && (amd64 || arm64)

package libmpi

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync/atomic"
	"time"
)

// Built reports whether the program can load such libraries.
const Built = true

// A Library is the library of another MPI in this process; there can be one. Calls may come from any
// goroutine, but only one at a time; a concurrent call returns [ErrBusy].
type Library struct {
	table  [numFunctions]uintptr
	arg    [1]uintptr // kept here so that a call allocates nothing
	call   call
	one    [1]Transfer
	within atomic.Bool

	name       string
	rank, size int
	maxTag     int
	world      Comm
}

// Open loads the library through a compiled shim and initializes it: the process must be a rank that the
// library's own launcher has started. The goroutine stays locked to its thread from then on.
func Open(shim string) (*Library, error) {
	table, err := find(shim)
	if err != nil {
		return nil, err
	}
	runtime.LockOSThread()
	l := &Library{table: table}
	if v := l.run(shimVersion); v != version {
		return nil, fmt.Errorf("%w: %s=%s was compiled from version %d of the shim, this program has version %d; build both from one rhinet", ErrUnavailable, Variable, shim, v, version)
	}
	l.name = l.text(0)
	if code := l.run(open); code != 0 {
		return nil, l.refused(open, code)
	}
	if l.call.flag == 0 {
		return nil, fmt.Errorf("%w: %s was built without threads (MPI_THREAD_SERIALIZED), which programs in Go have", ErrUnavailable, l.name)
	}
	l.rank, l.size, l.maxTag, l.world = int(l.call.peer), int(l.call.count), int(l.call.tag), Comm(l.call.comm)
	return l, nil
}

// Name returns the name and version of the library, as it reports them.
func (l *Library) Name() string { return l.name }

// Rank returns this process's rank in the world.
func (l *Library) Rank() int { return l.rank }

// Size returns the number of processes.
func (l *Library) Size() int { return l.size }

// MaxTag returns the largest tag that the library supports (MPI_TAG_UB).
//
// MPI 4.1, section 9.1.2.
func (l *Library) MaxTag() int { return l.maxTag }

// World returns the communicator of all processes.
func (l *Library) World() Comm { return l.world }

// CallCost measures how many seconds a call from Go takes that does nothing in C: what every call costs
// more here than in a C program. It returns the shortest mean of several batches.
func (l *Library) CallCost() float64 {
	const batches, calls = 5, 1000
	if !l.enter() {
		return 0
	}
	defer l.leave()
	best := math.Inf(1)
	for range batches {
		start := time.Now()
		for range calls {
			l.run(nothing)
		}
		best = min(best, time.Since(start).Seconds()/calls)
	}
	return best
}

// enter begins a call, if no other is in progress.
func (l *Library) enter() bool { return l.within.CompareAndSwap(false, true) }

func (l *Library) leave() { l.within.Store(false) }

// do makes one call.
func (l *Library) do(f function) error {
	if code := l.run(f); code != 0 {
		return l.refused(f, code)
	}
	return nil
}

// refused returns the error for a code of the library.
func (l *Library) refused(f function, code int64) error {
	words := l.text(code)
	return &Error{Library: l.name, Call: names[f].mpi, Text: words, TooLong: l.call.flag != 0}
}

// text returns the library's text for a code, or, if that is 0, its name.
func (l *Library) text(code int64) string {
	b := make([]byte, 256)
	l.call = call{op: code, recv: at(b), count: int64(len(b))}
	l.run(text)
	words := string(b[:l.call.count])
	runtime.KeepAlive(b)
	if code == 0 { // the name: only the first of many items
		words, _, _ = strings.Cut(words, "\n")
		words, _, _ = strings.Cut(words, ",")
	}
	return oneLine(strings.TrimRight(words, "\x00"))
}

// fits returns an error for sizes that the library cannot count.
func (l *Library) fits(f function, bytes int) error {
	if bytes > math.MaxInt32 {
		return &Error{Library: l.name, Call: names[f].mpi, Text: fmt.Sprintf("%d bytes are more than it counts (%d); send them in parts", bytes, math.MaxInt32)}
	}
	return nil
}

// Group creates the communicator of some ranks of the world, which all of them must call with the same tag;
// concurrent calls for other groups must have other tags.
//
// MPI 4.1, section 7.4.2 (MPI_Comm_create_group).
func (l *Library) Group(ranks []int32, tag int) (Comm, error) {
	if !l.enter() {
		return 0, ErrBusy
	}
	defer l.leave()
	l.call = call{sendCounts: at(ranks), count: int64(len(ranks)), tag: int64(tag)}
	err := l.do(group)
	runtime.KeepAlive(ranks)
	return Comm(l.call.comm), err
}

// Free frees a communicator; all its ranks must call it.
func (l *Library) Free(c Comm) error {
	if !l.enter() {
		return ErrBusy
	}
	defer l.leave()
	l.call = call{comm: int64(c)}
	return l.do(free)
}

// transfer begins a call that transfers buf.
func (l *Library) transfer(f function, c Comm, buf []byte, peer, tag int, flag bool) error {
	if tag > l.maxTag {
		return fmt.Errorf("%w: %s has tags from 0 to %d", ErrTag, l.name, l.maxTag)
	}
	if err := l.fits(f, len(buf)); err != nil {
		return err
	}
	l.call = call{comm: int64(c), peer: int64(peer), tag: int64(tag), count: int64(len(buf)), send: at(buf), recv: at(buf), transfers: at(l.one[:])}
	if flag {
		l.call.flag = 1
	}
	l.one[0] = Transfer{}
	err := l.do(f)
	runtime.KeepAlive(buf)
	return err
}

// Send sends buf, and returns when it may be used again or, if synchronous, when the receive has begun.
//
// MPI 4.1, sections 3.2.1 and 3.4.
func (l *Library) Send(c Comm, buf []byte, dst, tag int, synchronous bool) error {
	if !l.enter() {
		return ErrBusy
	}
	defer l.leave()
	return l.transfer(send, c, buf, dst, tag, synchronous)
}

// Recv receives a message into buf. If the message is too long, the error comes with the message's source
// and tag, as far as the library provides them.
//
// MPI 4.1, section 3.2.4.
func (l *Library) Recv(c Comm, buf []byte, src, tag int) (Transfer, error) {
	if !l.enter() {
		return Transfer{}, ErrBusy
	}
	defer l.leave()
	err := l.transfer(recv, c, buf, src, tag, false)
	return l.one[0], err
}

// Isend begins to send buf.
//
// MPI 4.1, section 3.7.2.
func (l *Library) Isend(c Comm, buf []byte, dst, tag int, synchronous bool) (Transfer, error) {
	if !l.enter() {
		return Transfer{}, ErrBusy
	}
	defer l.leave()
	err := l.transfer(isend, c, buf, dst, tag, synchronous)
	return l.one[0], err
}

// Irecv begins to receive into buf.
//
// MPI 4.1, section 3.7.2.
func (l *Library) Irecv(c Comm, buf []byte, src, tag int) (Transfer, error) {
	if !l.enter() {
		return Transfer{}, ErrBusy
	}
	defer l.leave()
	err := l.transfer(irecv, c, buf, src, tag, false)
	return l.one[0], err
}

// Wait completes all transfers, at most [Most]. [Library.Failed] returns the error of each.
//
// MPI 4.1, section 3.7.5 (MPI_Waitall).
func (l *Library) Wait(list []Transfer) error {
	if !l.enter() {
		return ErrBusy
	}
	defer l.leave()
	l.call = call{transfers: at(list), count: int64(len(list))}
	err := l.do(wait)
	runtime.KeepAlive(list)
	return err
}

// Any completes one of the transfers, at most [Most], and returns its index; -1 if waits is false and none
// is complete.
//
// MPI 4.1, section 3.7.5 (MPI_Waitany, MPI_Testany).
func (l *Library) Any(list []Transfer, waits bool) (int, error) {
	if !l.enter() {
		return -1, ErrBusy
	}
	defer l.leave()
	l.call = call{transfers: at(list), count: int64(len(list)), peer: -1}
	if waits {
		l.call.op = 1
	}
	err := l.do(waitAny)
	runtime.KeepAlive(list)
	return int(l.call.peer), err
}

// Failed returns the error of a complete transfer of a call, or nil.
func (l *Library) Failed(what string, t *Transfer) error {
	if t.Code == 0 {
		return nil
	}
	if !l.enter() {
		return ErrBusy
	}
	defer l.leave()
	words := l.text(t.Code)
	return &Error{Library: l.name, Call: what, Text: words, TooLong: l.call.flag != 0}
}

// Probe looks for a message, waits for one if waits is set, and reports whether there is one.
//
// MPI 4.1, section 3.8.1.
func (l *Library) Probe(c Comm, src, tag int, waits bool) (Transfer, bool, error) {
	if !l.enter() {
		return Transfer{}, false, ErrBusy
	}
	defer l.leave()
	l.one[0] = Transfer{}
	l.call = call{comm: int64(c), peer: int64(src), tag: int64(tag), transfers: at(l.one[:])}
	if waits {
		l.call.op = 1
	}
	err := l.do(probe)
	return l.one[0], err == nil && l.call.flag != 0, err
}

// Collective performs a blocking collective call by the library's own algorithm.
//
// MPI 4.1, chapter 6.
func (l *Library) Collective(c *Collective) error {
	if !l.enter() {
		return ErrBusy
	}
	defer l.leave()
	f := barrier + function(c.Kind)
	if err := l.fits(f, max(len(c.Send), len(c.Recv))); err != nil {
		return err
	}
	l.call = call{comm: int64(c.Comm), peer: int64(c.Root), count: int64(c.Count), kind: int64(c.Op.Kind), op: int64(c.Op.Operation),
		send: at(c.Send), recv: at(c.Recv),
		sendCounts: at(c.SendCounts), sendDispls: at(c.SendDispls), recvCounts: at(c.RecvCounts), recvDispls: at(c.RecvDispls)}
	if c.InPlace {
		l.call.flag = 1
	}
	err := l.do(f)
	runtime.KeepAlive(c)
	return err
}

// Abort ends the job. If it returns, it has failed.
//
// MPI 4.1, section 11.4.2.
func (l *Library) Abort(status int) {
	l.call = call{op: int64(status)}
	l.run(abort)
}

// Close finalizes the library (MPI_Finalize).
//
// MPI 4.1, section 11.2.2.
func (l *Library) Close() error {
	if !l.enter() {
		return ErrBusy
	}
	defer l.leave()
	l.call = call{}
	return l.do(closing)
}
