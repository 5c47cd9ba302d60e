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

// acquaint has ports 0 and 1 exchange enough messages for each to have a ring at the other.
func acquaint(t *testing.T, ps []*Port) {
	t.Helper()
	both(t, ps[:2], func(p *Port, self int) {
		for i := range 4 {
			if self == 0 {
				send(t, p, 0, 1, i, payload(i, 8))
			}
			recv(t, p, 0, 1-self, i, payload(i, 8))
			if self == 1 {
				send(t, p, 0, 0, i, payload(i, 8))
			}
		}
		p.shun = 0 // whether one of these took the slow path depends on time
	})
}

// inLane reports whether a goroutine polls that has posted no receive.
func inLane(p *Port) bool {
	p.gate.enter()
	defer p.gate.leave()
	return p.is(polling) && len(p.eng.Pending()) == 0
}

// TestLaneServesOthers: a goroutine that waits in the lane lets others enter, takes what comes for them, and
// has one of them poll when it leaves.
func TestLaneServesOthers(t *testing.T) {
	ps := open(t, 3)
	acquaint(t, ps)
	ps[0].policy = wait.Policy{Yield: time.Hour, Local: true}
	var lane, other sync.WaitGroup
	lane.Go(func() { recv(t, ps[0], 0, 1, 9, payload(9, 8)) })
	eventually(t, "in the lane", func() bool { return inLane(ps[0]) })
	other.Go(func() { recv(t, ps[0], 0, 2, 1, payload(1, 8)) })
	eventually(t, "another waits", func() bool { return parked(ps[0]) == 1 })
	send(t, ps[2], 0, 0, 1, payload(1, 8))
	inTime(t, "the other receive", other.Wait)
	eventually(t, "still in the lane", func() bool { return inLane(ps[0]) })

	other.Go(func() { recv(t, ps[0], 0, 2, 2, payload(2, 8)) })
	eventually(t, "another waits again", func() bool { return parked(ps[0]) == 1 })
	send(t, ps[1], 0, 0, 9, payload(9, 8))
	inTime(t, "the lane", lane.Wait)
	eventually(t, "the other polls", func() bool { return polled(ps[0]) })
	send(t, ps[2], 0, 0, 2, payload(2, 8))
	inTime(t, "the other receive", other.Wait)
}

// TestLaneKeepsItsReceive: calls of other goroutines do not change what the receive in the lane waits for.
func TestLaneKeepsItsReceive(t *testing.T) {
	ps := open(t, 3)
	acquaint(t, ps)
	ps[0].policy = wait.Policy{Yield: time.Hour, Local: true}
	var lane sync.WaitGroup
	lane.Go(func() { recv(t, ps[0], 0, 1, 9, payload(9, 8)) })
	eventually(t, "in the lane", func() bool { return inLane(ps[0]) })
	for i := range 5 {
		send(t, ps[2], 0, 0, 1, payload(i, 8))
		eventually(t, "another message", func() bool { _, ok := ps[0].Probe(0, 2, 1); return ok })
		recv(t, ps[0], 0, 2, 1, payload(i, 8)) // done at once
	}
	send(t, ps[1], 0, 0, 9, payload(9, 8))
	inTime(t, "the lane", lane.Wait)
}

// TestLaneIsLeft: a receive that is joined by another one from the same peer takes the slow path, and both
// end.
func TestLaneIsLeft(t *testing.T) {
	ps := open(t, 2)
	acquaint(t, ps)
	ps[0].policy = wait.Policy{Yield: time.Hour, Local: true}
	var wg sync.WaitGroup
	wg.Go(func() { recv(t, ps[0], 0, 1, 1, payload(1, 8)) })
	eventually(t, "in the lane", func() bool { return inLane(ps[0]) })
	wg.Go(func() { recv(t, ps[0], 0, 1, 2, payload(2, 8)) })
	eventually(t, "both wait", func() bool { return parked(ps[0]) == 1 && !inLane(ps[0]) && polled(ps[0]) })
	send(t, ps[1], 0, 0, 2, payload(2, 8))
	send(t, ps[1], 0, 0, 1, payload(1, 8))
	inTime(t, "receivers", wg.Wait)
}

