package ib

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"rhinet/internal/ring"
)

// TestReceiverNotReady: without a receive, or without room for its completion, a message is
// answered by RNR, and nothing is lost.
func TestReceiverNotReady(t *testing.T) {
	a, b := pair(t, RC)
	send := WorkRequest{Op: Send, Local: []byte("hello"), Inline: true}
	again := func() {
		if err := a.qp.Modify(RESET, Attributes{}); err != nil {
			t.Fatal(err)
		}
		a.ready(t, b.LID(), b.qp.Number())
	}
	a.post(t, send)
	if c := a.done(t); c.Status != RNRRetryExceeded || c.Reason != NoReceive || a.qp.State() != ERR {
		t.Errorf("%+v", c)
	}
	again()
	if err := b.rq.Post(1, b.mem[:4], b.key); err != nil {
		t.Fatal(err)
	}
	a.post(t, send)
	if c := a.done(t); c.Status != RemoteInvalidRequest || c.Reason != TooLong || b.rq.Posted() != 1 {
		t.Errorf("%+v, %d posted", c, b.rq.Posted())
	}
	again()
	a.post(t, WorkRequest{Op: Send, Local: []byte("bye"), Inline: true})
	if c := a.done(t); c.Status != Success || b.done(t).Bytes != 3 {
		t.Errorf("%+v", c)
	}
	// As many completions as the queue holds, and one more.
	for n := 0; ; n++ {
		if err := b.rq.Post(uint64(n), b.mem[:8], b.key); err != nil {
			t.Fatal(err)
		}
		a.post(t, send)
		c := a.done(t)
		if n == CQDepth {
			if c.Status != RNRRetryExceeded || b.rq.Posted() != 1 {
				t.Errorf("overrun of the completion queue: %+v, %d posted", c, b.rq.Posted())
			}
			break
		}
		if c.Status != Success {
			t.Fatalf("%d: %+v", n, c)
		}
	}
	for n := range CQDepth {
		if c := b.done(t); c.ID != uint64(n) {
			t.Fatalf("%+v, want %d", c, n)
		}
	}
	b.quiet(t)
	for n := b.rq.Posted(); n < Depth; n++ {
		if err := b.rq.Post(0, b.mem[:8], b.key); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.rq.Post(0, b.mem[:8], b.key); err != ErrQueueFull {
		t.Errorf("overrun of the receive queue: %v", err)
	}
}

// TestFullCompletionQueueHoldsRequests: without room for completions requests wait.
func TestFullCompletionQueueHoldsRequests(t *testing.T) {
	a, b := pair(t, RC)
	put := func() error {
		return a.qp.PostSend(&WorkRequest{Op: Write, Local: []byte{1}, Inline: true, Address: b.at(0), Remote: b.key})
	}
	n := 0
	for ; put() == nil; n++ {
	}
	if n != CQDepth+Depth {
		t.Errorf("%d requests were taken", n)
	}
	for range CQDepth {
		a.done(t)
	}
	a.quiet(t)
	a.qp.Doorbell()
	for range Depth {
		a.done(t)
	}
	a.quiet(t)
}

// TestSharedReceives: a shared receive queue serves several queue pairs, and survives
// the errors of each.
func TestSharedReceives(t *testing.T) {
	hcas := open(t, 3)
	to := newSide(t, hcas[0], RC)
	srq, err := to.CreateReceiveQueue(to.domain, to.cq, true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := srq.Post(uint64(i), to.mem[i*100:][:100], to.key); err != nil {
			t.Fatal(err)
		}
	}
	for i := 1; i < 3; i++ {
		from := newSide(t, hcas[i], RC)
		if to.qp, err = to.CreateQP(QPConfig{Service: RC, Domain: to.domain, Send: to.cq, Receive: srq}); err != nil {
			t.Fatal(err)
		}
		from.ready(t, to.LID(), to.qp.Number())
		to.ready(t, from.LID(), from.qp.Number())
		from.post(t, WorkRequest{Op: Send, Local: []byte{byte(i)}, Inline: true})
		if c := to.done(t); c.ID != uint64(i-1) || c.QPN != to.qp.Number() || to.mem[(i-1)*100] != byte(i) {
			t.Errorf("%+v", c)
		}
		if err := to.qp.Modify(ERR, Attributes{}); err != nil || srq.Posted() != 3-i {
			t.Errorf("%v, %d receives are left", err, srq.Posted())
		}
	}
	to.quiet(t)
}

// TestDatagrams: a datagram for a queue pair with its Q_Key and a receive arrives after the global
// route header of its source; all others are dropped, and the sender does not learn that.
func TestDatagrams(t *testing.T) {
	a, b := pair(t, UD)
	if err := b.rq.Post(1, b.mem[:100], b.key); err != nil {
		t.Fatal(err)
	}
	good := WorkRequest{Op: SendImmediate, Local: []byte("datagram"), Inline: true, LID: b.LID(), QPN: b.qp.Number(), QKey: 77, Immediate: 3}
	for name, spoil := range map[string]func(*WorkRequest){
		"Q_Key":    func(w *WorkRequest) { w.QKey++ },
		"number":   func(w *WorkRequest) { w.QPN ^= 1 << 20 },
		"port":     func(w *WorkRequest) { w.LID = 9 },
		"too long": func(w *WorkRequest) { w.Local = make([]byte, 61) },
		"RC":       func(w *WorkRequest) { w.LID, w.QPN = b.LID(), linkQPN(0) },
	} {
		w := good
		spoil(&w)
		a.post(t, w)
		if c := a.done(t); c.Status != Success || a.qp.State() != RTS {
			t.Errorf("%s: %+v", name, c)
		}
		if b.quiet(t); b.rq.Posted() != 1 {
			t.Fatalf("%s: took the receive", name)
		}
	}
	a.post(t, good)
	c := b.done(t)
	if want := (Completion{ID: 1, Op: Receive, Bytes: 48, QPN: b.qp.Number(), Immediate: 3, HasImm: true, Source: a.LID(), SourceQPN: a.qp.Number()}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	gid := GID{binary.BigEndian.Uint64(b.mem[8:]), binary.BigEndian.Uint64(b.mem[16:])}
	if string(b.mem[40:48]) != "datagram" || gid != a.GID() || gid == b.GID() {
		t.Errorf("%q from %x", b.mem[40:48], gid)
	}
	for _, w := range []WorkRequest{{Op: Write}, {Op: opNone}, {Op: Receive}, {Op: Send, Inline: true, Local: make([]byte, MaxInline+1)}} {
		if err := a.qp.PostSend(&w); err != ErrRequest {
			t.Errorf("%v: %v", w.Op, err)
		}
	}
	a.done(t)
	a.post(t, WorkRequest{Op: Send, Local: a.mem[:MaxDatagram+1], Key: a.key})
	if c := a.done(t); c.Status != LocalLength {
		t.Errorf("beyond the MTU: %+v", c)
	}
}

// TestResolve: a queue pair for datagrams is found by its Q_Key as long as it receives, and a
// closed adapter is recognized.
func TestResolve(t *testing.T) {
	a, b := pair(t, UD)
	lid, n, ok := a.Resolve(b.Rank(), 77)
	if !ok || lid != b.LID() || n != b.qp.Number() {
		t.Errorf("%d, %d, %v", lid, n, ok)
	}
	for rank, key := range map[int]uint32{b.Rank(): 78, -1: 77, 1000: 77, 1 << 16: 77} {
		if _, _, ok := a.Resolve(rank, key); ok {
			t.Errorf("rank %d has a queue pair of %d", rank, key)
		}
	}
	if err := b.qp.Modify(ERR, Attributes{}); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := a.Resolve(b.Rank(), 77); ok {
		t.Error("a queue pair in ERR receives nothing")
	}
	if a.Left(b.Rank()) || a.Left(-1) || a.Left(1000) {
		t.Error("nobody has left")
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if !a.Left(b.Rank()) || a.Left(a.Rank()) {
		t.Error("who has closed its adapter has left")
	}
}

// TestEvents: an armed completion queue rings once for the next completion.
func TestEvents(t *testing.T) {
	a, b := pair(t, RC)
	bell := b.f.Bell(1)
	put := func() bool {
		if err := b.rq.Post(1, b.mem[:8], b.key); err != nil {
			t.Fatal(err)
		}
		bell.Arm()
		a.post(t, WorkRequest{Op: Send, Local: []byte{1}, Inline: true})
		return bell.Disarm()
	}
	if put() || b.cq.Events() != 0 {
		t.Error("rings without being armed")
	}
	b.cq.Arm()
	if !put() || b.cq.Events() != 1 {
		t.Error("does not ring")
	}
	if put() || b.cq.Events() != 1 {
		t.Error("rings twice")
	}
}

// TestStriding: a SEND by verbs goes to the same queue as those of links.
func TestStriding(t *testing.T) {
	h := open(t, 2)
	l, err := h[0].Link(1)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Do(&WorkRequest{Op: Send, Local: []byte("by verbs"), Inline: false, Key: 0}); !errors.Is(err, LocalProtection) {
		t.Errorf("unregistered: %v", err)
	}
	b := []byte("by verbs")
	k, err := h[0].Register(JobDomain, b, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := h[1].Messages()
	var p ring.Packet
	if err := l.Do(&WorkRequest{Op: Send, Local: b, Key: k}); err != nil {
		t.Fatal(err)
	}
	if ok, err := r.Poll(&p); !ok || err != nil || string(p.Data) != "by verbs" || p.Peer != 0 {
		t.Errorf("%v, %v, %q", ok, err, p.Data)
	}
	long := make([]byte, 3000)
	if k, err = h[0].Register(JobDomain, long, 0); err != nil {
		t.Fatal(err)
	}
	if err := l.Do(&WorkRequest{Op: Send, Local: long, Key: k}); !errors.Is(err, RemoteInvalidRequest) || !errors.Is(err, TooLong) {
		t.Errorf("too long: %v", err)
	}
	for err = nil; err == nil; err = l.Do(&WorkRequest{Op: Send, Local: long[:1500], Key: k}) {
	}
	if !errors.Is(err, RNRRetryExceeded) {
		t.Errorf("full: %v", err)
	}
}

// TestTablesAreBounded: a full table is reported, and returned entries can be used again.
func TestTablesAreBounded(t *testing.T) {
	h := open(t, 1)[0]
	d := h.AllocDomain()
	b := make([]byte, 8)
	var keys []Key
	for {
		k, err := h.Register(d, b, 0)
		if err != nil {
			break
		}
		keys = append(keys, k)
	}
	if _, err := h.Register(d, b, 0); err != ErrFull || len(keys) != Regions-firstRegion {
		t.Errorf("%d regions: %v", len(keys), err)
	}
	if err := h.Deregister(keys[5]); err != nil {
		t.Fatal(err)
	}
	if k, err := h.Register(d, b, 0); err != nil || k == keys[5] {
		t.Errorf("%v: %v after %v", err, k, keys[5])
	}
	if err := h.Deregister(keys[5]); err != ErrKey {
		t.Errorf("deregistered twice: %v", err)
	}
	if err := h.Deregister(linkKey(regionRings)); err != ErrKey {
		t.Errorf("deregistered the job's region: %v", err)
	}
	if _, err := h.Register(d, b, RemoteWrite); err != ErrAccess {
		t.Errorf("remote write alone: %v", err)
	}
	cq, err := h.CreateCQ()
	for range CQs - 2 {
		_, again := h.CreateCQ()
		err = errors.Join(err, again)
	}
	if _, full := h.CreateCQ(); err != nil || full != ErrFull {
		t.Errorf("completion queues: %v, %v", err, full)
	}
	rq, err := h.CreateReceiveQueue(d, cq, false)
	for range Queues - 1 {
		_, again := h.CreateReceiveQueue(d, cq, false)
		err = errors.Join(err, again)
	}
	if _, full := h.CreateReceiveQueue(d, cq, false); err != nil || full != ErrFull {
		t.Errorf("receive queues: %v, %v", err, full)
	}
	c := QPConfig{Service: RC, Domain: d, Send: cq, Receive: rq}
	q, err := h.CreateQP(c)
	if _, twice := h.CreateQP(c); err != nil || twice != ErrConfig {
		t.Errorf("a receive queue of two: %v, %v", err, twice)
	}
	n := q.Number()
	q.Destroy()
	if q, err = h.CreateQP(c); err != nil || q.Number() == n {
		t.Errorf("%v: number %x after %x", err, q.Number(), n)
	}
	for c.Receive = nil; err == nil; _, err = h.CreateQP(c) {
	}
	if err != ErrFull {
		t.Error(err)
	}
	for _, bad := range []QPConfig{{Domain: d, Send: cq}, {Service: RC, Send: cq}, {Service: RC, Domain: d}} {
		if _, err := h.CreateQP(bad); err != ErrConfig {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := h.CreateReceiveQueue(d, nil, false); err != ErrConfig {
		t.Error(err)
	}
}

// TestTexts: every status, reason, state and right has a text of its own.
func TestTexts(t *testing.T) {
	seen := map[string]bool{}
	once := func(s string) {
		if s == "" || seen[s] {
			t.Errorf("%q", s)
		}
		seen[s] = true
	}
	for s := range numStatuses + 1 {
		once(s.Error())
	}
	for r := reasonNone + 1; r <= numReasons; r++ {
		once(r.Error())
	}
	for s := range numStates + 1 {
		once(s.String())
	}
	for o := Send; o <= numOps; o++ {
		once(o.String())
	}
	if s := all.String(); s != "local write, remote write, remote read, remote atomic" {
		t.Error(s)
	}
	f := &Failure{Read, 3, RemoteOperation, NoAttach, 9, errors.New("kernel")}
	if s := f.Error(); !strings.Contains(s, "RDMA READ to rank 3: remote operation error: cross-memory attach is not permitted after 9 bytes: kernel") {
		t.Error(s)
	}
}
