package mpi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"rhinet/internal/libmpi"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/port"
)

var _ library = (*libTransport)(nil)

// A libTransport carries the messages of one communicator over a communicator of
// another MPI's library.
type libTransport struct {
	*libShared
	comm    libmpi.Comm
	members []int32 // world rank of each of its ranks
	back    []int32 // its rank of each world rank, or Undefined
	freed   bool
}

// libShared is what the communicators of a process share. It belongs to the goroutine
// whose call is in progress: the library takes one call at a time, and reports others
// (see libmpi.ErrBusy).
type libShared struct {
	lib   *libmpi.Library
	begun map[*llc.Request]libRequest // transfers in progress; the map keeps their buffers alive
	batch []libmpi.Transfer           // of one wait
	rs    []*llc.Request              // the requests of batch
	one   [1]*llc.Request             // of one Test
	call  libmpi.Collective           // in progress
	ints  [4][]int32                  // counts and displacements of one call
}

// A libRequest is a transfer of the library, and the members of the communicator that
// its source refers to.
type libRequest struct {
	libmpi.Transfer
	members []int32
	send    bool
}

// newLibTransport returns the transport of the world of a library.
func newLibTransport(lib *libmpi.Library) *libTransport {
	all := make([]int32, lib.Size())
	for i := range all {
		all[i] = int32(i)
	}
	shared := &libShared{lib: lib, begun: map[*llc.Request]libRequest{}}
	return &libTransport{libShared: shared, comm: lib.World(), members: all, back: all}
}

// Communicator makes a communicator of the library.
func (t *libTransport) Communicator(members []int32, number int) (library, error) {
	comm, err := t.lib.Group(members, number)
	if err != nil {
		return nil, err
	}
	back := make([]int32, t.lib.Size())
	for i := range back {
		back[i] = Undefined
	}
	for i, m := range members {
		back[m] = int32(i)
	}
	return &libTransport{libShared: t.libShared, comm: comm, members: members, back: back}, nil
}

// About returns the name of the library, and the cost of a call.
func (t *libTransport) About() (string, float64) { return t.lib.Name(), t.lib.CallCost() }

// errNotCarried refuses messages that are not point-to-point messages of the program.
var errNotCarried = errors.New(notCarried)

// plainContext reports whether a context is for point-to-point messages of a
// communicator. Which context does not matter: the communicator of the library keeps
// them apart.
func plainContext(ctx uint16) bool { return ctx&1 == 0 && ctx < 2*maxContexts }

// peer returns the rank of a world rank in the communicator.
func (t *libTransport) peer(world int) int {
	if world == llc.AnyPeer {
		return libmpi.Any
	}
	return int(t.back[world])
}

// libTag converts a tag.
func libTag(tag int) int {
	if tag == llc.AnyTag {
		return libmpi.Any
	}
	return tag
}

func (t *libTransport) Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error {
	if !plainContext(key.Context()) || mode == llc.Scattered {
		return errNotCarried
	}
	return t.lib.Send(t.comm, buf, t.peer(dst), tag, mode == llc.Synchronous)
}

func (t *libTransport) Recv(key llc.Key, src, tag int, buf []byte) (llc.Status, error) {
	if !plainContext(key.Context()) {
		return llc.Status{Err: errNotCarried}, errNotCarried
	}
	got, err := t.lib.Recv(t.comm, buf, t.peer(src), libTag(tag))
	st := libStatus(t.members, &got, err, len(buf))
	return st, st.Err
}

// libStatus converts the status of a receive into so much room, or of a probe. The
// library may not say how long a message is that is too long.
func libStatus(members []int32, got *libmpi.Transfer, err error, room int) llc.Status {
	st := llc.Status{Source: llc.AnyPeer, Tag: int(got.Tag), Bytes: got.Bytes, Err: err}
	if s := int(got.Source); s >= 0 && s < len(members) {
		st.Source = int(members[s])
	}
	if err != nil && st.Source >= 0 && tooLong(err) {
		st.Err, st.Bytes = fmt.Errorf("%w: %w", llc.ErrTruncated, err), max(st.Bytes, int64(room)+1)
	}
	return st
}