// TestLaneTakesOnce: what the lane has taken, at once or after a wait, does not come again.
func TestLaneTakesOnce(t *testing.T) {
	ps := open(t, 2)
	acquaint(t, ps)
	ps[0].policy = wait.Policy{Yield: time.Hour, Local: true}
	for _, late := range []bool{false, true} {
		if !late {
			send(t, ps[1], 0, 0, 1, payload(1, 8))
		}
		var wg sync.WaitGroup
		wg.Go(func() { recv(t, ps[0], 0, 1, 1, payload(1, 8)) })
		if late {
			eventually(t, "in the lane", func() bool { return inLane(ps[0]) })
			send(t, ps[1], 0, 0, 1, payload(1, 8))
		}
		inTime(t, "receiver", wg.Wait)
		if st, ok := ps[0].Probe(0, 1, llc.AnyTag); ok {
			t.Errorf("late %v: and then %+v", late, st)
		}
	}
}

// TestSynchronousSendsLeaveTheLane: synchronous sends wait even with a ring and room in it.
func TestSynchronousSendsLeaveTheLane(t *testing.T) {
	ps := open(t, 2)
	acquaint(t, ps)
	var done atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := ps[0].Send(0, 1, 1, llc.Synchronous, payload(1, 8)); err != nil {
			t.Error(err)
		}
		done.Store(true)
	})
	eventually(t, "the message is there", func() bool { _, ok := ps[1].Probe(0, 0, 1); return ok })
	if done.Load() {
		t.Error("Send has returned before the receive")
	}
	recv(t, ps[1], 0, 0, 1, payload(1, 8))
	inTime(t, "Send", wg.Wait)

	r := &llc.Request{Peer: 1, Tag: 2, Mode: llc.Synchronous, Buf: payload(2, 8)}
	ps[0].Start(r, true)
	eventually(t, "the message that was started is there", func() bool { _, ok := ps[1].Probe(0, 0, 2); return ok })
	if ps[0].Test(r) {
		t.Error("a synchronous send is complete before the receive")
	}
	recv(t, ps[1], 0, 0, 2, payload(2, 8))
	inTime(t, "the send", func() { ps[0].Wait(r) })
}

// TestLaneTellsReaders: a goroutine that gathers its message by the lane wakes readers of the queue for what
// has come with it, before it returns.
func TestLaneTellsReaders(t *testing.T) {
	ps := open(t, 2)
	acquaint(t, ps)
	queued := &llc.Request{Peer: 1, Tag: 1, Buf: make([]byte, 8)}
	awaited := &llc.Request{Peer: 1, Tag: 2, Buf: make([]byte, 8)}
	if err := ps[0].Enqueue(queued, false); err != nil {
		t.Fatal(err)
	}
	ps[0].Start(awaited, false)
	send(t, ps[1], 0, 0, 1, payload(1, 8))
	send(t, ps[1], 0, 0, 2, payload(2, 8))
	inTime(t, "WaitAll", func() { ps[0].WaitAll(awaited) })
	ps[0].gate.enter()
	defer ps[0].gate.leave()
	if !queued.Done() || ps[0].queue.empty() || ps[0].queue.pop() != queued {
		t.Error("a request that is done is not told")
	}
}

// TestLaneIsTriedAgain: the receives that take the slow path because one had to are counted.
func TestLaneIsTriedAgain(t *testing.T) {
	ps := open(t, 2)
	acquaint(t, ps)
	ps[0].shun = 2
	for left := 2; left >= 0; left-- {
		if ps[0].shun != left {
			t.Errorf("%d receives avoid the lane, want %d", ps[0].shun, left)
		}
		send(t, ps[1], 0, 0, 1, payload(1, 8))
		recv(t, ps[0], 0, 1, 1, payload(1, 8))
	}
}

// TestLaneOfSeveralPackets: long eager messages go and come by the lane, whole or, if there is no room or a
// packet is late, in part.
func TestLaneOfSeveralPackets(t *testing.T) {
	ps := open(t, 2)
	acquaint(t, ps)
	caps := nictest.DefaultCaps()
	for _, n := range []int{ir.Short + 1, caps.Fragment, caps.Fragment + 1, 2*caps.Fragment + 1, caps.Eager} {
		both(t, ps, func(p *Port, self int) {
			for i := range 40 { // more than a ring has room for
				if self == 0 {
					send(t, p, 0, 1, i, payload(i, n))
				} else {
					recv(t, p, 0, 0, i, payload(i, n))
				}
			}
		})
	}
}

