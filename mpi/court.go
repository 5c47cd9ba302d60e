package mpi

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"rhinet/llc"
)

// A court is what a rank of a checked job does about collective calls that do not
// match. Rank 0 of each communicator is told of calls that a rank found not to match,
// and of those in which a rank waits long. It asks all ranks what their calls with that
// number are, and if they differ tells all ranks the same verdict. Calls that wait then
// end, and later ones fail.
//
// The ranks talk by messages in a context of their own. A goroutine polls for them at
// long intervals; no receive is posted, so calls cost the same as long as no rank has
// anything to report.
//
// There is no court in jobs that go on when ranks die, where rank 0 may be dead; in
// virtual time, where messages would change what is measured; and on the library of
// another MPI, which takes one call at a time.
type court struct {
	w        *world
	t        Transport     // its messages are not observed
	patience time.Duration // before a call that waits is reported
	kicked   chan struct{}
	quit     chan struct{}
	over     chan struct{} // closed at the end
	end      sync.Once

	mu    sync.Mutex
	pleas []*plea // that the goroutine has not seen
	freed []*core // the last that were freed; other ranks may still ask about them

	// Of the goroutine:
	disputes map[*core]*dispute
	pleading []*plea
	sends    []*llc.Request // in flight
	list     []*core
	alive    bool // the transport is open
	touch    func()
	news     time.Time    // when the last brief arrived
	left     map[int]bool // processes that have left MPI before the others
}

// A plea is a call that has failed and waits for the verdict.
type plea struct {
	c    *core
	turn uint32
	next time.Time     // when it is reported again
	done chan struct{} // closed when there is a verdict, or none will come
}

// A stall is the call that a rank is in, and when to report it.
type stall struct {
	turn uint32 // 0: none
	next time.Time
}

// Times of a court. A rank that has been told waits until the others have been told
// before its call returns, since the launcher ends the job when a rank fails.
const (
	patience     = 200 * time.Millisecond
	quickLook    = 2 * time.Millisecond // while other ranks report
	newsTime     = 100 * time.Millisecond
	pleaTime     = 10 * time.Second
	looksAStall  = 4       // in the time of patience
	keptFreed    = 16      // communicators
	longestBrief = 8 << 10 // short enough for an eager message: perhaps no rank receives it
)

// open opens the court of a rank, if the job has one.
func (w *world) openCourt(t Transport) {
	if _, foreign := t.(library); foreign || !w.Check || w.requests.lines == nil || w.Size < 2 || w.KeepGoing || w.Clock != nil {
		return
	}
	k := &court{w: w, t: t, patience: w.Patience, kicked: make(chan struct{}, 1), quit: make(chan struct{}), over: make(chan struct{}), disputes: map[*core]*dispute{}, left: map[int]bool{}}
	if k.patience == 0 {
		k.patience = patience
	}
	k.touch = func() { k.alive = true }
	t.Probe(courtContext, llc.AnyPeer, llc.AnyTag, false) // makes room for messages in this context
	w.court = k
	go k.run()
}

// close ends the court. A rank that leaves because of err tells the others, so that
// they neither wait for its answers nor disturb its end with questions.
func (k *court) close(err error) {
	if k == nil {
		return
	}
	k.end.Do(func() {
		close(k.quit)
		<-k.over
		if err != nil {
			k.farewell()
		}
	})
}

// farewell tells all processes that this one leaves.
func (k *court) farewell() {
	for to := range k.w.Size {
		if to != k.w.Rank {
			k.send(to, brief{Kind: briefLeave})
		}
	}
}

// run looks for briefs until the court or the transport is closed.
func (k *court) run() {
	defer close(k.over)
	slow := k.patience / looksAStall
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
		k.takePleas(now)
		if now.Sub(looked) >= slow {
			k.look(now)
			looked = now
		}
		k.judge(now)
		if now.Sub(k.news) < newsTime {
			timer.Reset(quickLook)
		} else {
			timer.Reset(slow)
		}
	}
}

// look reports calls that wait long, and ends calls that still wait on communicators
// with a verdict.
func (k *court) look(now time.Time) {
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
		if turn := h.lastCall(); turn != h.stall.turn || h.stall.next.IsZero() {
			h.stall = stall{turn, now.Add(k.patience)}
		} else if turn > 0 && !now.Before(h.stall.next) {
			h.stall.next = now.Add(answerTime)
			k.report(c, turn, false)
		}
	}
	k.sent()
}

