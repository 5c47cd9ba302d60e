package ib

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"rhinet/nicemu/fabric"
)

// An implementation is both: the adapters of two ranks and the reference implementation.
type implementation struct {
	t    *testing.T
	rng  *rand.Rand
	log  []string
	hcas []*HCA
	ref  reference

	keys [2][]Key // valid or not
	mems [2][][]byte
	dom  [2][2]Domain
	cqs  [2][]*CQ
	rcqs [2][]*refCQ
	rqs  [2][]*ReceiveQueue
	rrqs [2][]*refQueue
	qps  []*QP
	seen map[Reason]int // counts of results
}

func newImplementation(t *testing.T, seed uint64) *implementation {
	x := &implementation{t: t, rng: rand.New(rand.NewPCG(seed, 3)), hcas: open(t, 2), ref: reference{regions: map[Key]*refRegion{}}}
	for r, h := range x.hcas {
		x.dom[r] = [2]Domain{h.AllocDomain(), h.AllocDomain()}
		for range 2 {
			c, err := h.CreateCQ()
			if err != nil {
				t.Fatal(err)
			}
			x.cqs[r], x.rcqs[r] = append(x.cqs[r], c), append(x.rcqs[r], new(refCQ))
		}
		for range 4 {
			x.register(r)
		}
		for i := range 6 { // three of RC with two domains, one shared queue, two of UD
			d, c := x.dom[r][i%5/3], i%2
			s := RC
			if i > 3 {
				s = UD
			}
			var q *ReceiveQueue
			rq := &refQueue{domain: d, cq: x.rcqs[r][1-c]}
			shared := i == 1 || i == 2
			if i == 2 {
				q, rq = x.rqs[r][1], x.rrqs[r][1]
			} else {
				var err error
				if q, err = h.CreateReceiveQueue(d, x.cqs[r][1-c], shared); err != nil {
					t.Fatal(err)
				}
			}
			qp, err := h.CreateQP(QPConfig{Service: s, Domain: d, Send: x.cqs[r][c], Receive: q})
			if err != nil {
				t.Fatal(err)
			}
			x.rqs[r], x.rrqs[r] = append(x.rqs[r], q), append(x.rrqs[r], rq)
			x.qps = append(x.qps, qp)
			x.ref.qps = append(x.ref.qps, &refQP{owner: r, service: s, domain: d, number: qp.Number(), cq: x.rcqs[r][c], queue: rq, shared: shared})
		}
	}
	for i := range x.qps {
		x.connect(i, 3)
	}
	return x
}

// partner returns the queue pair to which another one is connected most of the time.
func (x *implementation) partner(i int) int { return (i + len(x.qps)/2) % len(x.qps) }

// connect moves a queue pair forward by so many states.
func (x *implementation) connect(i, states int) {
	x.modify(i, RESET)
	for _, s := range []State{INIT, RTR, RTS}[:states] {
		x.modify(i, s)
	}
}

func (x *implementation) note(format string, args ...any) {
	x.log = append(x.log, fmt.Sprintf(format, args...))
}

func (x *implementation) register(r int) {
	mem := aligned(256)
	for i := range mem {
		mem[i] = byte(x.rng.Uint32())
	}
	d, a := x.dom[r][x.rng.IntN(2)], all
	switch x.rng.IntN(4) {
	case 0:
		a &^= Access(1 << x.rng.IntN(4))
	case 1:
		a |= ZeroBased
	}
	k, err := x.hcas[r].Register(d, mem, a)
	if wrong := a&(RemoteWrite|RemoteAtomic) != 0 && a&LocalWrite == 0; (err != nil) != wrong {
		x.t.Fatalf("register %v: %v", a, err)
	}
	if err != nil {
		return
	}
	x.note("rank %d registers %x: domain %x, %v", r, k, d, a)
	region := &refRegion{owner: r, domain: d, access: a, mem: bytes.Clone(mem), base: fabric.Address(mem), own: fabric.Address(mem)}
	if a&ZeroBased != 0 {
		region.base = 0
	}
	x.ref.regions[refKey(r, k)] = region
	x.keys[r], x.mems[r] = append(x.keys[r], k), append(x.mems[r], mem)
}

