package mpitest

import (
	"context"
	"slices"
	"sync"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/port"
	"rhinet/mpi"
)

// A mailbox is the transport of one rank as the standard describes it, written to be
// obvious: one lock for the whole job, linear lists, every message copied. It is the
// reference for the real transports, and runs where they cannot.
type mailbox struct {
	office *office
	rank   int
	posted []*llc.Request        // posted receives, in order
	queue  []*letter             // unexpected messages, in the order they were sent
	open   map[*llc.Request]bool // transfers in progress
	doors  map[uint16]door       // of contexts; a context without one accepts all
	events int                   // number of events here so far
	wake   *sync.Cond
	died   func(int, error) // see Survive; nil: not called
	failed bool
	closed bool // this rank has closed it
}

// An office is what the ranks of a job share.
type office struct {
	mu     sync.Mutex
	boxes  []*mailbox
	buffer int   // longer messages wait for their receive; negative: none does
	failed error // why the job ended
}

// A letter is a message that has not matched yet.
type letter struct {
	ctx      uint16
	typ      uint32
	src, tag int
	handle   int // replaces tag after a probe has matched the letter; else AnyTag
	data     []byte
	sender   *llc.Request // waits until the letter is read; nil if none does
}

// newOffice opens the mailboxes of n ranks.
func newOffice(n, buffer int) *office {
	o := &office{buffer: buffer}
	for i := range n {
		b := &mailbox{office: o, rank: i, open: map[*llc.Request]bool{}, doors: map[uint16]door{}}
		b.wake = sync.NewCond(&o.mu)
		o.boxes = append(o.boxes, b)
	}
	return o
}

// fail ends all waits.
func (o *office) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed == nil {
		o.failed = err
	}
	for _, b := range o.boxes {
		b.stir()
	}
}

var _ mpi.Transport = (*mailbox)(nil)

// Start begins a transfer.
func (b *mailbox) Start(r *llc.Request, send bool) {
	b.office.mu.Lock()
	defer b.office.mu.Unlock()
	r.Status = llc.Status{}
	if b.closed {
		r.Status.Err = port.ErrClosed
		return
	}
	b.open[r] = true
	if r.Peer >= 0 && b.office.boxes[r.Peer].failed && (send || !b.waiting(r)) {
		b.withdraw(r)
		r.Status.Err = errPeerEnded
		return
	}
	if send {
		b.post(r)
	} else {
		b.receive(r)
	}
}

// waiting reports whether a letter has arrived for the receive r.
func (b *mailbox) waiting(r *llc.Request) bool {
	return slices.ContainsFunc(b.queue, func(l *letter) bool { return l.matches(r.Context, r.Peer, r.Tag) })
}

// post sends r: to the first receive that matches, or into the queue.
func (b *mailbox) post(r *llc.Request) {
	to := b.office.boxes[r.Peer]
	l := &letter{ctx: r.Context, typ: r.Type, src: b.rank, tag: r.Tag, handle: llc.AnyTag, data: make([]byte, r.Bytes())}
	r.Gather(l.data, 0)
	waits := r.Mode == llc.Synchronous || b.office.buffer >= 0 && len(l.data) > b.office.buffer
	if d := to.doors[r.Context]; d.shut || l.typ&d.mask != d.want {
		if waits {
			r.Status.Err = llc.ErrShut
		}
		b.complete(r)
		return
	}
	for i, w := range to.posted {
		if l.matches(w.Context, w.Peer, w.Tag) {
			to.posted = append(to.posted[:i:i], to.posted[i+1:]...)
			err := to.read(w, l)
			if waits {
				r.Status.Err = err
			}
			b.complete(r)
			return
		}
	}
	if to.doors[r.Context].drained {
		if waits {
			r.Status.Err = llc.ErrShut
		}
		b.complete(r)
		return
	}
	if waits {
		l.sender = r
	} else {
		b.complete(r)
	}
	to.queue = append(to.queue, l)
	to.stir()
}

// receive takes the first letter that matches r, or posts r.
func (b *mailbox) receive(r *llc.Request) {
	for i, l := range b.queue {
		if l.matches(r.Context, r.Peer, r.Tag) {
			b.queue = append(b.queue[:i:i], b.queue[i+1:]...)
			err := b.read(r, l)
			if l.sender != nil {
				l.sender.Status.Err = err
				b.office.boxes[l.src].complete(l.sender)
			}
			return
		}
	}
	b.posted = append(b.posted, r)
}

func (l *letter) matches(ctx uint16, src, tag int) bool {
	if l.handle != llc.AnyTag {
		return l.ctx == ctx && src == l.src && tag == l.handle
	}
	return l.ctx == ctx && (src == llc.AnyPeer || src == l.src) && (tag == llc.AnyTag || tag == l.tag)
}