// open appends the communicators that have a history to list.
func (k *court) open(list []*core) []*core {
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
	return !k.launches.used()
}

// sent forgets the briefs that have been sent.
func (k *court) sent() {
	left := k.sends[:0]
	for _, r := range k.sends {
		if !k.t.Test(r) {
			left = append(left, r)
		}
	}
	clear(k.sends[len(left):])
	k.sends = left
}

// hear returns the verdict on the call with a number that has failed on c, or nil.
func (k *court) hear(c *core, turn uint32) *verdict {
	h := c.coll.history
	if !h.told() {
		p := &plea{c: c, turn: turn, done: make(chan struct{})}
		k.mu.Lock()
		k.pleas = append(k.pleas, p)
		k.mu.Unlock()
		select {
		case k.kicked <- struct{}{}:
		default:
		}
		late := time.NewTimer(pleaTime)
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

// takePleas reports calls that have failed.
func (k *court) takePleas(now time.Time) {
	k.mu.Lock()
	fresh := k.pleas
	k.pleas = nil
	k.mu.Unlock()
	k.pleading = append(k.pleading, fresh...)
	for _, p := range k.pleading {
		if now.After(p.next) {
			k.news, p.next = now, now.Add(answerTime)
			k.report(p.c, p.turn, true)
		}
	}
	k.answerPleas(func(p *plea) bool { return p.c.coll.history.told() || k.left[p.c.global(0)] })
}

// answerPleas ends the pleas that which selects.
func (k *court) answerPleas(which func(*plea) bool) {
	left := k.pleading[:0]
	for _, p := range k.pleading {
		if which(p) {
			close(p.done)
		} else {
			left = append(left, p)
		}
	}
	k.pleading = left
}

// judge judges the disputes of communicators of which this rank is the first.
func (k *court) judge(now time.Time) {
	for c, d := range k.disputes {
		v, ask := d.judge(now, func(rank int, turn uint32) { k.tell(c, rank, brief{Kind: briefDismiss, Turn: turn}) })
		for _, q := range ask {
			for _, rank := range q.ranks {
				k.news = now
				k.tell(c, rank, brief{Kind: briefAsk, Turn: q.turn})
			}
		}
		if v != nil {
			for rank := c.size - 1; rank >= 0; rank-- { // this one last
				k.tell(c, rank, brief{Kind: briefVerdict, Class: v.class, Text: v.text})
			}
		}
		if v != nil || len(d.calls) == 0 {
			delete(k.disputes, c)
		}
	}
}

// take takes a verdict: calls on c that wait end, and no further one begins.
func (k *court) take(c *core, v *verdict) {
	if !c.coll.history.verdict.CompareAndSwap(nil, v) {
		return
	}
	c.state.CompareAndSwap(commOpen, commBroken)
	k.shut(c)
}

// shut ends waits for messages of collective calls on c, and wakes other waits. A
// communicator that has been freed is left alone: another may have its context.
func (k *court) shut(c *core) {
	k.w.mu.Lock()
	defer k.w.mu.Unlock()
	if _, ok := k.w.comms[c]; ok {
		k.t.Shut(c.id.collective())
	}
}

// retire keeps the history of a communicator that this rank has freed.
func (k *court) retire(c *core) {
	if k == nil || c.coll.history == nil {
		return
	}
	k.mu.Lock()
	if k.freed = append(k.freed, c); len(k.freed) > keptFreed {
		k.freed = append(k.freed[:0], k.freed[1:]...)
	}
	k.mu.Unlock()
}

// A brief is what one rank tells another.
type brief struct {
	Kind  briefKind
	Team  uint64 // the communicator
	Turn  uint32
	Plea  bool       // the sender waits for a verdict, or to be dismissed
	Knows knowledge  // what the sender knows of its call
	Call  *statement // the call
	Class Class
	Text  string
}

type briefKind uint8

const (
	briefReport  briefKind = iota + 1 // what the call of the sender is
	briefAsk                          // what is the call of the receiver?
	briefDismiss                      // nothing is wrong with the call
	briefVerdict
	briefLeave // the sender leaves MPI before the others
)

// team returns the number of a communicator, which is the same on all its ranks.
func (c *core) team() uint64 { return uint64(c.global(0))<<32 | uint64(c.idOf(0)) }

// report tells rank 0 what this rank's call is.
func (k *court) report(c *core, turn uint32, pleads bool) {
	h := c.coll.history
	m, knows := h.call(turn)
	b := brief{Kind: briefReport, Turn: turn, Plea: pleads, Knows: knows}
	if knows == callMade {
		b.Call = h.statement(&m)
	}
	k.tell(c, 0, b)
}

// tell sends a brief to a rank of c.
func (k *court) tell(c *core, rank int, b brief) {
	b.Team = c.team()
	to := c.global(rank)
	if to == k.w.Rank {
		k.handle(to, &b, time.Now())
		return
	}
	k.send(to, b)
}

// send sends a brief to another process, unless that process has left.
func (k *court) send(to int, b brief) {
	if k.left[to] {
		return
	}
	text, err := json.Marshal(b)
	if err != nil || len(text) > longestBrief {
		return // not reported: only file names can make it that long
	}
	r := &llc.Request{Peer: to, Context: courtContext, Buf: text}
	k.t.Start(r, true)
	if !k.t.Test(r) {
		k.sends = append(k.sends, r)
	}
}

// receive handles the briefs of other ranks.
func (k *court) receive(now time.Time) {
	for {
		st, ok := k.t.Probe(courtContext, llc.AnyPeer, llc.AnyTag, false)
		if !ok {
			return
		}
		buf := make([]byte, min(st.Bytes, longestBrief))
		if _, err := k.t.Recv(llc.MakeKey(courtContext, 0), st.Source, st.Tag, buf); err != nil {
			return
		}
		k.news = now
		var b brief
		if json.Unmarshal(buf, &b) == nil {
			k.handle(st.Source, &b, now)
		}
	}
}

// find returns a communicator that this rank has, or has freed lately.
func (k *court) find(team uint64) *core {
	k.w.mu.Lock()
	for c := range k.w.comms {
		if c.coll.history != nil && c.team() == team {
			k.w.mu.Unlock()
			return c
		}
	}
	k.w.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	if i := slices.IndexFunc(k.freed, func(c *core) bool { return c.team() == team }); i >= 0 {
		return k.freed[i]
	}
	return nil
}

// handle acts upon a brief of a process. Briefs of a process that is no member are
// dropped, and those about a communicator that this rank does not have yet, since a
// rank that waits reports again.
func (k *court) handle(from int, b *brief, now time.Time) {
	if b.Kind == briefLeave {
		k.leave(from)
		return
	}
	c := k.find(b.Team)
	if c == nil || c.local(from) < 0 {
		return
	}
	switch b.Kind {
	case briefReport:
		if c.rank == 0 && b.Turn > 0 {
			k.hearReport(c, c.local(from), b, now)
		}
	case briefAsk:
		k.report(c, b.Turn, false)
	case briefDismiss:
		k.answerPleas(func(p *plea) bool { return p.c == c && p.turn == b.Turn })
	case briefVerdict:
		k.take(c, &verdict{b.Class, b.Text, now})
		k.answerPleas(func(p *plea) bool { return p.c == c })
	}
}

// leave records that a process has left. If it would be the judge, pleas end without a
// verdict.
func (k *court) leave(from int) {
	k.left[from] = true
	for c, d := range k.disputes {
		if rank := c.local(from); rank >= 0 {
			d.leave(rank)
		}
	}
	k.answerPleas(func(p *plea) bool { return k.left[p.c.global(0)] })
}

// hearReport is what rank 0 does with a report.
func (k *court) hearReport(c *core, rank int, b *brief, now time.Time) {
	if v := c.coll.history.verdict.Load(); v != nil {
		k.tell(c, rank, brief{Kind: briefVerdict, Class: v.class, Text: v.text})
		return
	}
	d := k.disputes[c]
	if d == nil {
		d = newDispute(c, k.left)
		k.disputes[c] = d
	}
	if b.Plea {
		d.pleas[rank] = b.Turn
	}
	if (b.Knows == callMade) == (b.Call != nil) {
		d.hear(rank, b.Turn, spoken{b.Knows, b.Call}, now)
	}
}

// disputed reports whether err may come from ranks whose calls do not match.
func disputed(err error) bool {
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
	e := c.explain(s, err)
	if h := c.coll.history; h != nil && (h.told() || disputed(e)) {
		if v := c.w.court.hear(c.core, turn); v != nil {
			return c.told(s, v)
		}
	}
	return e
}
