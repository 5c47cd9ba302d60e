package port

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// TestProgressInShortWaits: a rank that has posted its part, and then waits only for conditions that hold at
// once or after the others have run, does not hold up the transfer (MPI 4.1, section 3.5: progress).
func TestProgressInShortWaits(t *testing.T) {
	for name, need := range map[string]int{"at once": 0, "after one look": 1, "after two looks": 2} {
		t.Run(name, func(t *testing.T) {
			ps := open(t, 2)
			withoutHelper(t, ps[0]) // as if active: it would do the work
			in, out := make([]byte, 300000), payload(1, 300000)
			ps[0].Start(&llc.Request{Peer: 1, Tag: 1, Buf: in}, false)
			var sent atomic.Bool
			inTime(t, "transfer", func() {
				go func() {
					defer sent.Store(true)
					send(t, ps[1], 0, 0, 1, out)
				}()
				for !sent.Load() {
					looks := 0
					ps[0].Await("Test", nil, func() bool { looks++; return looks > need })
				}
			})
		})
	}
}

// TestOfferGoesAtOnce: a rank that computes after it has started a long send holds up no peer: the message
// has been offered, and its receiver moves all of it.
func TestOfferGoesAtOnce(t *testing.T) {
	ps := open(t, 2)
	acquaint(t, ps)
	withoutHelper(t, ps[0]) // as if active: it would do the work
	out := &llc.Request{Peer: 1, Tag: 1, Buf: payload(1, 300000)}
	ps[0].Start(out, true)
	inTime(t, "the receiver", func() { recv(t, ps[1], 0, 0, 1, payload(1, 300000)) })
	inTime(t, "the sender", func() { ps[0].Wait(out) })
}

// TestInvitationGoesAtOnce: a rank that computes after it has started to receive a long message that was
// there leaves most of it to the sender.
func TestInvitationGoesAtOnce(t *testing.T) {
	ps := open(t, 2)
	acquaint(t, ps)
	withoutHelper(t, ps[0]) // as if active: it would do the work
	var sender sync.WaitGroup
	sender.Go(func() { send(t, ps[1], 0, 0, 1, payload(1, 300000)) })
	eventually(t, "the offer", func() bool { _, ok := ps[0].Probe(0, 1, 1); return ok })
	in := &llc.Request{Peer: 1, Tag: 1, Buf: make([]byte, 300000)}
	ps[0].Start(in, false)
	eventually(t, "the sender has moved its part", func() bool {
		ps[1].gate.enter()
		defer ps[1].gate.leave()
		list := ps[1].eng.Pending()
		return len(list) == 1 && list[0].State == "Waiting" && list[0].Moved > 200000
	})
	inTime(t, "the receiver", func() { ps[0].Wait(in) })
	inTime(t, "the sender", sender.Wait)
	if string(in.Buf) != string(payload(1, 300000)) {
		t.Error("wrong bytes")
	}
}

// exclusivePorts opens ports whose peers have processors of their own, as far as the ports know.
func exclusivePorts(t *testing.T, peers int) []*Port {
	policy := oversubscribed()
	policy.Spin = time.Microsecond
	ps := openPolicy(t, nictest.Loopback(peers, nictest.DefaultCaps()), policy, func(int) Limits { return Limits{} })
	acquaint(t, ps)
	return ps
}

// idle reports whether nothing is under way.
func idle(p *Port) bool {
	p.gate.enter()
	defer p.gate.leave()
	return p.eng.Idle()
}

// TestReceiverComputes: a rank that computes after it has posted a long receive leaves all of the message to
// the sender, though the offer comes later.
func TestReceiverComputes(t *testing.T) {
	ps := exclusivePorts(t, 2)
	both(t, ps, func(p *Port, self int) { // by the lane
		for range 10 {
			send(t, p, 0, 1-self, 2, payload(2, 8))
			recv(t, p, 0, 1-self, 2, payload(2, 8))
		}
	})
	withoutHelper(t, ps[0]) // as if active: it would do the work
	in := &llc.Request{Peer: 1, Tag: 1, Buf: make([]byte, 300000)}
	ps[0].Start(in, false)
	var sender sync.WaitGroup
	sender.Go(func() { send(t, ps[1], 0, 0, 1, payload(1, 300000)) })
	eventually(t, "the sender has moved all", func() bool {
		ps[1].gate.enter()
		defer ps[1].gate.leave()
		list := ps[1].eng.Pending()
		return len(list) == 1 && list[0].State == "Waiting" && list[0].Moved == 300000
	})
	inTime(t, "the receiver", func() { ps[0].Wait(in) })
	eventually(t, "the sender is told", func() bool { ps[0].Probe(0, 1, 9); return idle(ps[1]) })
	sender.Wait()
	if in.Status.Err != nil || string(in.Buf) != string(payload(1, 300000)) {
		t.Errorf("%v, or wrong bytes", in.Status.Err)
	}
}

