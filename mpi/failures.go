package mpi

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"rhinet/internal/agreement"
	"rhinet/llc"
)

// A failureManager keeps the deaths that a rank knows of, and its part in agreements, in a
// job that goes on when ranks die. A goroutine takes the notices of other ranks, so that a
// rank that waits in no call answers, too.
type failureManager struct {
	w    *world
	stop context.CancelFunc // of the goroutine
	ctx  context.Context
	news chan int // world ranks that have died
	over sync.WaitGroup

	anyRevoked atomic.Bool // a communicator has been revoked

	mu         sync.Mutex
	dead       []bool // by world rank
	agreements map[contextID]*commAgreements
	meetings   map[*commFailures]struct{} // of processes that have no communicator yet
}

// commAgreements are the agreements of the ranks of a communicator. Other ranks may begin
// one before this one has the communicator. Several may be open at once ([Comm.Iagree]), so a
// decision is kept until all ranks that live are known to have it: one of them may lack it
// because the leader has died, and ask this rank for it.
type commAgreements struct {
	c     *core // nil: not made yet
	calls uint32
	open  map[uint32]*pendingAgreement
	low   []uint32 // of each rank: it is known to have decided all agreements up to this one
	all   uint32   // all ranks that live have: these are forgotten
	early []notice
}

// A pendingAgreement is an agreement for whose decision this rank may wait.
type pendingAgreement struct {
	*agreement.Part
	done chan struct{} // closed when it has decided
}

// A notice is a message of one rank to another.
type notice struct {
	kind  uint32
	id    contextID // of the communicator at the receiver
	seq   uint32    // of the agreement
	low   uint32    // of an offer: the sender has decided all agreements up to this one; of a decision: all ranks have
	from  int       // world rank
	value []byte
}

// The kinds of notices.
const (
	noticeOffer uint32 = iota + 1
	noticeDecision
	noticeRevoke
)

const noticeHead = 16

// survive starts what a job needs to go on when ranks die.
func (w *world) survive() bool {
	p := &failureManager{w: w, news: make(chan int, w.Size), dead: make([]bool, w.Size), agreements: map[contextID]*commAgreements{}, meetings: map[*commFailures]struct{}{}}
	if !w.Transport.Survive(func(peer int, _ error) { p.news <- peer }) {
		return false
	}
	w.failures = p
	p.begin()
	return true
}

// begin has the goroutines run, until end.
func (p *failureManager) begin() {
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.over.Go(p.watch)
	p.over.Go(p.listen)
}

// end ends what begin has begun.
func (p *failureManager) end() {
	p.stop()
	p.over.Wait()
}

// watch handles deaths. The transport reports each once, with a lock held.
func (p *failureManager) watch() {
	for {
		select {
		case <-p.ctx.Done():
			return
		case peer := <-p.news:
			p.died(peer)
		}
	}
}

func (p *failureManager) died(peer int) {
	defer p.w.Transport.Wake(p.w.Rank) // the calls that wait for this process
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead[peer] {
		return
	}
	p.dead[peer] = true
	for _, k := range p.agreements {
		if k.c == nil {
			continue // attach tells it of deaths
		}
		if r := k.c.local(peer); r >= 0 {
			k.c.failures.died(r)
		}
	}
	for f := range p.meetings {
		if r := slices.Index(f.c.members, int32(peer)); r >= 0 {
			f.died(r)
		}
	}
	for _, v := range p.w.windowsOf(peer) {
		p.over.Go(func() { v.rankFailed(v.c.local(peer)) })
	}
	for _, k := range p.agreements {
		if k.c == nil {
			continue
		}
		if r := k.c.local(peer); r >= 0 {
			for seq, s := range k.open {
				p.send(k, seq, s, s.Died(r))
			}
		}
	}
}

// isDead reports whether a world rank has died, as far as this rank knows.
func (p *failureManager) isDead(peer int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead[peer]
}

// anyDied reports whether a rank has died, as far as this one knows.
func (p *failureManager) anyDied() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.dead, true)
}