// TestLaneWaitsForTheRest: a receive whose message has partly come by the lane sleeps until the other packets
// come, and a packet that cannot follow is the end of its peer.
func TestLaneWaitsForTheRest(t *testing.T) {
	caps := nictest.DefaultCaps()
	for i := range 6 {
		right, call := i%2 == 0, i/2
		ps := open(t, 2)
		acquaint(t, ps)
		want := payload(1, caps.Fragment+1)
		var trouble atomic.Bool
		ps[0].trouble = func(error) { trouble.Store(true) }
		ps[0].policy = wait.Policy{Local: true}
		peer := ps[1]
		peer.gate.enter()
		slot, pos, n, ok := peer.eng.Part(0, 3, 0, len(want), len(want))
		if !ok || n == len(want) {
			t.Fatalf("the first packet has %d bytes of %d, %v", n, len(want), ok)
		}
		llc.EagerWords(&peer.head, 0, 3, len(want))
		peer.express.Place(0, slot, pos, &peer.head, want[:n])
		peer.gate.leave()
		var wg sync.WaitGroup
		buf := make([]byte, len(want))
		var st llc.Status
		var err error
		wg.Go(func() {
			switch call {
			case 0:
				st, err = ps[0].Recv(0, 1, 3, buf)
			case 1:
				r := &llc.Request{Peer: 1, Tag: 3, Buf: buf}
				ps[0].Receive(r)
				st, err = r.Status, r.Status.Err
			case 2:
				b := newSparse(buf)
				st, err = ps[0].RecvPieces(0, 1, 3, b)
				b.Gather(buf, 0)
			}
		})
		eventually(t, "the receive sleeps", func() bool {
			ps[0].gate.enter()
			defer ps[0].gate.leave()
			return ps[0].is(asleep)
		})
		peer.gate.enter()
		slot, pos, rest, ok := peer.eng.Part(0, 3, n, len(want), len(want))
		if !ok || n+rest != len(want) {
			t.Fatalf("the second packet has %d bytes, %v", rest, ok)
		}
		llc.FragmentWords(&peer.head, n)
		if !right {
			llc.FragmentWords(&peer.head, n+1)
		}
		peer.express.Place(0, slot, pos, &peer.head, want[n:])
		peer.gate.leave()
		inTime(t, "the receive", wg.Wait)
		if right && (err != nil || st != (llc.Status{Source: 1, Tag: 3, Bytes: int64(len(want))}) || string(buf) != string(want)) {
			t.Errorf("%+v, %v, right bytes: %v", st, err, string(buf) == string(want))
		}
		if !right && (!errors.Is(err, ir.ErrPeerGone) || !trouble.Load()) {
			t.Errorf("a packet of another place: %+v, %v", st, err)
		}
	}
}

// TestReceive: Receive ends as Start and Wait do, with one request again and again: for messages that are
// there, that come later, in several packets, offered, too long, of another type, and on a closed port.
func TestReceive(t *testing.T) {
	caps := nictest.DefaultCaps()
	ps := openNICs(t, nictest.Lenders(nictest.LoopbackWith(2, caps, nictest.Hooks{})))
	acquaint(t, ps)
	at, from := ps[0], ps[1]
	r := &llc.Request{Together: true}
	for _, late := range []bool{false, true} {
		for _, c := range []arrival{
			{"a line", 8, 8, 0, nil},
			{"less than there is room for", 8, 20, 0, nil},
			{"nothing", 0, 0, 0, nil},
			{"several packets", caps.Eager, caps.Eager, 0, nil},
			{"offered", caps.Eager + 1, caps.Eager + 1, 0, nil},
			{"divided", caps.Split, caps.Split, 0, nil},
			{"too long", 9, 8, 0, llc.ErrTruncated},
			{"offered and too long", caps.Eager + 9, 8, 0, llc.ErrTruncated},
			{"of another type", 8, 8, 1 << 8, llc.ErrType},
			{"a line again", 8, 8, 0, nil},
		} {
			want, got := payload(c.n, c.n), make([]byte, c.room)
			c.arrives(t, at, late, c.n <= caps.Eager, func() {
				r.Peer, r.Context, r.Type, r.Tag, r.Buf = 1, 4, 1, 5, got
				at.Receive(r)
			}, func() {
				if err := from.Send(llc.MakeKey(4, 1+c.typ), 0, 5, llc.Standard, want); err != nil && c.fails == nil {
					t.Errorf("%s: Send: %v", c.name, err)
				}
			})
			if !errors.Is(r.Status.Err, c.fails) || c.fails == nil && r.Status.Err != nil {
				t.Errorf("%s: %v", c.name, r.Status.Err)
			}
			if c.fails == nil && (r.Status != (llc.Status{Source: 1, Tag: 5, Bytes: int64(c.n)}) || string(got[:c.n]) != string(want)) {
				t.Errorf("%s: %+v, right bytes: %v", c.name, r.Status, string(got[:c.n]) == string(want))
			}
		}
	}
	var wg sync.WaitGroup
	r.Buf = make([]byte, 8)
	wg.Go(func() { at.Receive(r) })
	eventually(t, "a receive", func() bool { return polled(at) || napping(at) })
	at.Close()
	inTime(t, "a receive on a port that is closed", wg.Wait)
	for range 2 {
		if !errors.Is(r.Status.Err, ErrClosed) {
			t.Errorf("on a closed port: %+v", r.Status)
		}
		r.Status = llc.Status{}
		at.Receive(r)
	}
}

