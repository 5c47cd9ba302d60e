package mpi

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"rhinet/llc"
)

// An arbiter is what a rank of a checked job does about collective calls that do not
// match. Rank 0 of each communicator is told of calls that a rank found not to match,
// and of those in which a rank waits long. It asks all ranks what their calls with that
// number are, and if they differ tells all ranks the same verdict. Calls that wait then
// end, and later ones fail.
//
// The ranks talk by messages in a context of their own. A goroutine polls for them at
// long intervals; no receive is posted, so calls cost the same as long as no rank has
// anything to report.
//
// There is no arbiter in jobs that go on when ranks die, where rank 0 may be dead; in
// virtual time, where messages would change what is measured; and on the library of
// another MPI, which takes one call at a time.
type arbiter struct {
	w        *world
	t        Transport     // its messages are not observed
	patience time.Duration // before a call that waits is reported
	kicked   chan struct{}
	quit     chan struct{}
	over     chan struct{} // closed at the end
	end      sync.Once

	mu     sync.Mutex
	failed []*failedCall // that the goroutine has not seen
	freed  []*core       // the last that were freed; other ranks may still ask about them

	// Of the goroutine:
	checks  map[*core]*matchCheck
	waiting []*failedCall
	sends   []*llc.Request // in flight
	list    []*core
	alive   bool // the transport is open
	touch   func()
	heard   time.Time    // when the last message arrived
	left    map[int]bool // processes that have left MPI before the others
}

// A failedCall is a call that has failed and waits for the verdict.
type failedCall struct {
	c    *core
	turn uint32
	next time.Time     // when it is reported again
	done chan struct{} // closed when there is a verdict, or none will come
}

// Times of an arbiter. A rank that has been told waits until the others have been told
// before its call returns, since the launcher ends the job when a rank fails.
const (
	patience            = 200 * time.Millisecond
	shortPoll           = 2 * time.Millisecond // while other ranks report
	shortPollTime       = 100 * time.Millisecond
	verdictTimeout      = 10 * time.Second
	pollsAStall         = 4       // in the time of patience
	keptFreed           = 16      // communicators
	longestMatchMessage = 8 << 10 // short enough for an eager message: perhaps no rank receives it
)

// openArbiter opens the arbiter of a rank, if the job has one.
func (w *world) openArbiter(t Transport) {
	if _, foreign := t.(library); foreign || !w.Check || w.requests.lines == nil || w.Size < 2 || w.KeepGoing || w.Clock != nil {
		return
	}
	k := &arbiter{w: w, t: t, patience: w.Patience, kicked: make(chan struct{}, 1), quit: make(chan struct{}), over: make(chan struct{}), checks: map[*core]*matchCheck{}, left: map[int]bool{}}
	if k.patience == 0 {
		k.patience = patience
	}
	k.touch = func() { k.alive = true }
	t.Probe(arbiterContext, llc.AnyPeer, llc.AnyTag) // makes room for messages in this context
	w.arbiter = k
	go k.run()
}

// close ends the arbiter. A rank that leaves because of err tells the others, so that
// they neither wait for its answers nor disturb its end with questions.
func (k *arbiter) close(err error) {
	if k == nil {
		return
	}
	k.end.Do(func() {
		close(k.quit)
		<-k.over
		if err != nil {
			k.announceLeave()
		}
	})
}

// announceLeave tells all processes that this one leaves.
func (k *arbiter) announceLeave() {
	for to := range k.w.Size {
		if to != k.w.Rank {
			k.send(to, matchMessage{Kind: matchLeave})
		}
	}
}

// run looks for messages until the arbiter or the transport is closed.
func (k *arbiter) run() {
	defer close(k.over)
	slow := k.patience / pollsAStall
	timer := time.NewTimer(slow)
	defer timer.Stop()
	for looked := time.Now(); ; {
		select {
		case <-k.quit:
			return
		case <-k.kicked:
		case <-timer.C:
		}
		k.alive = false
		if k.t.Perform(k.touch); !k.alive {
			return
		}
		now := time.Now()
		k.receive(now)
		k.reportFailed(now)
		if now.Sub(looked) >= slow {
			k.reportStalls(now)
			looked = now
		}
		k.decide(now)
		if now.Sub(k.heard) < shortPollTime {
			timer.Reset(shortPoll)
		} else {
			timer.Reset(slow)
		}
	}
}

// reportStalls reports calls that wait long, and ends calls that still wait on
// communicators with a verdict.
func (k *arbiter) reportStalls(now time.Time) {
	k.list = k.open(k.list[:0])
	for _, c := range k.list {
		q := &c.coll
		h := q.history
		if q.idle() {
			h.stall = stall{}
			continue
		}
		if h.told() {
			k.shut(c)
			continue
		}
		if turn := h.lastCall(); h.stall.due(turn, now, k.patience) {
			k.report(c, turn, false)
		}
	}
	k.reapSends()
}

