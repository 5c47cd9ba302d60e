package datagram

import (
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/llc/endpoint"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/nicemu/fabric"
)

// A net is a network of datagrams within a test. All peers and their firmware use it.
type net struct {
	mu    sync.Mutex
	boxes []box // by peer
	lose  int   // so many of the next datagrams are lost
	left  []bool
	rings []func() // doorbells of the peers that are armed
}

// A box has room for 64 datagrams; further ones are lost.
type box struct {
	mail [64]mail
	put  int
	got  int
}

type mail struct {
	from int
	room [MaxDatagram]byte
	b    []byte
}

func (b *box) add(from int, d []byte) {
	if b.put-b.got == len(b.mail) {
		return
	}
	m := &b.mail[b.put%len(b.mail)]
	m.from, m.b = from, m.room[:copy(m.room[:], d)]
	b.put++
}

// next returns the oldest datagram. It stays as long as there is room for those behind it.
func (b *box) next() (*mail, bool) {
	if b.got == b.put {
		return nil, false
	}
	b.got++
	return &b.mail[(b.got-1)%len(b.mail)], true
}

// A socket is one peer's service.
type socket struct {
	*net
	self  int
	ring  func()
	given []byte
}

func (s *socket) Send(peer int, b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lose > 0 {
		s.lose--
		return
	}
	if !s.left[peer] {
		s.boxes[peer].add(s.self, b)
	}
	if ring := s.rings[peer]; ring != nil {
		s.rings[peer] = nil
		ring()
	}
}

func (s *socket) Receive() (int, []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, ok := s.boxes[s.self].next()
	if !ok {
		return -1, nil
	}
	s.given = append(s.given[:0], m.b...)
	return m.from, s.given
}

func (s *socket) Release() {}

func (s *socket) Arm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rings[s.self] = s.ring
}

func (s *socket) Left(peer int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left[peer]
}

func (s *socket) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left[s.self] = true
	return nil
}