// attach readies a communicator for deaths. Members may have died earlier.
func (p *failureManager) attach(c *core) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.failures = newCommFailures(c)
	for r := range c.size {
		if p.dead[c.global(r)] {
			c.failures.died(r)
		}
	}
	k := p.agreementsOf(c.id)
	k.c, k.low = c, make([]uint32, c.size)
	early := k.early
	k.early = nil
	for _, n := range early {
		p.take(n)
	}
}

// meet returns the failures of processes that make a communicator, until part.
func (p *failureManager) meet(c *core) *commFailures {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := newCommFailures(c)
	for r, peer := range c.members {
		if p.dead[peer] {
			f.died(r)
		}
	}
	p.meetings[f] = struct{}{}
	return f
}

// part ends that.
func (p *failureManager) part(f *commFailures) {
	p.mu.Lock()
	delete(p.meetings, f)
	p.mu.Unlock()
}

// detach keeps of a communicator that has been freed what other ranks may still ask for:
// the last decision, which one of them may not know.
func (p *failureManager) detach(c *core) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.agreementsOf(c.id).c = &core{
		w: c.w, rank: c.rank, size: c.size, members: c.members, back: c.back, ids: c.ids, id: c.id, first: c.first, failures: c.failures,
	}
	c.failures.c = p.agreements[c.id].c
	if c.maker != nil {
		c.failures.revoke(errClosed) // its communicator forgets it
	}
}

func (p *failureManager) agreementsOf(id contextID) *commAgreements {
	k := p.agreements[id]
	if k == nil {
		k = &commAgreements{open: map[uint32]*pendingAgreement{}}
		p.agreements[id] = k
	}
	return k
}

// pending returns one agreement of a communicator.
func (p *failureManager) pending(k *commAgreements, seq uint32) *pendingAgreement {
	s := k.open[seq]
	if s == nil {
		dead := make([]bool, k.c.size)
		for r := range dead {
			dead[r] = p.dead[k.c.global(r)]
		}
		s = &pendingAgreement{agreement.New(k.c.rank, dead), make(chan struct{})}
		k.open[seq] = s
	}
	return s
}

// agree contributes value and returns what all live ranks have contributed.
func (p *failureManager) agree(call string, ctx context.Context, c *core, value []byte) ([]agreement.Vote, error) {
	return p.decision(call, ctx, p.vote(c, value))
}

// decision waits for the end of an agreement, in a call of the program or, if call is "", beside it.
func (p *failureManager) decision(call string, ctx context.Context, s *pendingAgreement) ([]agreement.Vote, error) {
	if call != "" {
		p.w.root.sleepUntil(call, s.done, ctx, p.ctx)
	}
	var done <-chan struct{}
	if ctx != nil {
		done = ctx.Done()
	}
	select {
	case <-s.done:
		return s.Votes(), nil
	case <-done:
		return nil, context.Cause(ctx)
	case <-p.ctx.Done():
		return nil, errClosed
	}
}

// vote contributes value to the next agreement of c.
func (p *failureManager) vote(c *core, value []byte) *pendingAgreement {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := p.agreementsOf(c.id)
	k.calls++
	s := p.pending(k, k.calls)
	p.send(k, k.calls, s, s.Begin(value))
	return s
}

// send sends the messages of an agreement.
func (p *failureManager) send(k *commAgreements, seq uint32, s *pendingAgreement, out []agreement.Message) {
	low := p.forget(k)
	for _, x := range out {
		n := notice{kind: noticeOffer, seq: seq, low: low, value: s.Mine()}
		if x.Decision {
			n.kind, n.low, n.value = noticeDecision, k.all, agreement.Pack(s.Votes())
		}
		p.tell(k.c, x.To, n)
	}
	if s.Decided() {
		select {
		case <-s.done:
		default:
			close(s.done)
			p.w.Transport.Wake(p.w.Rank)
		}
	}
}

// forget forgets the agreements that all ranks that live have decided, as far as this rank
// knows, and returns up to which one it has decided all itself.
func (p *failureManager) forget(k *commAgreements) (low uint32) {
	low = k.low[k.c.rank]
	for s := k.open[low+1]; s != nil && s.Decided(); s = k.open[low+1] {
		low++
	}
	k.low[k.c.rank] = low
	all := low
	for r, l := range k.low {
		if !p.dead[k.c.global(r)] {
			all = min(all, l)
		}
	}
	p.forgetTo(k, all)
	return low
}

