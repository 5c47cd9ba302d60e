package port

import (
	"bytes"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// lending counts what a port lends and reads at once, and refuses either on demand.
type lending struct {
	ir.Remote
	ir.Lender
	lent, read                 atomic.Int32
	lendsNothing, readsNothing atomic.Bool
	slow                       atomic.Bool // to read
	now                        atomic.Int64
}

var errNot = errors.New("not now")

func (l *lending) Lend(b []byte) (ir.Segment, error) {
	if l.lendsNothing.Load() {
		return 0, errNot
	}
	l.lent.Add(1)
	return l.Lender.Lend(b)
}

func (l *lending) ReadMemory(peer int, s ir.Segment, offset uint64, b []byte) error {
	if l.readsNothing.Load() {
		return errNot
	}
	l.read.Add(1)
	if l.slow.Load() {
		l.now.Add(int64(time.Millisecond))
	}
	return l.Remote.ReadMemory(peer, s, offset, b)
}

// TestLaneOfOffers: long messages go and come by the lane of offers, among short ones and in both directions;
// what the NIC refuses there, and messages that both sides move, take the slow path.
func TestLaneOfOffers(t *testing.T) {
	nics := nictest.Lenders(nictest.LoopbackWith(2, nictest.DefaultCaps(), nictest.Hooks{}))
	var ways [2]*lending
	for i, nic := range nics {
		a := ir.AbilitiesOf(nic)
		ways[i] = &lending{Remote: a.Remote, Lender: a.Lender}
		a.Remote, a.Lender = ways[i], ways[i]
		nics[i] = a.Give(nic)
	}
	ps := openNICs(t, nics)
	for _, p := range ps {
		p.policy = wait.Policy{Yield: time.Hour, Local: true}
	}
	acquaint(t, ps)
	caps := nictest.DefaultCaps()
	const rounds = 20
	for _, c := range []struct {
		name       string
		n          int
		lend, read bool
	}{
		{"offered", caps.Eager + 1, true, true},
		{"the longest that the receiver moves alone", caps.Split - 1, true, true},
		{"split", caps.Split, false, false},
		{"eager", caps.Eager, false, false},
		{"nothing lent", caps.Eager + 1, false, true},
		{"nothing read", caps.Eager + 1, true, false},
	} {
		for _, w := range ways {
			w.lendsNothing.Store(c.name == "nothing lent")
			w.readsNothing.Store(c.name == "nothing read")
			w.lent.Store(0)
			w.read.Store(0)
		}
		both(t, ps, func(p *Port, self int) {
			for i := range rounds {
				p.gate.enter()
				p.shun = 0 // as if no message had taken the slow path
				p.gate.leave()
				if self == i%2 {
					send(t, p, 0, 1-self, i, payload(i, c.n))
					send(t, p, 0, 1-self, i, payload(i, 8))
				} else {
					recv(t, p, 0, 1-self, i, payload(i, c.n))
					recv(t, p, 0, 1-self, i, payload(i, 8))
				}
			}
		})
		lent, read := int(ways[0].lent.Load()+ways[1].lent.Load()), int(ways[0].read.Load()+ways[1].read.Load())
		if (lent == rounds) != c.lend || (lent == 0) == c.lend {
			t.Errorf("%s: %d of %d messages are lent", c.name, lent, rounds)
		}
		if (read > 0) != c.read { // some may come before their receive
			t.Errorf("%s: %d of %d messages are read at once", c.name, read, rounds)
		}
	}
}

// TestSlowReadsAreTold: a receiver that finds that reading is slow has the sender send in packets, until
// reading is fast again.
func TestSlowReadsAreTold(t *testing.T) {
	caps := nictest.DefaultCaps()
	caps.Offered, caps.Eager = 9<<10, 24<<10
	nics := nictest.Lenders(nictest.LoopbackWith(2, caps, nictest.Hooks{}))
	a := ir.AbilitiesOf(nics[1])
	way := &lending{Remote: a.Remote, Lender: a.Lender}
	a.Remote, a.Lender = way, way
	nics[1] = a.Give(nics[1])
	ps := openNICs(t, nics)
	for _, p := range ps {
		p.policy = wait.Policy{Yield: time.Hour, Local: true}
	}
	ps[1].pace.Clock = func() time.Duration { return time.Second + time.Duration(way.now.Load()) }
	acquaint(t, ps)
	// reads sends so many messages, and returns how many of them are read.
	reads := func(messages int) int {
		way.read.Store(0)
		both(t, ps, func(p *Port, self int) {
			for i := range messages {
				p.gate.enter()
				p.shun = 0 // as if no message had taken the slow path
				p.gate.leave()
				if self == 0 {
					send(t, p, 0, 1, i, payload(i, 20<<10))
					recv(t, p, 0, 1, i, payload(i, 8))
				} else {
					recv(t, p, 0, 0, i, payload(i, 20<<10))
					send(t, p, 0, 0, i, payload(i, 8))
				}
			}
		})
		return int(way.read.Load())
	}
	if n := reads(20); n < 15 { // the others the engine pulls
		t.Errorf("%d of 20 messages are read that come quickly", n)
	}
	way.slow.Store(true)
	reads(100) // and one of them is looked at
	if n := reads(200); n == 0 || n > 20 {
		t.Errorf("%d of 200 messages are read that come slowly", n)
	}
	way.slow.Store(false)
	reads(600) // of which at most 511 go in packets before some are read again
	if n := reads(200); n < 150 {
		t.Errorf("%d of 200 messages are read that come quickly again", n)
	}
}

// TestFetchedIsTold: a rank that has read a message and makes no other call leaves no sender waiting,
// although the ring for its answer is full now and then.
func TestFetchedIsTold(t *testing.T) {
	caps := nictest.DefaultCaps()
	ps := openNICs(t, nictest.Lenders(nictest.LoopbackWith(2, caps, nictest.Hooks{})))
	for _, p := range ps {
		p.policy = wait.Policy{Yield: time.Hour, Local: true}
	}
	acquaint(t, ps)
	for i := range 50 { // the ring back, too
		send(t, ps[1], 0, 0, i, payload(i, 8))
		recv(t, ps[0], 0, 1, i, payload(i, 8))
	}
	data, got := payload(1, caps.Eager+1), make([]byte, caps.Eager+1)
	r := &llc.Request{Peer: 1, Tag: 3, Buf: data}
	for i := range 3*caps.Slots + 7 {
		ps[1].gate.enter()
		ps[1].shun = 0 // as if no message had taken the slow path
		ps[1].gate.leave()
		ps[0].Start(r, true)
		if _, err := ps[1].Recv(0, 0, 3, got); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("message %d: %v, or damaged", i, err)
		}
		for end := time.Now().Add(10 * time.Second); !ps[0].Test(r); {
			if time.Now().After(end) {
				t.Fatalf("the sender of message %d does not know that it was read", i)
			}
		}
	}
}