func open(t testing.TB, peers int, f Faults) (*net, []*Translator) {
	t.Helper()
	memory, err := fabric.Heap(peers, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	n := &net{boxes: make([]box, peers), left: make([]bool, peers), rings: make([]func(), peers)}
	ts := make([]*Translator, peers)
	for i := range ts {
		if err := memory.Enter(i); err != nil {
			t.Fatal(err)
		}
		bell := *memory.Bell(i)
		ts[i] = Open(endpoint.New(memory, i, errors.New("dead")), "test", &socket{net: n, self: i, ring: bell.Ring, given: make([]byte, 0, MaxDatagram)}, f)
	}
	return n, ts
}

func TestContract(t *testing.T) {
	for _, level := range Levels() {
		f, err := Level(level)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(level, func(t *testing.T) {
			nictest.Run(t, func(t testing.TB, peers int) (all []ir.Translator) {
				_, ts := open(t, peers, f)
				for _, tr := range ts {
					all = append(all, tr)
				}
				return all
			})
		})
	}
}

func TestLevels(t *testing.T) {
	if f, err := Level(""); err != nil || f != (Faults{}) {
		t.Errorf("%+v, %v", f, err)
	}
	if _, err := Level("most"); err == nil || !strings.Contains(err.Error(), `no faults "most"; there is [none some many]`) {
		t.Error(err)
	}
}

// TestFaultsBefall: each fault hits about its share of the datagrams, and the same ones each time.
func TestFaultsBefall(t *testing.T) {
	const all = 10000
	count := func(f Faults) (came, damaged, late, doubled int) {
		n := &net{boxes: make([]box, 2), left: make([]bool, 2), rings: make([]func(), 2)}
		w := newFaulty(&socket{net: n}, f, 0, 2)
		last := -1
		for i := range all {
			hi, lo := byte(i>>8), byte(i)
			w.Send(1, []byte{hi, lo, ^hi, ^lo})
			for m, ok := n.boxes[1].next(); ok; m, ok = n.boxes[1].next() {
				came++
				switch number := int(m.b[0])<<8 | int(m.b[1]); {
				case m.b[0] != ^m.b[2] || m.b[1] != ^m.b[3]:
					damaged++
				case number == last:
					doubled++
				case number < last:
					late++
				default:
					last = number
				}
			}
		}
		return came, damaged, late, doubled
	}
	near := func(what string, got, want int) {
		t.Helper()
		if got < want*8/10 || got > want*12/10 {
			t.Errorf("%s: %d of %d, want about %d", what, got, all, want)
		}
	}
	came, _, _, _ := count(Faults{Lost: 10})
	near("lost", all-came, 1000)
	_, _, late, _ := count(Faults{Late: 10})
	near("late", late, 1000)
	came, _, _, doubled := count(Faults{Doubled: 10})
	if near("doubled", doubled, 1000); came != all+doubled {
		t.Errorf("%d came, %d doubled", came, doubled)
	}
	_, damaged, _, _ := count(Faults{Damaged: 10})
	near("damaged", damaged, 1000)
	many, _ := Level("many")
	if a, b, c, d := count(many); a == all {
		t.Error("nothing befalls")
	} else if e, f, g, h := count(many); [4]int{a, b, c, d} != [4]int{e, f, g, h} {
		t.Error("other faults the second time")
	}
}

// post sends packet i from a peer to another.
func post(tr *Translator, to, i int) {
	tr.Post(&ir.Command{Op: ir.Shared, Peer: int32(to), Header: ir.Header{Kind: 1, Word: uint64(i)}, Data: []byte("packet"), Token: 1})
}

// until polls a translator until it has an event.
func until(t *testing.T, tr *Translator) (ev ir.Event) {
	t.Helper()
	for start := time.Now(); !tr.Poll(&ev); {
		if time.Since(start) > 20*time.Second {
			t.Fatal("nothing comes")
		}
	}
	return ev
}

// TestFirmwareSendsAgain: the rank whose packet was lost computes, and the receiver sleeps.
func TestFirmwareSendsAgain(t *testing.T) {
	n, ts := open(t, 2, Faults{})
	n.lose = 3
	post(ts[0], 1, 7)
	var ev ir.Event
	for start := time.Now(); !ts[1].Poll(&ev); {
		if time.Since(start) > 20*time.Second {
			t.Fatal("nothing comes")
		}
		if ts[1].Arm(); !ts[1].Poll(&ev) {
			ts[1].Sleep(10 * time.Second)
			ts[1].Disarm()
			continue
		}
		ts[1].Disarm()
		break
	}
	if ev.Kind != ir.Arrived || ev.Header.Word != 7 || string(ev.Data) != "packet" {
		t.Errorf("%+v", ev)
	}
	closeAll(t, ts)
}

// TestFirmwareAcknowledges: the rank that has received now and then computes, and its acknowledgement is
// lost.
func TestFirmwareAcknowledges(t *testing.T) {
	n, ts := open(t, 2, Faults{})
	for range 80 {
		post(ts[0], 1, 7)
		until(t, ts[1])
		time.Sleep(2 * shortTick)
	}
	post(ts[0], 1, 7)
	until(t, ts[1])
	n.mu.Lock()
	n.lose = 4
	n.mu.Unlock()
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		ts[0].mu.Lock()
		left := ts[0].unacknowledged()
		ts[0].mu.Unlock()
		if left == 0 {
			break
		}
		if time.Since(start) > 20*time.Second {
			t.Fatal("nobody acknowledges")
		}
	}
	closeAll(t, ts)
}

