package mpi

import (
	"slices"
	"sync/atomic"
	"time"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// The locks of windows that are reached by messages: each rank's server has the lock of its part and a queue of
// requests for it. The reports of hangs name who has it: a rank that has waited for long asks the server, which tells
// it, and again when another rank has got the lock, until the rank has it itself.

// curiosity is how long a rank waits for a lock before it asks who has it.
const curiosity = 200 * time.Millisecond

func (v *served) lock(call string, target int, exclusive bool) error {
	err := v.ask(call, target, request{What: askLock, Flag: flag(exclusive)}, nil)
	if err == errWithdrawn {
		return v.user.check(atPeer(call, target))
	}
	return err
}

// relent waits for the answer to r, which asks for a lock, and withdraws r if the context of the window ends first.
// That is answered, too, unless the lock has been given or refused meanwhile: either way one answer comes.
func (v *served) relent(call string, answered *Request, target int, r request) error {
	p := answered.active()
	if !p.started() {
		return nil
	}
	w := &lockWait{v: v, target: target, tag: r.Tag, ended: make(chan struct{})}
	defer w.end()
	if v.granted(call, w, &p.Request) {
		return nil
	}
	r.What = askWithdraw
	return Send(v.c, []request{r}, target, tagRequest)
}

// granted waits for the answer to a request for a lock, and reports whether it need not be withdrawn: the context of
// the window has not ended first. In reports the wait is for who has the lock, if that is known: the target
// does not give it away.
func (v *served) granted(call string, w *lockWait, answer *llc.Request) bool {
	t, ctx := v.c.t, v.user.ctx
	if !v.c.reports() { // there a condition does not see the end of a request
		return ctx == nil || t.WaitContext(ctx, answer) == nil || ctx.Err() == nil
	}
	if ctx != nil {
		defer v.c.wakeAtEnd(ctx)()
	}
	over := false
	held := ir.Collective{Holder: &ir.Holder{Peer: ir.NoPeer}}
	w.timer = time.AfterFunc(curiosity, w.ask)
	t.AwaitCollective(v.user.locking(call, w.target), &held, nil, func() bool {
		held.Holder.Peer = w.holder()
		over = !answer.Done() && ctx != nil && ctx.Err() != nil
		return over || answer.Done()
	})
	return !over
}

// A lockWait is a wait for a lock that lasts.
type lockWait struct {
	v      *served
	target int
	tag    uint32        // of the request for the lock
	known  atomic.Int64  // 1 + the world rank that has the lock; 0: not known
	timer  *time.Timer   // of ask; nil: none
	ended  chan struct{} // closed when ask has ended
}

// end ends the wait: the request for the lock has been answered, or will be soon.
func (w *lockWait) end() {
	if w.timer != nil && !w.timer.Stop() {
		<-w.ended
	}
}

// ask asks the target who has the lock, and takes its answers until the request for the lock has been answered.
func (w *lockWait) ask() {
	defer close(w.ended)
	v := w.v
	tag := v.nextTag()
	if Send(v.c, []request{{What: askHolder, At: uint64(w.tag), Tag: tag}}, w.target, tagRequest) != nil {
		return
	}
	for e, a := elemFor[answer](v.c), make([]answer, 1); ; {
		b := view(a)
		st, err := v.c.t.RecvFor(llc.Serving, v.c.key|e.key, v.c.global(w.target), int(tag)+1, b)
		_, err = v.c.received(site{"Recv", fromPeer, w.target, int(tag) + 1}, e, st, err, len(b))
		if err != nil || a[0].Code < answerHeld || a[0].Code-answerHeld >= uint32(v.c.size) {
			return
		}
		w.known.Store(1 + int64(v.c.global(int(a[0].Code-answerHeld))))
		v.c.t.Wake(v.c.w.Rank)
	}
}

// holder returns the world rank that has the lock, or ir.NoPeer.
func (w *lockWait) holder() int {
	if n := w.known.Load(); n > 0 {
		return int(n) - 1
	}
	return ir.NoPeer
}

// holder returns a rank that has the lock, or -1.
func (v *served) holder() int {
	if v.writer < 0 && len(v.readers) > 0 {
		return v.readers[0]
	}
	return v.writer
}

// tell answers those who have asked who has the lock, if that is another rank than they know of; if their requests for
// the lock have been answered, for the last time.
func (v *served) tell() error {
	holder, rest := v.holder(), v.curious[:0]
	for _, r := range v.curious {
		code, waits := answerDone, slices.ContainsFunc(v.queue, func(q request) bool { return q.From == r.From && uint64(q.Tag) == r.At })
		if waits {
			known := int(r.Bytes) - 1
			r.Bytes = uint64(holder + 1)
			rest = append(rest, r)
			if holder < 0 || holder == known {
				continue
			}
			code = answerHeld + uint32(holder)
		}
		if err := v.respond(&r, code); err != nil && !v.survives(err) {
			return err
		}
	}
	v.curious = rest
	return nil
}

// grant gives the lock to requests that may have it, in order of arrival.
func (v *served) grant() error {
	for len(v.queue) > 0 {
		r := v.queue[0]
		if v.writer >= 0 || r.Flag != 0 && len(v.readers) > 0 {
			return nil
		}
		v.queue = v.queue[1:]
		if r.Flag != 0 {
			v.writer = int(r.From)
		} else {
			v.readers = append(v.readers, int(r.From))
		}
		if err := v.reply(&r, answerDone, nil); err != nil && !v.survives(err) { // rankFailed handles a dead rank
			return err
		}
	}
	return nil
}

// withdraw drops the request for a lock that r withdraws, and answers it, unless it has been answered already.
func (v *served) withdraw(r *request) error {
	n := len(v.queue)
	v.queue = slices.DeleteFunc(v.queue, func(q request) bool { return q.From == r.From && q.Tag == r.Tag })
	if len(v.queue) == n {
		return nil
	}
	if err := v.reply(r, answerWithdrawn, nil); err != nil {
		return err
	}
	return v.grant() // others may have waited only behind it
}