// TestCancelTakesInvitationsBack: a receive whose sender is invited is cancelled in one call, unless the
// sender has begun.
func TestCancelTakesInvitationsBack(t *testing.T) {
	ps := exclusivePorts(t, 2)
	withoutHelper(t, ps[0]) // as if active: it would receive
	in := &llc.Request{Peer: 1, Tag: 1, Buf: make([]byte, 300000)}
	ps[0].Start(in, false)
	if !ps[0].Cancel(in) || !ps[0].Test(in) || !errors.Is(in.Status.Err, llc.ErrCancelled) {
		t.Fatalf("%+v", in.Status)
	}
	ps[0].Start(in, false)
	ps[1].Probe(0, 0, 9) // this takes both invitations
	var sender sync.WaitGroup
	sender.Go(func() { send(t, ps[1], 0, 0, 1, payload(1, 300000)) })
	eventually(t, "the sender has begun", func() bool {
		ps[1].gate.enter()
		defer ps[1].gate.leave()
		list := ps[1].eng.Pending()
		return len(list) == 1 && list[0].Moved > 0
	})
	if ps[0].Cancel(in) {
		t.Error("cancelled while it is filled")
	}
	inTime(t, "the receiver", func() { ps[0].Wait(in) })
	inTime(t, "the sender", sender.Wait)
}

// TestCopiesAreBriefBesideAWait: while a rank waits for a small message its copies are brief, however it
// waits.
func TestCopiesAreBriefBesideAWait(t *testing.T) {
	for _, way := range []string{"lane", "receive", "wait"} {
		t.Run(way, func(t *testing.T) {
			var watch atomic.Bool
			var first atomic.Int32 // bytes of the first copy
			ps := openWith(t, 3, nictest.DefaultCaps(), nictest.Hooks{Fail: func(from int, cmd *ir.Command) error {
				if from == 0 && watch.Load() && cmd.Op == ir.Pull {
					first.CompareAndSwap(0, int32(len(cmd.Data)))
				}
				return nil
			}})
			acquaint(t, ps)
			ps[0].policy = wait.Policy{Yield: time.Hour, Local: true} // it stays where it waits
			long := &llc.Request{Peer: 2, Tag: 1, Buf: make([]byte, 300000)}
			ps[0].Start(long, false)
			ps[0].gate.enter()
			ps[0].eng.Attend(1 << 30) // not any more
			ps[0].gate.leave()
			watch.Store(true)
			var waits, sends sync.WaitGroup
			waits.Go(func() {
				r := &llc.Request{Peer: 1, Tag: 2, Buf: make([]byte, 8)}
				switch way {
				case "receive":
					recv(t, ps[0], 0, llc.AnyPeer, 2, payload(2, 8))
					return
				case "lane":
					recv(t, ps[0], 0, 1, 2, payload(2, 8))
					return
				}
				ps[0].Start(r, false)
				ps[0].Wait(r)
			})
			eventually(t, "a wait", func() bool { return polled(ps[0]) })
			sends.Go(func() { send(t, ps[2], 0, 0, 1, payload(1, 300000)) })
			eventually(t, "a copy", func() bool { return first.Load() != 0 })
			send(t, ps[1], 0, 0, 2, payload(2, 8))
			inTime(t, "the small message", waits.Wait)
			inTime(t, "the long one", func() { ps[0].Wait(long) })
			inTime(t, "its sender", sends.Wait)
			if got, want := int(first.Load()), nictest.DefaultCaps().SplitUnit/8; got != want {
				t.Errorf("a copy of %d bytes, want %d", got, want)
			}
		})
	}
}

// TestLooksAreShort: a call that only looks carries out one copy at most, however long the transfers are that
// are under way.
func TestLooksAreShort(t *testing.T) {
	var copies atomic.Int32
	ps := openWith(t, 2, nictest.DefaultCaps(), nictest.Hooks{Fail: func(from int, cmd *ir.Command) error {
		switch {
		case cmd.Op == ir.Push:
			return errors.New("the receiver moves all")
		case from == 0 && cmd.Op == ir.Pull:
			copies.Add(1)
		}
		return nil
	}})
	acquaint(t, ps)
	withoutHelper(t, ps[0]) // as if active: it would do the work
	ps[0].gate.enter()
	ps[0].eng.Attend(1 << 30) // for nothing small
	ps[0].gate.leave()
	in := &llc.Request{Peer: 1, Tag: 1, Buf: make([]byte, 300000)}
	ps[0].Start(in, false)
	var sender sync.WaitGroup
	sender.Go(func() { send(t, ps[1], 0, 0, 1, payload(1, 300000)) })
	looks := map[string]func(){
		"Test":  func() { ps[0].Test(&llc.Request{}) },
		"Probe": func() { ps[0].Probe(0, 1, 2) },
		"Match": func() { ps[0].Match(0, 1, 2, 1, 2) },
		"Next":  func() { ps[0].Next(false) },
	}
	done := func() bool {
		ps[0].gate.enter()
		defer ps[0].gate.leave()
		return in.Done()
	}
	eventually(t, "the transfer", func() bool {
		for name, look := range looks {
			before := copies.Load()
			if look(); copies.Load() > before+1 {
				t.Errorf("%s: %d copies in one call", name, copies.Load()-before)
			}
		}
		return done()
	})
	sender.Wait()
}