func closeAll(t *testing.T, ts []*Translator) {
	t.Helper()
	for _, tr := range ts {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestClose: a rank leaves when all it sent has come, and returns an error if acknowledgements stop.
func TestClose(t *testing.T) {
	n, ts := open(t, 2, Faults{})
	n.lose = 2
	post(ts[0], 1, 1)
	stopped := make(chan struct{})
	go func() { // in a network without firmware: rank 1 polls
		defer close(stopped)
		var ev ir.Event
		for !ts[1].Poll(&ev) {
		}
	}()
	if err := ts[0].Close(); err != nil {
		t.Error(err)
	}
	<-stopped
	post(ts[1], 0, 1) // to a peer that has left: it is lost
	if err := ts[1].Close(); err != nil {
		t.Error(err)
	}

	n, ts = open(t, 2, Faults{})
	n.lose, ts[0].linger = 1<<30, 50*time.Millisecond
	post(ts[0], 1, 1)
	if err := ts[0].Close(); !errors.Is(err, ErrUnacknowledged) {
		t.Errorf("nobody has it, and Close says %v", err)
	}
	_ = ts[1].Close()
}

// TestLastWord: what a peer that has ended does not acknowledge counts as arrived after a while, each time anew.
func TestLastWord(t *testing.T) {
	n, ts := open(t, 2, Faults{})
	var later atomic.Int64
	ts[0].now = func() int64 { return int64(time.Since(epoch)) + later.Load() }
	n.mu.Lock()
	n.lose = 1 << 30
	n.mu.Unlock()
	for round := range 2 {
		post(ts[0], 1, round+1)
		if ts[0].Settled() {
			t.Errorf("round %d: settled at once", round)
		}
		if later.Add(int64(2 * lastWord)); !ts[0].Settled() {
			t.Errorf("round %d: not settled after %v", round, 2*lastWord)
		}
	}
	for _, tr := range []*Translator{ts[1], ts[0]} { // to a peer that has left nothing is owed
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSettled: a packet that is lost again and again has not arrived.
func TestSettled(t *testing.T) {
	n, ts := open(t, 2, Faults{})
	if !ts[0].Settled() {
		t.Error("nothing was sent, and it has not arrived")
	}
	n.lose = 1 << 30
	post(ts[0], 1, 1)
	if ts[0].Settled() {
		t.Error("a lost packet counts as arrived")
	}
	n.mu.Lock()
	n.lose = 0
	n.mu.Unlock()
	until(t, ts[1])
	var ev ir.Event
	for start := time.Now(); !ts[0].Settled(); ts[0].Poll(&ev) {
		if time.Since(start) > 20*time.Second {
			t.Fatal("it has come, and that is not known")
		}
	}
	closeAll(t, ts)
}

// TestLeftHaveNothingToAcknowledge: packets to a peer that has left are dropped without any deadline.
func TestLeftHaveNothingToAcknowledge(t *testing.T) {
	_, ts := open(t, 2, Faults{})
	ts[1].firmware.awake = true // it is not started, and looks at no deadline
	post(ts[1], 0, 1)
	if n := ts[1].unacknowledged(); n != 1 {
		t.Errorf("%d packets are unacknowledged", n)
	}
	if err := ts[0].Close(); err != nil {
		t.Error(err)
	}
	if n := ts[1].unacknowledged(); n != 0 {
		t.Errorf("a peer that has left still has %d packets to acknowledge", n)
	}
	if err := ts[1].Close(); err != nil {
		t.Error(err)
	}
}

// TestStrangers: datagrams of no rank are dropped, and a packet that no translator sends ends its sender.
func TestStrangers(t *testing.T) {
	n, ts := open(t, 3, Faults{})
	rng := rand.New(rand.NewPCG(5, 6))
	var ev ir.Event
	for range 200 {
		b := make([]byte, rng.IntN(MaxDatagram))
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		n.boxes[0].add(rng.IntN(6)-2, b)
		if ts[0].Poll(&ev) {
			t.Errorf("%+v", ev)
		}
	}
	l := ts[1].link(0)
	l.Slot()
	l.Send(endpoint.MessageBytes - 1)
	ts[1].pump(0, 0, false)
	post(ts[1], 0, 1)
	if ev = until(t, ts[0]); ev.Kind != ir.Failed || ev.Peer != 1 || ev.Token != 0 || !errors.Is(ev.Err, ir.ErrPeerGone) {
		t.Errorf("%+v", ev)
	}
	post(ts[0], 1, 1)
	if ts[0].links[1].Unacknowledged() != 0 {
		t.Error("sent to a peer that has ended")
	}
	post(ts[2], 0, 5)
	if ev = until(t, ts[0]); ev.Kind != ir.Arrived || ev.Peer != 2 || ev.Header.Word != 5 {
		t.Errorf("%+v", ev)
	}
	closeAll(t, ts)
}

// TestFailedPeer: nothing is retransmitted to a peer that has failed.
func TestFailedPeer(t *testing.T) {
	n, ts := open(t, 2, Faults{})
	n.lose = 1 << 30
	post(ts[0], 1, 1)
	if ts[0].MarkFailed(1); !ts[0].DetectFailures() || ts[0].DetectFailures() {
		t.Error("peers that failed are reported once")
	}
	if ev := until(t, ts[0]); ev.Kind != ir.Failed || ev.Peer != 1 || !errors.Is(ev.Err, ir.ErrPeerGone) {
		t.Errorf("%+v", ev)
	}
	if ts[0].links[1].Unacknowledged() != 0 {
		t.Error("something is sent again")
	}
	closeAll(t, ts)
}