func (x *implementation) deregister(r int) {
	if len(x.keys[r]) < 6 {
		return
	}
	k := x.keys[r][x.rng.IntN(len(x.keys[r]))]
	region := x.ref.regions[refKey(r, k)]
	x.note("rank %d deregisters %x", r, k)
	if err := x.hcas[r].Deregister(k); (err == nil) == region.gone {
		x.t.Fatalf("deregister: %v", err)
	}
	region.gone = true
}

func (x *implementation) modify(i int, to State) {
	q, m := x.qps[i], x.ref.qps[i]
	a := Attributes{Access: RemoteWrite | RemoteRead | RemoteAtomic, QKey: 7, LID: LID(x.ref.qps[x.partner(i)].owner + 1), QPN: x.qps[x.partner(i)].Number()}
	switch x.rng.IntN(12) {
	case 0:
		a.Access &^= Access(2 << x.rng.IntN(3))
	case 1:
		a.QPN = x.qps[x.rng.IntN(len(x.qps))].Number()
	case 2:
		a.QKey = 8
	}
	x.note("queue pair %d from %v to %v: %+v", i, m.state, to, a)
	err := q.Modify(to, a)
	if ok := transitions[m.state][to]; (err == nil) != ok {
		x.t.Fatalf("%v", err)
	}
	if err != nil {
		return
	}
	gid := x.hcas[m.owner].GID()
	switch to {
	case RESET:
		m.work = nil
		if !m.shared {
			m.queue.receives = nil
		}
	case INIT:
		m.access, m.qkey = a.Access, a.QKey
	case RTR:
		if m.service == RC {
			m.lid, m.peer = a.LID, a.QPN
		}
	case ERR:
		m.state = SQD
		x.ref.fail(m, gid)
	}
	if m.state = to; to == RTS {
		x.ref.run(m, gid)
	}
}

// piece returns a part of some memory of a rank, with some key.
func (x *implementation) piece(r int) (b []byte, k Key) {
	i := x.rng.IntN(len(x.keys[r]))
	at, n := x.rng.IntN(30)*8, x.rng.IntN(20)
	if x.rng.IntN(3) == 0 {
		n = 8
	}
	if k = x.keys[r][i]; x.rng.IntN(12) == 0 {
		k = x.keys[r][x.rng.IntN(len(x.keys[r]))]
	}
	return x.mems[r][i][at:min(at+n, 256)], k
}

func (x *implementation) postReceive(i int) {
	m := x.ref.qps[i]
	j := i % (len(x.qps) / 2)
	q, rq := x.rqs[m.owner][j], x.rrqs[m.owner][j]
	b, k := x.piece(m.owner)
	if x.rng.IntN(2) == 0 && m.service == UD {
		b = x.mems[m.owner][0][:100]
		k = x.keys[m.owner][0]
	}
	id := x.rng.Uint64()
	err := q.Post(id, b, k)
	x.note("receive %x of %d bytes for queue pair %d, key %x: %v", id, len(b), i, k, err)
	r := x.ref.regions[refKey(m.owner, k)]
	at := fabric.Address(b)
	ok := !r.gone && r.domain == rq.domain && r.access&LocalWrite != 0 && at >= r.own && at+uint64(len(b)) <= r.own+uint64(len(r.mem)) &&
		len(rq.receives) < Depth && (m.shared || m.state != RESET)
	if (err == nil) != ok {
		x.t.Fatalf("receive: %v, the reference takes it: %v", err, ok)
	}
	if !ok {
		return
	}
	rq.receives = append(rq.receives, refReceive{id, r, int(at - r.own), len(b)})
	if !m.shared && m.state == ERR {
		m.flush()
	}
}