// open appends the communicators that have a history to list.
func (k *arbiter) open(list []*core) []*core {
	k.w.mu.Lock()
	for c := range k.w.comms {
		if c.coll.history != nil {
			list = append(list, c)
		}
	}
	k.w.mu.Unlock()
	return list
}

// idle reports whether no collective call is in progress.
func (k *collState) idle() bool {
	if !k.mu.TryLock() {
		return false
	}
	k.mu.Unlock()
	return !k.launches.used() && k.visits.Load() == 0
}

// reapSends forgets the messages that have been sent.
func (k *arbiter) reapSends() {
	left := k.sends[:0]
	for _, r := range k.sends {
		if !k.t.Test(r) {
			left = append(left, r)
		}
	}
	clear(k.sends[len(left):])
	k.sends = left
}

// verdictOn returns the verdict on the call with a number that has failed on c, or nil.
func (k *arbiter) verdictOn(c *core, turn uint32) *verdict {
	h := c.coll.history
	if !h.told() {
		p := &failedCall{c: c, turn: turn, done: make(chan struct{})}
		k.mu.Lock()
		k.failed = append(k.failed, p)
		k.mu.Unlock()
		select {
		case k.kicked <- struct{}{}:
		default:
		}
		late := time.NewTimer(verdictTimeout)
		defer late.Stop()
		select {
		case <-p.done:
		case <-k.over:
		case <-late.C:
		}
	}
	v := h.verdict.Load()
	if v != nil {
		time.Sleep(time.Until(v.at.Add(k.patience / 2)))
	}
	return v
}

// reportFailed reports calls that have failed.
func (k *arbiter) reportFailed(now time.Time) {
	k.mu.Lock()
	fresh := k.failed
	k.failed = nil
	k.mu.Unlock()
	k.waiting = append(k.waiting, fresh...)
	for _, p := range k.waiting {
		if now.After(p.next) {
			k.heard, p.next = now, now.Add(answerTime)
			k.report(p.c, p.turn, true)
		}
	}
	k.release(func(p *failedCall) bool { return p.c.coll.history.told() || k.left[p.c.global(0)] })
}

// release ends the waits for a verdict of the failed calls that which selects.
func (k *arbiter) release(which func(*failedCall) bool) {
	left := k.waiting[:0]
	for _, p := range k.waiting {
		if which(p) {
			close(p.done)
		} else {
			left = append(left, p)
		}
	}
	k.waiting = left
}

// decide continues the checks of communicators of which this rank is the first, and tells
// all ranks what they have found.
func (k *arbiter) decide(now time.Time) {
	for c, d := range k.checks {
		v, ask := d.decide(now, func(rank int, turn uint32) { k.tell(c, rank, matchMessage{Kind: matchNoError, Turn: turn}) })
		for _, q := range ask {
			for _, rank := range q.ranks {
				k.heard = now
				k.tell(c, rank, matchMessage{Kind: matchQuery, Turn: q.turn})
			}
		}
		if v != nil {
			for rank := c.size - 1; rank >= 0; rank-- { // this one last
				k.tell(c, rank, matchMessage{Kind: matchVerdict, Class: v.class, Text: v.text})
			}
		}
		if v != nil || len(d.calls) == 0 {
			delete(k.checks, c)
		}
	}
}

// take takes a verdict: calls on c that wait end, and no further one begins.
func (k *arbiter) take(c *core, v *verdict) {
	if !c.coll.history.verdict.CompareAndSwap(nil, v) {
		return
	}
	c.state.CompareAndSwap(commOpen, commBroken)
	k.shut(c)
}

// shut ends waits for messages of collective calls on c, and wakes other waits. A
// communicator that has been freed is left alone: another may have its context.
func (k *arbiter) shut(c *core) {
	k.w.mu.Lock()
	defer k.w.mu.Unlock()
	if _, ok := k.w.comms[c]; ok {
		k.t.Shut(c.id.collective())
	}
}

// retire keeps the history of a communicator that this rank has freed.
func (k *arbiter) retire(c *core) {
	if k == nil || c.coll.history == nil {
		return
	}
	k.mu.Lock()
	if k.freed = append(k.freed, c); len(k.freed) > keptFreed {
		k.freed = append(k.freed[:0], k.freed[1:]...)
	}
	k.mu.Unlock()
}

// A matchMessage is what one rank tells another.
type matchMessage struct {
	Kind  matchKind
	Comm  uint64 // the communicator
	Turn  uint32
	Waits bool       // the sender waits for a verdict, or to be told that nothing is wrong
	Knows knowledge  // what the sender knows of its call
	Call  *statement // the call
	Class Class
	Text  string
}

type matchKind uint8

const (
	matchReport  matchKind = iota + 1 // what the call of the sender is
	matchQuery                        // what is the call of the receiver?
	matchNoError                      // nothing is wrong with the call
	matchVerdict
	matchLeave // the sender leaves MPI before the others
)

// globalID returns the number of a communicator, which is the same on all its ranks.
func (c *core) globalID() uint64 { return uint64(c.global(0))<<32 | uint64(c.idOf(0)) }