// tooLong reports whether an error of the library says that a message does not fit.
func tooLong(err error) bool {
	var e *libmpi.Error
	return errors.As(err, &e) && e.TooLong
}

// Start begins a transfer. A transfer that is refused is complete.
func (t *libTransport) Start(r *llc.Request, send bool) {
	r.Status = llc.Status{}
	if !plainContext(r.Context) || r.Body != nil {
		r.Status.Err = errNotCarried
		return
	}
	q, err := libRequest{members: t.members, send: send}, error(nil)
	if send {
		q.Transfer, err = t.lib.Isend(t.comm, r.Buf, t.peer(r.Peer), r.Tag, r.Mode == llc.Synchronous)
	} else {
		q.Transfer, err = t.lib.Irecv(t.comm, r.Buf, t.peer(r.Peer), libTag(r.Tag))
	}
	if r.Status.Err = err; err == nil {
		t.begun[r] = q
	}
}

// Isend and Irecv leave everything to Start, TrySend to other calls.
func (t *libTransport) Isend(*port.Spares, llc.Key, int, int, []byte) (*llc.Request, bool) {
	return nil, false
}
func (t *libTransport) Irecv(*port.Spares, llc.Key, int, int, []byte) *llc.Request { return nil }
func (t *libTransport) TrySend(llc.Key, int, int, []byte) bool                     { return false }

// RecvFor is Recv: the library does not report waits.
func (t *libTransport) RecvFor(_ string, key llc.Key, src, tag int, buf []byte) (llc.Status, error) {
	return t.Recv(key, src, tag, buf)
}

// collect adds r to the batch, unless it is complete.
func (s *libShared) collect(r *llc.Request) {
	if q, ok := s.begun[r]; ok {
		s.batch, s.rs = append(s.batch, q.Transfer), append(s.rs, r)
	}
}

// complete ends a transfer of the batch.
func (s *libShared) complete(i int, call string) {
	r, got := s.rs[i], &s.batch[i]
	q := s.begun[r]
	delete(s.begun, r)
	err := s.lib.Failed(call, got)
	if q.send {
		r.Status.Err = err
		return
	}
	r.Status = libStatus(q.members, got, err, len(r.Buf))
}

// waitBatch completes the whole batch, and empties it.
func (s *libShared) waitBatch() {
	if len(s.rs) > 0 {
		err := s.lib.Wait(s.batch)
		for i, r := range s.rs {
			if err != nil {
				r.Status.Err = err
				delete(s.begun, r)
			} else {
				s.complete(i, "Wait")
			}
		}
	}
	s.empty()
}

func (s *libShared) empty() {
	clear(s.rs)
	s.batch, s.rs = s.batch[:0], s.rs[:0]
}

func (s *libShared) Wait(r *llc.Request) {
	s.collect(r)
	s.waitBatch()
}

func (s *libShared) WaitAll(first *llc.Request) {
	for r := first; r != nil; r = r.Link {
		if s.collect(r); len(s.rs) == libmpi.Most {
			s.waitBatch()
		}
	}
	s.waitBatch()
}

// any completes one of the requests and returns its index, or -1.
func (s *libShared) any(rs []*llc.Request, waits bool) (done int) {
	defer s.empty()
	for i, r := range rs {
		if s.collect(r); len(s.rs) <= i {
			return i // complete already
		}
	}
	at, err := s.lib.Any(s.batch, waits)
	if err != nil {
		rs[0].Status.Err = err
		delete(s.begun, rs[0])
		return 0
	}
	if at >= 0 {
		s.complete(at, "Waitany")
	}
	return at
}

func (s *libShared) Test(r *llc.Request) bool {
	s.one[0] = r
	return s.any(s.one[:], false) == 0
}

