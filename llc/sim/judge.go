package sim

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"rhinet/llc"
)

// drain is called when nothing moves: it cancels receives that no message can meet, posts one for each
// message that still waits, and reports whether all is done. If there is nothing to do and something is not
// done, that is a deadlock.
func (w *world) drain() (done bool, err error) {
	posted := false
	missing := w.missing()
	total := 0
	for _, n := range missing {
		total += max(0, n)
	}
	if w.futile++; total != w.waiting {
		w.waiting, w.futile = total, 0
	}
	if w.futile == 3 {
		return false, fmt.Errorf("%d messages do not arrive: %v\n%s", total, missing, w.describe())
	}
	for i, r := range w.ranks {
		if !w.honest(i) {
			continue
		}
		for _, rc := range r.recvs {
			if !rc.over() && !w.ranks[i].engine.Cancel(&rc.req) && w.ranks[i].engine.Revoke(&rc.req) {
				posted, w.futile = true, 0 // the next round can say more
			}
		}
		for src := range w.Peers {
			if !w.honest(src) {
				continue
			}
			for ctx := range w.Contexts {
				for range missing[key{src, i, uint16(ctx)}] {
					posted = true
					w.receive(i, w.newReceive(src, llc.AnyTag, uint16(ctx), w.Bytes))
				}
			}
		}
		w.post(i)
	}
	if posted {
		return false, nil
	}
	if w.forger >= 0 && w.announced != w.forger {
		// It is exposed; nothing of it may stay.
		w.dead, w.forger = w.forger, -1
		w.net.Kill(w.dead)
		w.announceDeath(w.dead)
		return false, nil
	}
	for i, r := range w.ranks {
		if w.honest(i) && len(r.engine.Pending()) > 0 {
			return false, fmt.Errorf("deadlock\n%s", w.describe())
		}
	}
	return true, nil
}

type key struct {
	src, dst int
	ctx      uint16
}

// missing counts the messages between honest peers that no receive has taken.
func (w *world) missing() map[key]int {
	n := map[key]int{}
	for i, r := range w.ranks {
		if !w.honest(i) {
			continue
		}
		for _, s := range r.sends {
			if w.honest(s.to) && !w.shut[place{s.to, s.ctx}] && !(s.over() && s.req.Status.Err != nil) {
				n[key{i, s.to, s.ctx}]++
			}
		}
	}
	for i, r := range w.ranks {
		for _, rc := range r.recvs {
			if rc.over() && took(rc) {
				n[key{rc.req.Status.Source, i, rc.ctx}]--
			} else if !rc.over() {
				// Matched and on its way, or it will be cancelled now: the next round counts again.
				if !w.ranks[i].engine.Cancel(&rc.req) && !w.ranks[i].engine.Revoke(&rc.req) {
					n[key{rc.src, i, rc.ctx}]--
				}
			}
		}
	}
	return n
}

// took reports whether a done receive has taken a message.
func took(r *receive) bool {
	return r.req.Status.Err == nil || errors.Is(r.req.Status.Err, llc.ErrTruncated)
}

