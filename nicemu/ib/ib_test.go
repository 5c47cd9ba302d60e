package ib

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"rhinet/nicemu/fabric"
)

// open returns the adapters of a job of goroutines.
func open(t testing.TB, ranks int) []*HCA {
	t.Helper()
	f, err := fabric.Heap(ranks, Geometry(fabric.Small(), ranks))
	if err != nil {
		t.Fatal(err)
	}
	all := make([]*HCA, ranks)
	for i := range all {
		if all[i], err = Open(f, i, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// A side is one end of a connection in a test: memory of 4096 bytes, a queue pair, a receive queue
// and one completion queue for both.
type side struct {
	*HCA
	domain Domain
	mem    []byte
	key    Key
	cq     *CQ
	rq     *ReceiveQueue
	qp     *QP
}

const all = LocalWrite | RemoteWrite | RemoteRead | RemoteAtomic

func newSide(t testing.TB, h *HCA, s Service) *side {
	t.Helper()
	x := &side{HCA: h, domain: h.AllocDomain(), mem: aligned(4096)}
	var errs [4]error
	x.key, errs[0] = h.Register(x.domain, x.mem, all)
	x.cq, errs[1] = h.CreateCQ()
	x.rq, errs[2] = h.CreateReceiveQueue(x.domain, x.cq, false)
	x.qp, errs[3] = h.CreateQP(QPConfig{Service: s, Domain: x.domain, Send: x.cq, Receive: x.rq})
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return x
}

func aligned(n int) []byte {
	b := make([]byte, n+8)
	skip := int(-fabric.Address(b) & 7)
	return b[skip : skip+n : skip+n]
}

// ready brings a queue pair to RTS.
func (x *side) ready(t testing.TB, lid LID, n QPN) {
	t.Helper()
	for _, s := range []State{INIT, RTR, RTS} {
		if err := x.qp.Modify(s, Attributes{Access: all, LID: lid, QPN: n, QKey: 77}); err != nil {
			t.Fatal(err)
		}
	}
}

// pair returns the two sides of a connection.
func pair(t testing.TB, s Service) (a, b *side) {
	t.Helper()
	hcas := open(t, 3)
	a, b = newSide(t, hcas[0], s), newSide(t, hcas[1], s)
	a.ready(t, b.LID(), b.qp.Number())
	b.ready(t, a.LID(), a.qp.Number())
	return a, b
}

// at returns the remote address of byte i.
func (x *side) at(i int) uint64 { return fabric.Address(x.mem) + uint64(i) }

// post posts a request that must be accepted.
func (x *side) post(t testing.TB, w WorkRequest) {
	t.Helper()
	if err := x.qp.PostSend(&w); err != nil {
		t.Fatal(err)
	}
}

// done takes one completion.
func (x *side) done(t testing.TB) Completion {
	t.Helper()
	var c Completion
	if !x.cq.Poll(&c) {
		t.Fatal("no completion")
	}
	return c
}

func (x *side) quiet(t testing.TB) {
	t.Helper()
	var c Completion
	if x.cq.Poll(&c) {
		t.Fatalf("unexpected %+v", c)
	}
}

// TestOperations carries out each operation once.
func TestOperations(t *testing.T) {
	a, b := pair(t, RC)
	copy(a.mem, "what is sent")
	binary.NativeEndian.PutUint64(b.mem[64:], 5)
	if err := b.rq.Post(100, b.mem[1000:1100], b.key); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if err := b.rq.Post(uint64(101+i), b.mem[2000:2100], b.key); err != nil {
			t.Fatal(err)
		}
	}
	word := a.mem[128:136]
	for _, c := range []struct {
		w    WorkRequest
		mine string            // new contents of own memory
		at   int               // offset in the other side's memory
		want string            // new contents there
		recv func(*Completion) // checks the receive that completes
	}{
		{w: WorkRequest{Op: Write, Local: a.mem[:12], Key: a.key, Address: b.at(10), Remote: b.key}, at: 10, want: "what is sent"},
		{w: WorkRequest{Op: Write, Local: []byte("inline"), Inline: true, Address: b.at(40), Remote: b.key}, at: 40, want: "inline"},
		{w: WorkRequest{Op: Send, Local: a.mem[:12], Key: a.key}, at: 1000, want: "what is sent",
			recv: func(c *Completion) { c.ID, c.Op, c.Bytes = 100, Receive, 12 }},
		{w: WorkRequest{Op: SendImmediate, Local: a.mem[:4], Key: a.key, Immediate: 9}, at: 2000, want: "what",
			recv: func(c *Completion) { c.ID, c.Op, c.Bytes, c.Immediate, c.HasImm = 101, Receive, 4, 9, true }},
		{w: WorkRequest{Op: WriteImmediate, Local: a.mem[5:7], Key: a.key, Address: b.at(50), Remote: b.key, Immediate: 8}, at: 50, want: "is",
			recv: func(c *Completion) { c.ID, c.Op, c.Bytes, c.Immediate, c.HasImm = 102, ReceiveWrite, 2, 8, true }},
		{w: WorkRequest{Op: Read, Local: a.mem[200:212], Key: a.key, Address: b.at(1000), Remote: b.key}, mine: "what is sent"},
		{w: WorkRequest{Op: FetchAndAdd, Local: word, Key: a.key, Address: b.at(64), Remote: b.key, Swap: 3}, mine: "\x05\x00", at: 64, want: "\x08\x00"},
		{w: WorkRequest{Op: CompareAndSwap, Local: word, Key: a.key, Address: b.at(64), Remote: b.key, Compare: 7, Swap: 1}, mine: "\x08\x00", at: 64, want: "\x08\x00"},
		{w: WorkRequest{Op: CompareAndSwap, Local: word, Key: a.key, Address: b.at(64), Remote: b.key, Compare: 8, Swap: 1}, mine: "\x08\x00", at: 64, want: "\x01\x00"},
	} {
		c.w.ID = 55
		a.post(t, c.w)
		if got, want := a.done(t), (Completion{ID: 55, Op: c.w.Op, Bytes: len(c.w.Local), QPN: a.qp.Number()}); got != want {
			t.Fatalf("%v: %+v, want %+v", c.w.Op, got, want)
		}
		if !bytes.HasPrefix(b.mem[c.at:], []byte(c.want)) || !bytes.HasPrefix(c.w.Local, []byte(c.mine)) {
			t.Errorf("%v: %q there, %q here", c.w.Op, b.mem[c.at:c.at+12], c.w.Local)
		}
		if c.recv != nil {
			want := Completion{QPN: b.qp.Number()}
			if c.recv(&want); want != b.done(t) {
				t.Errorf("%v: wrong receive", c.w.Op)
			}
		}
	}
	a.post(t, WorkRequest{Op: Write, Silent: true})
	a.quiet(t)
	b.quiet(t)
}

// TestStates: each transition is made or refused according to the table, and each state does what
// it should.
func TestStates(t *testing.T) {
	ways := [numStates][]State{RESET: {RESET}, INIT: {INIT}, RTR: {INIT, RTR}, RTS: {INIT, RTR, RTS}, SQD: {INIT, RTR, RTS, SQD}, ERR: {ERR}}
	a, b := pair(t, RC)
	for from := range numStates {
		for to := range numStates {
			if err := a.qp.Modify(RESET, Attributes{}); err != nil {
				t.Fatal(err)
			}
			for _, s := range ways[from] {
				if err := a.qp.Modify(s, Attributes{Access: all, LID: b.LID(), QPN: b.qp.Number()}); err != nil {
					t.Fatal(err)
				}
			}
			err := a.qp.Modify(to, Attributes{Access: all, LID: b.LID(), QPN: b.qp.Number()})
			if ok := transitions[from][to]; (err == nil) != ok || !ok && (!errors.Is(err, ErrTransition) || a.qp.State() != from) || ok && a.qp.State() != to {
				t.Errorf("%v to %v: %v, %v", from, to, err, a.qp.State())
			}
		}
		if err := a.qp.Modify(RESET, Attributes{}); err != nil {
			t.Fatal(err)
		}
		for _, s := range ways[from] {
			if err := a.qp.Modify(s, Attributes{Access: all, LID: b.LID(), QPN: b.qp.Number()}); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.rq.Post(1, a.mem[:8], a.key); (err == nil) != does[from].postReceive {
			t.Errorf("%v: receive posted: %v", from, err)
		}
		w := WorkRequest{ID: 2, Op: Write, Local: []byte{1}, Inline: true, Address: b.at(0), Remote: b.key}
		if err := a.qp.PostSend(&w); (err == nil) != does[from].postSend {
			t.Errorf("%v: request posted: %v", from, err)
		}
		var got []Completion
		var c Completion
		for a.cq.Poll(&c) {
			got = append(got, c)
		}
		switch {
		case from == ERR && (len(got) != 2 || got[0].Status != Flushed || got[1].Status != Flushed):
			t.Errorf("ERR: %+v", got)
		case from == RTS && (len(got) != 1 || got[0].Status != Success):
			t.Errorf("RTS: %+v", got)
		case from != ERR && from != RTS && len(got) != 0:
			t.Errorf("%v: %+v", from, got)
		}
		b.post(t, WorkRequest{Op: Write, Local: []byte{1}, Inline: true, Address: a.at(0), Remote: a.key})
		if c := b.done(t); (c.Status == Success) != does[from].receive || c.Status != Success && (c.Status != RetryExceeded || c.Reason != NotReady || b.qp.State() != ERR) {
			t.Errorf("%v: request to it: %+v", from, c)
		}
		if err := b.qp.Modify(RESET, Attributes{}); err != nil {
			t.Fatal(err)
		}
		b.ready(t, a.LID(), a.qp.Number())
	}
}

// TestDrainedQueueGoesOn: requests posted in SQD are carried out in RTS.
func TestDrainedQueueGoesOn(t *testing.T) {
	a, b := pair(t, RC)
	if err := a.qp.Modify(SQD, Attributes{}); err != nil {
		t.Fatal(err)
	}
	for i := range Depth {
		a.post(t, WorkRequest{ID: uint64(i), Op: Write, Local: []byte{byte(i)}, Inline: true, Address: b.at(i), Remote: b.key})
	}
	if err := a.qp.PostSend(&WorkRequest{Op: Write}); err != ErrQueueFull {
		t.Errorf("overrun of the send queue: %v", err)
	}
	a.quiet(t)
	if err := a.qp.Modify(RTS, Attributes{}); err != nil {
		t.Fatal(err)
	}
	for i := range Depth {
		if c := a.done(t); c.ID != uint64(i) || c.Status != Success || b.mem[i] != byte(i) {
			t.Errorf("%d: %+v", i, c)
		}
	}
}

// TestErrorFlushes: a request that fails puts the queue pair into ERR, and later requests and
// receives are flushed; the other side is unchanged.
func TestErrorFlushes(t *testing.T) {
	a, b := pair(t, RC)
	for i := range 3 {
		if err := a.rq.Post(uint64(10+i), a.mem[:8], a.key); err != nil {
			t.Fatal(err)
		}
	}
	for i, k := range []Key{b.key, 0, b.key} {
		if err := a.qp.Queue(&WorkRequest{ID: uint64(i), Op: Write, Local: []byte{7}, Inline: true, Address: b.at(i), Remote: k, Silent: i != 1}); err != nil {
			t.Fatal(err)
		}
	}
	a.qp.Doorbell()
	if c := a.done(t); c.ID != 1 || c.Status != RemoteAccess || c.Reason != NoRegion {
		t.Errorf("%+v", c)
	}
	for _, id := range []uint64{10, 11, 12, 2} {
		if c := a.done(t); c.ID != id || c.Status != Flushed {
			t.Errorf("%d: %+v", id, c)
		}
	}
	if a.qp.State() != ERR || b.qp.State() != RTS || !bytes.Equal(b.mem[:3], []byte{7, 0, 0}) {
		t.Errorf("%v, %v, %v", a.qp.State(), b.qp.State(), b.mem[:3])
	}
	b.quiet(t)
}