// WaitAny waits for one request. The library takes at most Most at a time; parts of a
// longer list are tested in turn. With over it looks again and again.
func (s *libShared) WaitAny(_ string, rs []*llc.Request, over func() bool) int {
	if over != nil {
		return waitAnyUntil(s, rs, over)
	}
	if len(rs) <= libmpi.Most {
		return s.any(rs, true)
	}
	for from := 0; ; from = (from + libmpi.Most) % len(rs) {
		part := rs[from:min(from+libmpi.Most, len(rs))]
		if i := s.any(part, false); i >= 0 {
			return from + i
		}
		if from+libmpi.Most >= len(rs) {
			from = -libmpi.Most
			runtime.Gosched()
		}
	}
}

func (s *libShared) WaitContext(ctx context.Context, r *llc.Request) error {
	return poll(ctx, func() bool { return s.Test(r) })
}

// Cancel withdraws nothing: the library cannot.
func (s *libShared) Cancel(*llc.Request) bool { return false }

func (t *libTransport) Probe(ctx uint16, src, tag int) (llc.Status, bool) {
	return t.probe(ctx, src, tag, false)
}

func (t *libTransport) probe(ctx uint16, src, tag int, block bool) (llc.Status, bool) {
	if !plainContext(ctx) {
		return llc.Status{Err: errNotCarried}, true
	}
	got, found, err := t.lib.Probe(t.comm, t.peer(src), libTag(tag), block)
	return libStatus(t.members, &got, err, math.MaxInt), found || err != nil
}

// ProbeUntil with over looks again and again.
func (t *libTransport) ProbeUntil(_ string, ctx uint16, src, tag int, over func() bool) (llc.Status, bool) {
	if over == nil {
		return t.probe(ctx, src, tag, true)
	}
	return probeUntil(t, ctx, src, tag, over)
}

// Shut frees the communicator of the library. That is a collective call there, as Free
// is here.
func (t *libTransport) Shut(ctx uint16) {
	if plainContext(ctx) && t.comm != t.lib.World() && !t.freed {
		t.freed = true
		_ = t.lib.Free(t.comm)
	}
}

// Drain is Shut: the library completes what waits.
func (t *libTransport) Drain(ctx uint16) int {
	t.Shut(ctx)
	return 0
}

// Perform calls f.
func (s *libShared) Perform(f func()) { f() }

// AwaitCollective waits until cond holds. It is hardly used: there are no flag arrays
// and no windows.
func (s *libShared) AwaitCollective(_ string, _ *ir.Collective, begin func(), cond func() bool) {
	if begin != nil {
		begin()
	}
	for !cond() {
		runtime.Gosched()
	}
}

// What this transport does not have.
func (s *libShared) Match(uint16, int, int, uint16, int) (llc.Status, bool) {
	return llc.Status{}, false
}
func (s *libShared) Unreceived(func(uint16, llc.Status))        {}
func (s *libShared) Addressed(int) bool                         { return false }
func (s *libShared) Open(uint16, uint32, uint32)                {}
func (s *libShared) Host(int) int                               { return 0 }
func (s *libShared) FlagArray() ir.FlagArray                    { return nil }
func (s *libShared) Sequences() int                             { return 0 }
func (s *libShared) Codes(int, []int, uint64) (ir.Codes, error) { return nil, nil }
func (s *libShared) Switch() ir.Switch                          { return nil }
func (s *libShared) Memory() ir.Memory                          { return nil }
func (s *libShared) Remote() ir.Remote                          { return nil }
func (s *libShared) Atomics() ir.Atomics                        { return nil }
func (s *libShared) Locker() ir.Locker                          { return nil }
func (s *libShared) Vectors() ir.Vectors                        { return nil }
func (s *libShared) Carrier() port.Carrier                      { return nil }
func (s *libShared) GiveWay() func()                            { return nil }
func (s *libShared) Wake(int)                                   {}
func (s *libShared) Survive(func(int, error)) bool              { return false }

// Close ends the use of the library.
func (s *libShared) Close() error { return s.lib.Close() }