// judge checks what was delivered, and that all is given back.
func (w *world) judge() error {
	for i, r := range w.ranks {
		if !w.honest(i) {
			continue
		}
		w.look(i)
		for _, s := range r.sends {
			if err := w.judgeSend(i, s); err != nil {
				return err
			}
		}
		for _, rc := range r.recvs {
			if err := w.judgeReceive(i, rc); err != nil {
				return err
			}
		}
		for src := range w.Peers {
			for ctx := range w.Contexts {
				if err := w.judgePair(src, i, uint16(ctx)); err != nil {
					return err
				}
			}
		}
		if err := w.judgeRest(i); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) judgeSend(i int, s *send) error {
	switch err := s.req.Status.Err; {
	case !s.over():
		return fmt.Errorf("peer %d: send of message %d is not done", i, s.id)
	case err == nil,
		errors.Is(err, llc.ErrPeerGone) && !w.honest(s.to),
		errors.Is(err, llc.ErrShut) && w.shut[place{s.to, s.ctx}],
		(errors.Is(err, llc.ErrType) || errors.Is(err, llc.ErrShut)) && w.Forger > 0 && s.to == w.Peers-1,
		errors.Is(err, llc.ErrRefused) && (w.Refuse > 0 || w.dead >= 0):
		return nil
	default:
		return fmt.Errorf("peer %d: send of message %d to %d: %w", i, s.id, s.to, err)
	}
}

// errWrote reports an engine that wrote where it must not.
var errWrote = errors.New("bytes behind a buffer")

func (w *world) judgeReceive(i int, rc *receive) error {
	if !rc.intact() {
		return fmt.Errorf("peer %d: %w of %d have changed", i, errWrote, rc.req.Bytes())
	}
	st := rc.req.Status
	switch err := st.Err; {
	case !rc.over():
		return fmt.Errorf("peer %d: a receive from %d is not done", i, rc.src)
	case err == nil && st.Bytes <= int64(rc.req.Bytes()),
		errors.Is(err, llc.ErrTruncated) && st.Bytes > int64(rc.req.Bytes()),
		errors.Is(err, llc.ErrCancelled),
		errors.Is(err, llc.ErrShut) && w.shut[place{i, rc.ctx}],
		errors.Is(err, llc.ErrPeerGone) && w.dead >= 0,
		errors.Is(err, llc.ErrRefused) && (w.Refuse > 0 || w.dead >= 0):
		return nil
	default:
		return fmt.Errorf("peer %d: receive into %d bytes from %d: %+v", i, rc.req.Bytes(), rc.src, st)
	}
}

// judgePair checks the messages of one sender to one receiver in one context. Messages with equal tags are
// taken in the order sent by receives in the order posted, each once, with its bytes.
func (w *world) judgePair(src, dst int, ctx uint16) error {
	var taken []*receive
	var from []*send // the message that each took
	next := map[int]int{}
	for _, rc := range w.ranks[dst].recvs {
		if rc.ctx != ctx || !took(rc) || rc.req.Status.Source != src {
			continue
		}
		if src == w.dead && w.Forger > 0 {
			continue // it may have sent anything
		}
		s := w.match(src, dst, rc, next)
		if s == nil {
			return fmt.Errorf("peer %d: received %+v in context %d, which %d did not send, or not then, or with other bytes",
				dst, rc.req.Status, ctx, src)
		}
		for k, earlier := range taken {
			if slices.Index(w.ranks[src].sends, s) < slices.Index(w.ranks[src].sends, from[k]) && (earlier.tag == llc.AnyTag || earlier.tag == s.tag) {
				return fmt.Errorf("peer %d: message %d of %d was overtaken by message %d", dst, s.id, src, from[k].id)
			}
		}
		taken, from = append(taken, rc), append(from, s)
	}
	if !w.honest(src) || w.shut[place{dst, ctx}] {
		return nil
	}
	want := 0
	for _, s := range w.ranks[src].sends {
		if s.to == dst && s.ctx == ctx && s.req.Status.Err == nil {
			want++
		}
	}
	if len(taken) != want && w.Refuse == 0 {
		return fmt.Errorf("peer %d: received %d messages of %d in context %d, which sent %d", dst, len(taken), src, ctx, want)
	}
	return nil
}

// match finds the message that a receive took: the next one with its tag, or a later one if earlier ones may
// have failed.
func (w *world) match(src, dst int, rc *receive, next map[int]int) *send {
	st := rc.req.Status
	list := w.ranks[src].sends
	for i := next[st.Tag]; i < len(list); i++ {
		s := list[i]
		if s.to != dst || s.ctx != rc.ctx || s.tag != st.Tag {
			continue
		}
		next[st.Tag] = i + 1
		got := message(&rc.req)[:min(int64(rc.req.Bytes()), st.Bytes)]
		if int64(s.req.Bytes()) == st.Bytes && bytes.Equal(got, bytesOf(s.id, s.req.Bytes())[:len(got)]) {
			return s
		}
		if w.honest(src) && w.Refuse == 0 {
			return nil
		}
	}
	return nil
}

// judgeRest checks that an engine has given back all that it holds.
func (w *world) judgeRest(i int) error {
	e := w.ranks[i].engine
	for _, s := range w.ranks[i].sends {
		if s.req.Notify {
			return fmt.Errorf("peer %d: nobody was told that message %d is done", i, s.id)
		}
	}
	for _, r := range w.ranks[i].recvs {
		if r.req.Notify {
			return fmt.Errorf("peer %d: nobody was told that a receive from %d is done", i, r.src)
		}
	}
	s := e.Snapshot()
	if w.RingMemory > 0 && s.Rings*llc.RingBytes(&w.Caps) > w.RingMemory {
		return fmt.Errorf("engine %d has handed out %d rings, %d bytes of memory", i, s.Rings, w.RingMemory)
	}
	waiting := s.Unexpected
	if w.dead >= 0 || w.Refuse > 0 {
		waiting = 0 // of the dead peer
	}
	if s.Queued+s.InFlight+s.Transfers+s.Copies+s.Segments+s.Words+s.Incoming+s.Posted+waiting != 0 || !e.Idle() || w.net.Exposed(i) != 0 {
		return fmt.Errorf("engine %d still holds %+v, idle %v, %d segments exposed\n%s", i, s, e.Idle(), w.net.Exposed(i), w.describe())
	}
	return nil
}
