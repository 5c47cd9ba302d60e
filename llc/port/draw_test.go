package port

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// window has port from send so many messages of n bytes to port p, which has posted receives for them, and
// returns both.
func window(p, from *Port, messages, n int) (sends, recvs []*llc.Request) {
	for i := range messages {
		recvs = append(recvs, &llc.Request{Peer: from.nic.Self(), Tag: i, Buf: make([]byte, n)})
		sends = append(sends, &llc.Request{Peer: p.nic.Self(), Tag: i, Buf: payload(i, n)})
		p.Start(recvs[i], false)
	}
	for _, r := range sends {
		from.Start(r, true)
	}
	for i := range messages - 1 {
		recvs[i].Link, sends[i].Link = recvs[i+1], sends[i+1]
	}
	return sends, recvs
}

// TestDraw: offers for posted receives that are there are read one after the other, and messages that the NIC
// refuses to read still arrive. Every sender learns that its message has come, although the rings are full
// now and then.
func TestDraw(t *testing.T) {
	caps := nictest.DefaultCaps()
	nics := nictest.Lenders(nictest.LoopbackWith(2, caps, nictest.Hooks{}))
	a := ir.AbilitiesOf(nics[1])
	way := &lending{Remote: a.Remote, Lender: a.Lender}
	a.Remote, a.Lender = way, way
	nics[1] = a.Give(nics[1])
	ps := openNICs(t, nics)
	for _, p := range ps {
		p.policy = wait.Policy{Yield: time.Hour, Local: true}
	}
	acquaint(t, ps)
	for i := range 50 { // the ring back, too
		send(t, ps[1], 0, 0, i, payload(i, 8))
		recv(t, ps[0], 0, 1, i, payload(i, 8))
	}
	kept := true
	withoutHelper(t, ps[1]) // on a busy machine it would take offers before the call that counts them
	for _, c := range []struct {
		name        string
		messages, n int
		refused     bool
		read        int // at once; -1: by the helper, too
	}{
		{"one", 1, caps.Eager + 1, false, 1},
		{"some", caps.Slots / 2, caps.Eager + 1, false, caps.Slots / 2},
		{"longest", 4, min(caps.Split, caps.SplitUnit+1) - 1, false, 4},
		{"both sides move", 4, caps.Split, false, 0},
		{"refused", 4, caps.Eager + 1, true, 0},
		{"nothing but their ends", 3, 0, false, 0},
		{"more than the rings", 3*caps.Slots + 7, caps.Eager + 1, false, -1},
		{"more that are refused", 3*caps.Slots + 7, caps.Eager + 1, true, -1},
		{"more of a packet", 3*caps.Slots + 7, caps.Eager, false, -1},
		{"the same, a line each", 3*caps.Slots + 7, 8, false, -1},
	} {
		name := c.name
		if c.read < 0 && kept {
			kept = false
			withHelper(ps[1])
		}
		way.readsNothing.Store(c.refused)
		way.read.Store(0)
		sends, recvs := window(ps[1], ps[0], c.messages, c.n)
		inTime(t, name, func() { ps[1].WaitAll(recvs[0]) })
		if got := int(way.read.Load()); c.read >= 0 && got != c.read {
			t.Errorf("%s: %d of %d messages are read at once", name, got, c.messages)
		}
		eventually(t, name+": all senders know", func() bool { // no call is made on port 1 any more
			return !slices.ContainsFunc(sends, func(r *llc.Request) bool { return !ps[0].Test(r) })
		})
		for i, r := range recvs {
			if r.Status.Err != nil || r.Status.Bytes != int64(c.n) || !bytes.Equal(r.Buf, sends[i].Buf) || sends[i].Status.Err != nil {
				t.Fatalf("%s: message %d: %+v, or damaged; sent: %v", name, i, r.Status, sends[i].Status.Err)
			}
		}
	}
}

// watching looks at a request at every read.
type watching struct {
	ir.Remote
	r    *llc.Request
	done []bool
}

func (w *watching) ReadMemory(peer int, s ir.Segment, offset uint64, b []byte) error {
	w.done = append(w.done, w.r.Done())
	return w.Remote.ReadMemory(peer, s, offset, b)
}

// TestDrawsBetweenOthers: messages of other peers do not wait for all the offers that are there.
func TestDrawsBetweenOthers(t *testing.T) {
	nics := nictest.Lenders(nictest.LoopbackWith(3, nictest.DefaultCaps(), nictest.Hooks{}))
	a := ir.AbilitiesOf(nics[1])
	way := &watching{Remote: a.Remote, r: &llc.Request{Peer: 2, Context: 1, Tag: 3, Buf: make([]byte, 8)}}
	a.Remote = way
	nics[1] = a.Give(nics[1])
	ps := openNICs(t, nics)
	for _, p := range ps {
		p.policy = wait.Policy{Yield: time.Hour, Local: true}
	}
	acquaint(t, ps)
	withoutHelper(t, ps[1]) // as in TestDraw
	ps[1].Start(way.r, false)
	_, recvs := window(ps[1], ps[0], 5, nictest.DefaultCaps().Eager+1)
	send(t, ps[2], 1, 1, 3, payload(0, 8))
	inTime(t, "a window", func() { ps[1].WaitAll(recvs[0]) })
	if want := []bool{false, true, true, true, true}; !slices.Equal(way.done, want) {
		t.Errorf("a message is here before the first, the second ... offer is read: %v, want %v", way.done, want)
	}
}

// TestEndOfAnOfferIsNotLeft: a rank that has read an offer while the ring back is full, and then computes,
// leaves no sender waiting.
func TestEndOfAnOfferIsNotLeft(t *testing.T) {
	ps := openNICs(t, nictest.Lenders(nictest.LoopbackWith(2, nictest.DefaultCaps(), nictest.Hooks{})))
	for _, p := range ps {
		p.policy = wait.Policy{Yield: time.Hour, Local: true}
	}
	acquaint(t, ps)
	n, owing := nictest.DefaultCaps().Eager+1, func() bool {
		ps[1].gate.enter()
		defer ps[1].gate.leave()
		return ps[1].busy()
	}
	withoutHelper(t, ps[0]) // as if active: it would take the ends
	for i := range nictest.DefaultCaps().Slots / 2 {
		send(t, ps[1], 0, 0, 2, payload(i, 8))
	}
	eventually(t, "nobody looks after the reader", func() bool {
		ps[1].gate.enter()
		defer ps[1].gate.leave()
		return ps[1].helper.away
	})
	var sends []*llc.Request
	for !owing() {
		r := &llc.Request{Peer: 1, Tag: 1, Buf: payload(len(sends), n)}
		ps[0].Start(r, true)
		inTime(t, "an offer", func() { recv(t, ps[1], 0, 0, 1, r.Buf) })
		sends = append(sends, r)
	}
	inTime(t, "the senders", func() {
		for _, r := range sends {
			ps[0].Wait(r)
		}
	})
}