func (x *implementation) postSend(i int) {
	m := x.ref.qps[i]
	there := x.ref.qps[x.partner(i)].owner
	w := WorkRequest{
		ID: x.rng.Uint64(), Op: Send + Opcode(x.rng.IntN(int(Receive-Send))), Silent: x.rng.IntN(4) == 0, Immediate: x.rng.Uint32(),
		Compare: uint64(x.rng.IntN(2)), Swap: uint64(x.rng.IntN(2)),
		LID: LID(there + 1), QPN: x.qps[x.partner(i)].Number(), QKey: 7 + uint32(x.rng.IntN(8)/7),
	}
	w.Local, w.Key = x.piece(m.owner)
	if x.rng.IntN(4) == 0 && !operations[w.Op].reads {
		w.Inline, w.Local = true, bytes.Clone(w.Local)
	}
	j := x.rng.IntN(len(x.keys[there]))
	w.Remote = x.keys[there][j]
	w.Address = x.ref.regions[refKey(there, w.Remote)].base + uint64(x.rng.IntN(32)*8)
	switch x.rng.IntN(16) {
	case 0:
		w.Address += uint64(x.rng.IntN(256)) - 128
	case 1:
		w.Remote += Key(x.rng.IntN(3)) << indexBits
	case 2:
		w.Remote = 1<<indexBits | 1500
	}
	if operations[w.Op].atomic && x.rng.IntN(8) != 0 {
		w.Local = w.Local[:min(8, len(w.Local))]
		w.Address += uint64(4 * (x.rng.IntN(4) / 3))
	}
	err := x.qps[i].PostSend(&w)
	x.note("queue pair %d in %v: %v, %d bytes, key %x; %x at %x: %v", i, m.state, w.Op, len(w.Local), w.Key, w.Remote, w.Address, err)
	var want error
	switch {
	case m.state != RTS && m.state != SQD && m.state != ERR:
		want = ErrState
	case len(m.work) >= Depth:
		want = ErrQueueFull
	case m.service == UD && !operations[w.Op].datagram:
		want = ErrRequest
	}
	if err != want {
		x.t.Fatalf("post: %v, want %v", err, want)
	}
	if err != nil {
		return
	}
	if w.Inline {
		w.size = copy(w.copied[:], w.Local)
	}
	m.work = append(m.work, w)
	x.ref.run(m, x.hcas[m.owner].GID())
}

// compare compares completions, states and memory.
func (x *implementation) compare() {
	for r := range x.cqs {
		for i, c := range x.cqs[r] {
			var got Completion
			for _, want := range x.rcqs[r][i].list {
				x.seen[want.Reason]++
				if !c.Poll(&got) || got != want {
					x.t.Fatalf("rank %d, completion queue %d:\n%+v\n%+v in the reference", r, i, got, want)
				}
			}
			if c.Poll(&got) {
				x.t.Fatalf("rank %d, completion queue %d: %+v too many", r, i, got)
			}
			x.rcqs[r][i].list = nil
		}
		for i, k := range x.keys[r] {
			if want := x.ref.regions[refKey(r, k)].mem; !bytes.Equal(x.mems[r][i], want) {
				x.t.Fatalf("rank %d, region %x:\n%x\n%x in the reference", r, k, x.mems[r][i], want)
			}
		}
		for i, q := range x.rqs[r] {
			if got, want := q.Posted(), len(x.rrqs[r][i].receives); got != want {
				x.t.Fatalf("rank %d, receive queue %d: %d receives, %d in the reference", r, i, got, want)
			}
		}
	}
	for i, q := range x.qps {
		if q.State() != x.ref.qps[i].state {
			x.t.Fatalf("queue pair %d: %v, %v in the reference", i, q.State(), x.ref.qps[i].state)
		}
	}
}

// TestReference: adapters and reference implementation do the same, for any operations in any
// order.
func TestReference(t *testing.T) {
	seen := map[Reason]int{}
	for seed := range uint64(60) {
		x := newImplementation(t, seed)
		x.seen = seen
		for range 400 {
			i := x.rng.IntN(len(x.qps))
			switch n := x.rng.IntN(40); {
			case n < 20:
				x.postSend(i)
			case n < 32:
				x.postReceive(i)
			case n == 32:
				x.modify(i, State(x.rng.IntN(int(numStates))))
			case n == 33:
				x.register(i % 2)
			case n == 34:
				x.deregister(i % 2)
			default:
				if x.ref.qps[i].state != RTS {
					x.connect(i, 3)
				}
			}
			x.check(seed)
		}
	}
	for _, r := range []Reason{0, NoQP, OtherPeer, NotReady, NoRegion, Stale, WrongDomain, NoRight, BeyondRegion, Misaligned, NoReceive, TooLong, InError} {
		if seen[r] < 5 {
			t.Errorf("%d requests ended so: %v", seen[r], r)
		}
	}
}

// check compares, and shows the history if the two differ.
func (x *implementation) check(seed uint64) {
	defer func() {
		if x.t.Failed() {
			x.t.Logf("seed %d:", seed)
			for _, l := range x.log[max(0, len(x.log)-12):] {
				x.t.Log(l)
			}
		}
	}()
	x.compare()
}