// read completes the receive r with l. The error is that of a letter of another type:
// then r fails, and so do the receives that are Together with it.
func (b *mailbox) read(r *llc.Request, l *letter) error {
	r.Status = llc.Status{Source: l.src, Tag: l.tag, Bytes: int64(len(l.data))}
	const class = 1<<12 - 1
	if l.typ == r.Type || l.typ&class == 0 || r.Type&class == 0 {
		r.Scatter(l.data, 0)
		b.complete(r)
		return nil
	}
	err := &llc.TypeError{Sent: l.typ, Want: r.Type}
	r.Status.Err = err
	b.complete(r)
	for _, q := range slices.Clone(b.posted) {
		if r.Together && q.Together && q.Context == r.Context {
			b.withdraw(q)
			q.Status = r.Status
			b.stir()
		}
	}
	return err
}

func (b *mailbox) complete(r *llc.Request) {
	delete(b.open, r)
	b.stir()
}

// stir wakes the waits of this rank to check their conditions.
func (b *mailbox) stir() {
	b.events++
	b.wake.Broadcast()
}

func (b *mailbox) done(r *llc.Request) bool {
	return !b.open[r]
}

// until waits with the lock held until cond holds, or the use of the mailbox has ended.
func (b *mailbox) until(cond func() bool) error {
	for !cond() {
		if err := b.ended(); err != nil {
			return err
		}
		b.wake.Wait()
	}
	return nil
}

// ended returns why all waits end, or nil. The lock is held.
func (b *mailbox) ended() error {
	if b.closed {
		return port.ErrClosed
	}
	return b.office.failed
}

// Wait completes r.
func (b *mailbox) Wait(r *llc.Request) {
	b.office.mu.Lock()
	defer b.office.mu.Unlock()
	if err := b.until(func() bool { return b.done(r) }); err != nil {
		b.withdraw(r)
		r.Status.Err = err
	}
}

// WaitAll waits for each request.
func (b *mailbox) WaitAll(first *llc.Request) {
	for r := first; r != nil; r = r.Link {
		b.Wait(r)
	}
}

// Isend leaves everything to Start.
func (b *mailbox) Isend(*port.Spares, llc.Key, int, int, []byte) (*llc.Request, bool) {
	return nil, false
}

// Irecv leaves everything to Start.
func (b *mailbox) Irecv(*port.Spares, llc.Key, int, int, []byte) *llc.Request { return nil }

// TrySend sends nothing: no message is sent at once.
func (b *mailbox) TrySend(llc.Key, int, int, []byte) bool { return false }

// RecvFor is Recv.
func (b *mailbox) RecvFor(_ string, key llc.Key, src, tag int, buf []byte) (llc.Status, error) {
	return b.Recv(key, src, tag, buf)
}

// Test reports whether r is complete.
func (b *mailbox) Test(r *llc.Request) bool {
	b.office.mu.Lock()
	defer b.office.mu.Unlock()
	if err := b.ended(); !b.done(r) && err != nil {
		b.withdraw(r)
		r.Status.Err = err
	}
	return b.done(r)
}

// WaitAny waits for one of rs, or ends with -1 when over holds.
func (b *mailbox) WaitAny(_ string, rs []*llc.Request, over func() bool) int {
	b.office.mu.Lock()
	defer b.office.mu.Unlock()
	found := 0
	err := b.until(func() bool {
		if found = slices.IndexFunc(rs, b.done); found >= 0 {
			return true
		}
		return over != nil && over()
	})
	if err != nil {
		b.withdraw(rs[0])
		rs[0].Status.Err = err
		return 0
	}
	return found
}

// WaitContext is Wait that ends with ctx.
func (b *mailbox) WaitContext(ctx context.Context, r *llc.Request) error {
	defer context.AfterFunc(ctx, func() {
		b.office.mu.Lock()
		b.stir()
		b.office.mu.Unlock()
	})()
	b.office.mu.Lock()
	defer b.office.mu.Unlock()
	err := b.until(func() bool { return b.done(r) || ctx.Err() != nil })
	if err != nil {
		b.withdraw(r)
		r.Status.Err = err
		return nil
	}
	if !b.done(r) {
		return ctx.Err()
	}
	return nil
}

// Cancel withdraws r if it has not matched.
func (b *mailbox) Cancel(r *llc.Request) bool {
	b.office.mu.Lock()
	defer b.office.mu.Unlock()
	if b.done(r) {
		return false
	}
	b.withdraw(r)
	r.Status.Err = llc.ErrCancelled
	b.stir()
	return true
}