func (p *failureManager) forgetTo(k *commAgreements, all uint32) {
	for ; k.all < all; k.all++ {
		delete(k.open, k.all+1)
	}
}

// tell sends a notice to a rank of c, and does not wait.
func (p *failureManager) tell(c *core, to int, n notice) {
	b := binary.LittleEndian.AppendUint32(nil, n.kind)
	b = binary.LittleEndian.AppendUint32(b, uint32(c.idOf(to)))
	b = binary.LittleEndian.AppendUint32(b, n.seq)
	b = binary.LittleEndian.AppendUint32(b, n.low)
	b = append(b, n.value...)
	r := &llc.Request{Peer: c.global(to), Context: noticeContext, Buf: b, Label: llc.Serving}
	p.w.Transport.Start(r, true)
	p.over.Go(func() { _ = p.w.Transport.WaitContext(p.ctx, r) })
}

// listen receives notices.
func (p *failureManager) listen() {
	defer p.stop() // without the transport waits for agreements would never end
	t := p.w.Transport
	buf := make([]byte, noticeHead+p.w.Size*(agreement.VoteHead+mostVote(p.w.Size)))
	for {
		r := &llc.Request{Peer: llc.AnyPeer, Tag: llc.AnyTag, Context: noticeContext, Buf: buf, Label: llc.Serving}
		t.Start(r, false)
		if t.WaitContext(p.ctx, r) != nil {
			t.Cancel(r)
			return
		}
		if r.Status.Err != nil || r.Status.Bytes < noticeHead {
			if p.ctx.Err() != nil || r.Status.Err != nil && !isGone(r.Status.Err) {
				return // the transport has ended
			}
			continue
		}
		b := slices.Clone(buf[:r.Status.Bytes])
		p.hear(notice{
			kind: binary.LittleEndian.Uint32(b), id: contextID(binary.LittleEndian.Uint32(b[4:])), seq: binary.LittleEndian.Uint32(b[8:]),
			low: binary.LittleEndian.Uint32(b[12:]), from: r.Status.Source, value: b[noticeHead:],
		})
	}
}

func (p *failureManager) hear(n notice) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.take(n)
}

// take acts upon a notice. Those of dead ranks are dropped.
func (p *failureManager) take(n notice) {
	if p.dead[n.from] {
		return
	}
	k := p.agreementsOf(n.id)
	if k.c == nil {
		k.early = append(k.early, n)
		return
	}
	from := k.c.local(n.from)
	if from < 0 {
		return
	}
	if n.kind == noticeRevoke {
		p.revoke(k.c)
		return
	}
	if n.seq <= k.all {
		return // all have decided it long ago
	}
	s := p.pending(k, n.seq)
	switch n.kind {
	case noticeOffer:
		k.low[from] = max(k.low[from], n.low)
		p.send(k, n.seq, s, s.Offered(from, n.value))
	case noticeDecision:
		if votes, ok := agreement.Unpack(n.value, k.c.size); ok {
			p.send(k, n.seq, s, s.Learned(from, votes))
			p.forgetTo(k, min(n.low, k.low[k.c.rank]))
		}
	}
}

// revoke revokes a communicator here and tells all ranks, once: every rank that hears
// of it tells all, too, in case the first one dies before it has.
func (p *failureManager) revoke(c *core) {
	if c.failures.isRevoked() {
		return
	}
	p.anyRevoked.Store(true)
	c.failures.revoke(&failureError{ErrRevoked, "the communicator has been revoked; Shrink and Agree still work on it"})
	for r := range c.size {
		if r != c.rank && !p.dead[c.global(r)] {
			p.tell(c, r, notice{kind: noticeRevoke})
		}
	}
}

// mostVote is the longest contribution to an agreement, see Agree and Shrink.
func mostVote(size int) int { return max(8+(size+7)/8, sizeOf[member]()) }