// TestLooksLeaveCopiesToWaits: between waits for small messages a look carries out no copy.
func TestLooksLeaveCopiesToWaits(t *testing.T) {
	var copies atomic.Int32
	ps := openWith(t, 2, nictest.DefaultCaps(), nictest.Hooks{Fail: func(from int, cmd *ir.Command) error {
		if from == 0 && (cmd.Op == ir.Pull || cmd.Op == ir.Push) {
			copies.Add(1)
		}
		return nil
	}})
	acquaint(t, ps)
	withoutHelper(t, ps[0]) // as if active: it would do the work
	in := &llc.Request{Peer: 1, Tag: 1, Buf: make([]byte, 300000)}
	ps[0].Start(in, false)
	var sender sync.WaitGroup
	sender.Go(func() { send(t, ps[1], 0, 0, 1, payload(1, 300000)) })
	locked := func(f func()) {
		ps[0].gate.enter()
		defer ps[0].gate.leave()
		f()
	}
	eventually(t, "a copy", func() bool { ps[0].Test(in); return copies.Load() > 0 })
	for range 100 { // its answers are taken at the first
		locked(func() { ps[0].eng.Attend(8) })
		before := copies.Load()
		if ps[0].Test(in); copies.Load() != before {
			t.Fatal("a copy in a look between two waits")
		}
	}
	eventually(t, "the transfer", func() bool { return ps[0].Test(in) })
	sender.Wait()
}

// TestHelperRestsBesideASleeper: while a goroutine sleeps on the doorbell the helper, which would wake the
// process many times a second for nothing, goes dormant although a request is open; when that goroutine
// leaves the helper comes back, and the transfer makes progress.
func TestHelperRestsBesideASleeper(t *testing.T) {
	ps := open(t, 2)
	away := func() bool {
		ps[0].gate.enter()
		defer ps[0].gate.leave()
		return ps[0].helper.away
	}
	in, out := make([]byte, 300000), payload(1, 300000)
	r := &llc.Request{Peer: 1, Tag: 1, Buf: in}
	ps[0].Start(r, false)
	if away() {
		t.Fatal("no helper for an open request")
	}
	var left atomic.Bool
	go func() {
		other := &llc.Request{Peer: 1, Tag: 2}
		ps[0].Start(other, false)
		ps[0].Wait(other)
		left.Store(true)
	}()
	eventually(t, "the helper rests", func() bool { return napping(ps[0]) && away() })
	send(t, ps[1], 0, 0, 2, nil)
	eventually(t, "the receive returns", left.Load)
	// From here on, rank 0 computes.
	inTime(t, "the other rank", func() { send(t, ps[1], 0, 0, 1, out) })
	eventually(t, "the receive is done by the helper", func() bool {
		ps[0].gate.enter()
		defer ps[0].gate.leave()
		return r.Done()
	})
	if string(in) != string(out) {
		t.Error("wrong bytes")
	}
}

// TestPollerHandsOver: a request that is started while another goroutine polls in a short wait makes progress
// when that one has left, although the rank makes no calls any more.
func TestPollerHandsOver(t *testing.T) {
	for _, way := range []string{"receive", "send", "lane"} {
		t.Run(way, func(t *testing.T) {
			ps := open(t, 3)
			if way == "lane" {
				acquaint(t, ps)
			}
			is := func(cond func() bool) func() bool {
				return func() bool {
					ps[0].gate.enter()
					defer ps[0].gate.leave()
					return cond()
				}
			}
			eventually(t, "no helper", is(func() bool { return ps[0].helper.away }))
			ps[0].policy = wait.Policy{Yield: time.Hour, Local: true} // it never sleeps
			var poller sync.WaitGroup
			poller.Go(func() {
				if way == "send" {
					ps[0].Send(0, 1, 2, llc.Synchronous, nil)
				} else {
					ps[0].Recv(0, 1, 2, nil)
				}
			})
			eventually(t, "a goroutine polls", is(func() bool {
				return ps[0].is(polling) && (way == "lane") == (len(ps[0].eng.Pending()) == 0)
			}))
			ps[0].Start(&llc.Request{Peer: 2, Tag: 1, Buf: make([]byte, 300000)}, false)
			if way == "send" {
				recv(t, ps[1], 0, 0, 2, nil)
			} else {
				send(t, ps[1], 0, 0, 2, nil)
			}
			inTime(t, "the poller", poller.Wait)
			inTime(t, "the other rank", func() { send(t, ps[2], 0, 0, 1, payload(1, 300000)) })
		})
	}
}