// linked returns the first of rs, which are linked in their order.
func linked(rs []*llc.Request) *llc.Request {
	for i, r := range rs[1:] {
		rs[i].Link = r
	}
	return rs[0]
}

// TestStartByLane: sends of one line that find room are done when Start returns, also in a window that is
// larger than the ring, receives find them in order, and a closed port ends all.
func TestStartByLane(t *testing.T) {
	ps := open(t, 2)
	acquaint(t, ps)
	n := 3 * nictest.DefaultCaps().Slots
	sends, recvs := make([]llc.Request, n), make([]llc.Request, n)
	var all [2][]*llc.Request
	for i := range n {
		sends[i] = llc.Request{Peer: 1, Tag: 1, Buf: payload(i, 8)}
		recvs[i] = llc.Request{Peer: 0, Tag: 1, Buf: make([]byte, 8)}
		all[0], all[1] = append(all[0], &sends[i]), append(all[1], &recvs[i])
	}
	if ps[0].Start(&sends[0], true); !sends[0].Done() {
		t.Error("a short send with room is not done")
	}
	both(t, ps, func(p *Port, self int) {
		if self == 0 {
			for i := 1; i < n; i++ {
				p.Start(&sends[i], true)
			}
		} else {
			for i := range n {
				p.Start(&recvs[i], false)
			}
		}
		p.WaitAll(linked(all[self]))
	})
	for i := range n {
		if r := &recvs[i]; r.Status != (llc.Status{Tag: 1, Bytes: 8}) || string(r.Buf) != string(payload(i, 8)) {
			t.Fatalf("receive %d: %+v, %v", i, r.Status, r.Buf)
		}
	}
	late := llc.Request{Peer: 0, Buf: make([]byte, 8)}
	ps[1].Start(&late, false)
	ps[1].Close()
	ps[1].WaitAll(&late)
	if !errors.Is(late.Status.Err, ErrClosed) {
		t.Errorf("after Close: %+v", late.Status)
	}
	if ps[1].TrySend(0, 0, 1, nil) {
		t.Error("a closed port sends")
	}
}

// TestTrySend: an eager message that finds room goes whole, everything else is left to Send.
func TestTrySend(t *testing.T) {
	caps := nictest.DefaultCaps()
	for n, want := range map[int]bool{
		0: true, ir.Short: true, ir.Short + 1: true, caps.Fragment + 1: true, caps.Eager: true, caps.Eager + 1: false,
	} {
		ps := open(t, 2)
		if ps[0].TrySend(0, 1, 1, nil) {
			t.Error("a message goes before there is a ring")
		}
		acquaint(t, ps)
		if got := ps[0].TrySend(0, 1, n, payload(n, n)); got != want {
			t.Errorf("%d bytes: %v", n, got)
		} else if got {
			recv(t, ps[1], 0, 0, n, payload(n, n))
		}
	}
	for _, n := range []int{0, ir.Short + 1, caps.Fragment + 1} {
		ps := open(t, 2)
		acquaint(t, ps)
		some := 0
		for ; ps[0].TrySend(0, 1, some, payload(some, n)); some++ {
			if some > caps.Slots {
				t.Fatal("more goes than there is room for")
			}
		}
		for i := range some {
			recv(t, ps[1], 0, 0, i, payload(i, n))
		}
		if _, ok := ps[1].Probe(0, 0, llc.AnyTag); ok || some == 0 {
			t.Errorf("%d messages of %d bytes go, and a part of another one: %v", some, n, ok)
		}
	}
}