// report tells rank 0 what this rank's call is.
func (k *arbiter) report(c *core, turn uint32, waits bool) {
	h := c.coll.history
	m, knows := h.call(turn)
	b := matchMessage{Kind: matchReport, Turn: turn, Waits: waits, Knows: knows}
	if knows == callMade {
		b.Call = h.statement(&m)
	}
	k.tell(c, 0, b)
}

// tell sends a message to a rank of c.
func (k *arbiter) tell(c *core, rank int, b matchMessage) {
	b.Comm = c.globalID()
	to := c.global(rank)
	if to == k.w.Rank {
		k.handle(to, &b, time.Now())
		return
	}
	k.send(to, b)
}

// send sends a message to another process, unless that process has left.
func (k *arbiter) send(to int, b matchMessage) {
	if k.left[to] {
		return
	}
	text, err := json.Marshal(b)
	if err != nil || len(text) > longestMatchMessage {
		return // not reported: only file names can make it that long
	}
	r := &llc.Request{Peer: to, Context: arbiterContext, Buf: text}
	k.t.Start(r, true)
	if !k.t.Test(r) {
		k.sends = append(k.sends, r)
	}
}

// receive handles the messages of other ranks.
func (k *arbiter) receive(now time.Time) {
	for {
		st, ok := k.t.Probe(arbiterContext, llc.AnyPeer, llc.AnyTag)
		if !ok {
			return
		}
		buf := make([]byte, min(st.Bytes, longestMatchMessage))
		if _, err := k.t.Recv(llc.MakeKey(arbiterContext, 0), st.Source, st.Tag, buf); err != nil {
			return
		}
		k.heard = now
		var b matchMessage
		if json.Unmarshal(buf, &b) == nil {
			k.handle(st.Source, &b, now)
		}
	}
}

// find returns a communicator that this rank has, or has freed lately.
func (k *arbiter) find(globalID uint64) *core {
	k.w.mu.Lock()
	for c := range k.w.comms {
		if c.coll.history != nil && c.globalID() == globalID {
			k.w.mu.Unlock()
			return c
		}
	}
	k.w.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.IndexFunc(k.freed, func(c *core) bool { return c.globalID() == globalID }); i >= 0 {
		return k.freed[i]
	}
	return nil
}

// handle acts upon a message of a process. Messages of a process that is no member are
// dropped, and those about a communicator that this rank does not have yet, since a
// rank that waits reports again.
func (k *arbiter) handle(from int, b *matchMessage, now time.Time) {
	if b.Kind == matchLeave {
		k.leave(from)
		return
	}
	c := k.find(b.Comm)
	if c == nil || c.local(from) < 0 {
		return
	}
	switch b.Kind {
	case matchReport:
		if c.rank == 0 && b.Turn > 0 {
			k.takeReport(c, c.local(from), b, now)
		}
	case matchQuery:
		k.report(c, b.Turn, false)
	case matchNoError:
		k.release(func(p *failedCall) bool { return p.c == c && p.turn == b.Turn })
	case matchVerdict:
		k.take(c, &verdict{b.Class, b.Text, now})
		k.release(func(p *failedCall) bool { return p.c == c })
	}
}

// leave records that a process has left. If it would have compared the calls, those that
// wait for a verdict get none.
func (k *arbiter) leave(from int) {
	k.left[from] = true
	for c, d := range k.checks {
		if rank := c.local(from); rank >= 0 {
			d.leave(rank)
		}
	}
	k.release(func(p *failedCall) bool { return k.left[p.c.global(0)] })
}

// takeReport is what rank 0 does with a report.
func (k *arbiter) takeReport(c *core, rank int, b *matchMessage, now time.Time) {
	if v := c.coll.history.verdict.Load(); v != nil {
		k.tell(c, rank, matchMessage{Kind: matchVerdict, Class: v.class, Text: v.text})
		return
	}
	d := k.checks[c]
	if d == nil {
		d = newMatchCheck(c, k.left)
		k.checks[c] = d
	}
	if b.Waits {
		d.waiting[rank] = b.Turn
	}
	if (b.Knows == callMade) == (b.Call != nil) {
		d.record(rank, b.Turn, callReport{b.Knows, b.Call}, now)
	}
}

// mayMismatch reports whether err may come from ranks whose calls do not match.
func mayMismatch(err error) bool {
	for _, class := range []Class{ErrMismatch, ErrRoot, ErrType, ErrOp, ErrCount, ErrTruncate} {
		if errors.Is(err, class) {
			return true
		}
	}
	return errors.Is(err, llc.ErrShut)
}

// failed returns the error of the call with a number that has failed with err: in a
// checked job the one that all ranks are told.
func (c *Comm) failed(s site, turn uint32, err error) error {
	return c.judged(s, turn, c.explain(s, err))
}

// judged is failed for an error that is explained already.
func (c *Comm) judged(s site, turn uint32, err error) error {
	if h := c.coll.history; h != nil && (h.told() || mayMismatch(err)) {
		if v := c.w.arbiter.verdictOn(c.core, turn); v != nil {
			return c.told(s, v)
		}
	}
	return err
}