// withdraw removes r, which is not complete, wherever it waits.
func (b *mailbox) withdraw(r *llc.Request) {
	for i, p := range b.posted {
		if p == r {
			b.posted = append(b.posted[:i:i], b.posted[i+1:]...)
			break
		}
	}
	for _, to := range b.office.boxes {
		for i, l := range to.queue {
			if l.sender == r {
				to.queue = append(to.queue[:i:i], to.queue[i+1:]...)
				break
			}
		}
	}
	delete(b.open, r)
}

// Send is Start and Wait.
func (b *mailbox) Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error {
	r := &llc.Request{Context: key.Context(), Type: key.Type(), Peer: dst, Tag: tag, Mode: mode, Buf: buf}
	b.Start(r, true)
	b.Wait(r)
	return r.Status.Err
}

// Recv is Start and Wait.
func (b *mailbox) Recv(key llc.Key, src, tag int, buf []byte) (llc.Status, error) {
	r := &llc.Request{Context: key.Context(), Type: key.Type(), Peer: src, Tag: tag, Buf: buf}
	b.Start(r, false)
	b.Wait(r)
	return r.Status, r.Status.Err
}

// Probe looks for the first letter that matches.
func (b *mailbox) Probe(ctx uint16, src, tag int) (llc.Status, bool) {
	return b.ProbeUntil("Probe", ctx, src, tag, func() bool { return true })
}

// ProbeUntil is Probe that waits until over holds.
func (b *mailbox) ProbeUntil(_ string, ctx uint16, src, tag int, over func() bool) (llc.Status, bool) {
	b.office.mu.Lock()
	defer b.office.mu.Unlock()
	var found *letter
	look := func() bool {
		for _, l := range b.queue {
			if l.matches(ctx, src, tag) {
				found = l
				return true
			}
		}
		return false
	}
	if err := b.until(func() bool { return look() || over != nil && over() }); err != nil {
		return llc.Status{Err: err}, true
	}
	if found == nil {
		return llc.Status{}, false
	}
	return llc.Status{Source: found.src, Tag: found.tag, Bytes: int64(len(found.data))}, true
}

// Match reserves a letter, so that other receives cannot match it.
func (b *mailbox) Match(ctx uint16, src, tag int, as uint16, handle int) (llc.Status, bool) {
	b.office.mu.Lock()
	defer b.office.mu.Unlock()
	for _, l := range b.queue {
		if l.matches(ctx, src, tag) {
			l.ctx, l.handle = as, handle
			return llc.Status{Source: l.src, Tag: l.tag, Bytes: int64(len(l.data))}, true
		}
	}
	return llc.Status{}, false
}

// Host is 0: there is one host.
func (b *mailbox) Host(int) int { return 0 }

// FlagArray is nil: this transport has none.
func (b *mailbox) FlagArray() ir.FlagArray { return nil }

// Codes, Switch, Atomics, Locker, Vectors and Carrier are nil, and Sequences is 0: this
// transport has none of them.
func (b *mailbox) Codes(int, []int, uint64) (ir.Codes, error) { return nil, nil }
func (b *mailbox) Sequences() int                             { return 0 }
func (b *mailbox) Switch() ir.Switch                          { return nil }
func (b *mailbox) Atomics() ir.Atomics                        { return nil }
func (b *mailbox) Locker() ir.Locker                          { return nil }
func (b *mailbox) Vectors() ir.Vectors                        { return nil }
func (b *mailbox) Carrier() port.Carrier                      { return nil }

// GiveWay is nil: windows use messages.
func (b *mailbox) GiveWay() func() { return nil }

// Memory is nil: this transport has none.
func (b *mailbox) Memory() ir.Memory { return nil }

// Remote is nil: windows use messages.
func (b *mailbox) Remote() ir.Remote { return nil }

// Wake wakes the waits of a rank to check their conditions.
func (b *mailbox) Wake(peer int) {
	b.office.mu.Lock()
	b.office.boxes[peer].stir()
	b.office.mu.Unlock()
}

// AwaitCollective waits until cond holds. cond is called without the lock, like begin,
// since it may use the transport; every event that can change it wakes this rank.
func (b *mailbox) AwaitCollective(_ string, _ *ir.Collective, begin func(), cond func() bool) {
	b.office.mu.Lock()
	closed := b.closed
	b.office.mu.Unlock()
	if closed {
		return
	}
	if begin != nil {
		begin()
	}
	for {
		b.office.mu.Lock()
		seen, ended := b.events, b.ended()
		b.office.mu.Unlock()
		if cond() || ended != nil {
			return
		}
		b.office.mu.Lock()
		b.until(func() bool { return b.events != seen })
		b.office.mu.Unlock()
	}
}

// Close ends all waits of this rank with port.ErrClosed. A letter for which nobody waits outlives its sender.
func (b *mailbox) Close() error {
	b.office.mu.Lock()
	defer b.office.mu.Unlock()
	if b.closed {
		return port.ErrClosed
	}
	b.closed = true
	b.stir()
	return nil
}