// longest records the longest payload that is placed.
type longest struct {
	ir.Express
	bytes int
}

func (l *longest) Place(peer int, slot, pos uint64, head *[3]uint64, data []byte) {
	l.bytes = max(l.bytes, len(data))
	l.Express.Place(peer, slot, pos, head, data)
}

// TestPacketsAreAsLongAsPays: a call that waits for its message of several packets sends it in short ones; a
// message that was only started goes in as few as the NIC takes, unless peers share processors.
func TestPacketsAreAsLongAsPays(t *testing.T) {
	caps := nictest.DefaultCaps()
	caps.Slots, caps.Bytes, caps.Fragment, caps.Eager, caps.Split = 32, 256<<10, 2*pipelined, 4*pipelined, 8*pipelined
	for name, c := range map[string]struct {
		policy wait.Policy
		send   func(p *Port, buf []byte)
		want   int
	}{
		"Send":                  {exclusive(), func(p *Port, buf []byte) { send(t, p, 0, 1, 5, buf) }, pipelined},
		"SendPieces":            {exclusive(), func(p *Port, buf []byte) { _, _ = sendPieces(p, 5, newSparse(buf)) }, pipelined},
		"TrySend":               {exclusive(), func(p *Port, buf []byte) { p.TrySend(0, 1, 5, buf) }, pipelined},
		"Start":                 {exclusive(), func(p *Port, buf []byte) { p.Start(&llc.Request{Peer: 1, Tag: 5, Buf: buf}, true) }, 2 * pipelined},
		"Start, oversubscribed": {oversubscribed(), func(p *Port, buf []byte) { p.Start(&llc.Request{Peer: 1, Tag: 5, Buf: buf}, true) }, pipelined},
	} {
		ps := openPolicy(t, nictest.LoopbackWith(2, caps, nictest.Hooks{}), c.policy, func(int) Limits { return Limits{} })
		acquaint(t, ps)
		l := &longest{Express: ps[0].express}
		ps[0].express = l
		want := payload(1, 2*pipelined)
		c.send(ps[0], want)
		if recv(t, ps[1], 0, 0, 5, want); l.bytes != c.want {
			t.Errorf("%s: packets of %d bytes, want %d", name, l.bytes, c.want)
		}
	}
}

// TestReceivesTimePackets: a receive times the packets of a message after the first one, for what it says of reads,
// also those for which it waits.
func TestReceivesTimePackets(t *testing.T) {
	caps := nictest.DefaultCaps()
	caps.Bytes, caps.Fragment, caps.Eager, caps.Split = 4*pipelined, pipelined, 8*pipelined, 16*pipelined
	ps := openPolicy(t, nictest.LoopbackWith(2, caps, nictest.Hooks{}), exclusive(), func(int) Limits { return Limits{} })
	acquaint(t, ps)
	reads := 0
	ps[1].pace.Clock = func() time.Duration { reads++; return time.Duration(reads) }
	send(t, ps[0], 0, 1, 5, payload(5, pipelined))
	if recv(t, ps[1], 0, 0, 5, payload(5, pipelined)); reads != 0 {
		t.Errorf("the clock is read %d times for a message of one packet", reads)
	}
	send(t, ps[0], 0, 1, 6, payload(6, 2*pipelined))
	if recv(t, ps[1], 0, 0, 6, payload(6, 2*pipelined)); reads != 2 {
		t.Errorf("the clock is read %d times for the first message of two packets", reads)
	}
	for range 15 {
		send(t, ps[0], 0, 1, 6, payload(6, 2*pipelined))
		recv(t, ps[1], 0, 0, 6, payload(6, 2*pipelined))
	}
	if reads != 2 {
		t.Errorf("the clock is read %d times for 16 messages", reads)
	}
	var wg sync.WaitGroup
	long := payload(7, 8*pipelined) // does not fit the ring
	wg.Go(func() { send(t, ps[0], 0, 1, 7, long) })
	recv(t, ps[1], 0, 0, 7, long)
	if wg.Wait(); reads != 4 {
		t.Errorf("the clock is read %d times for two messages, one of them long, in 17", reads)
	}
}

// exclusive is the policy of peers each of which has a processor.
func exclusive() wait.Policy {
	return wait.Policy{Spin: time.Microsecond, Yield: time.Millisecond, Local: true}
}
