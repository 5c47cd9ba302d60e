package stepped

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/nicemu/martini"
)

// attached returns a world whose NICs fall back to its machine, and a record of the transitions of
// the machine's modules from MISS on.
func attached(t *testing.T, ranks int, o Options) (*world, *[]string) {
	var seen []string
	o.Observe = func(e Event) {
		if e.To == MISS && e.From != MISS {
			seen = append(seen, e.Module.String()+" "+e.From.String())
		}
	}
	w := newWorld(t, ranks, 4, o)
	w.m.Attach()
	return w, &seen
}

// TestUsualRequestsStayOnTheFastPath: the machine does not take a step for ordinary requests.
func TestUsualRequestsStayOnTheFastPath(t *testing.T) {
	w, _ := attached(t, 2, Options{})
	if err := w.nics[0].RegisterHeader(0, martini.Header{Node: 1, Segment: w.seg[1]}); err != nil {
		t.Fatal(err)
	}
	win := w.nics[0].Window(0)
	r := martini.Request{Node: 1, Segment: w.seg[1], Flag: 1}
	if err := errors.Join(
		win.Push(r, w.areas[0]), win.Pull(r, w.areas[0][7:9000]), w.nics[0].WriteAOTF(0, 1),
		win.Botf(&martini.Packet{Type: martini.PacketPush, Node: 1, PID: 1, Segment: w.seg[1], Payload: w.areas[0][:100]}),
	); err != nil || w.m.Clock() != 0 || win.Flag(1) != 2 {
		t.Errorf("%v, %d steps", err, w.m.Clock())
	}
}

// TestFirmwareRunsForTheFastPath: each kind of exception is handled by the firmware, and the fast
// path returns the result.
func TestFirmwareRunsForTheFastPath(t *testing.T) {
	w, seen := attached(t, 2, Options{})
	other := pages(1)
	if _, err := w.nics[0].Pin(other); err != nil {
		t.Fatal(err)
	}
	must(t, w.boss.Invalidate(0, 3))
	win := w.nics[0].Window(0)
	r := martini.Request{Node: 1, Segment: w.seg[1], Flag: 1}
	size := uint64(len(w.areas[1]))
	beyond := martini.Request{Node: 1, Segment: w.seg[1], Offset: size - 4}
	packet := func(kind uint8) error {
		return win.Botf(&martini.Packet{Type: kind, Node: 1, PID: 1, Segment: w.seg[1], Local: 64, Payload: other[:8]})
	}
	for _, c := range []struct {
		name string
		do   func() error
		want martini.Reason
		seen []string
	}{
		{"miss", func() error { return win.Push(r, w.areas[0][:100]) }, 0, []string{"Initiator IPA2", "RFend RVA", "RBend IPA2", "RBend IPA2"}},
		{"usual by now", func() error { return win.Push(r, w.areas[0][:100]) }, 0, nil},
		{"another miss, known to PATLB", func() error { return errors.Join(win.Push(r, other), win.Push(r, w.areas[0][:100])) }, 0, []string{"Initiator IPA2"}},
		{"Window of nobody", func() error { return w.nics[0].Window(3).Push(r, w.areas[0][:8]) }, martini.InvalidWindow, []string{"Initiator PGID"}},
		{"source not pinned", func() error { return win.Push(r, make([]byte, 8)) }, martini.NotPinned, []string{"Initiator IPA2"}},
		{"beyond the segment", func() error { return win.Push(beyond, w.areas[0][:8]) }, martini.BeyondSegment, []string{"RFend RVA", "RFend FLIT1"}},
		{"target not pinned", func() error { return packet(martini.PacketAck) }, martini.NotPinned, []string{"RBend IPA2", "RFend FLIT1"}},
		{"unknown packet", func() error { return packet(99) }, martini.SpecialPacket, []string{"RFend FLIT3", "RFend FLIT1"}},
		{"LOCK of no lock", func() error { return win.Lock(0) }, martini.NoLock, []string{"Initiator IDLE"}},
		{"init of a lock", func() error { return win.InitLock(0, 0, w.seg[0], 0) }, 0, []string{"Initiator IDLE"}},
		{"LOCK", func() error { return win.Lock(0) }, 0, []string{"Initiator IDLE", "RFend FLIT3", "RFend RVA"}},
		{"AOTF without header", func() error { return w.nics[0].WriteAOTF(0, 1) }, martini.NoHeader, nil},
	} {
		*seen = nil
		issued, _ := w.nics[0].Refused(c.want)
		cont := win.Contflag()
		err := c.do()
		if c.want == 0 && err != nil || c.want != 0 && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if !slices.Equal(*seen, c.seen) {
			t.Errorf("%s: firmware called for %q, want %q", c.name, *seen, c.seen)
		}
		if now, _ := w.nics[0].Refused(c.want); c.want != 0 && now != issued+1 {
			t.Errorf("%s: counted %d times", c.name, now-issued)
		}
		if done := win.Contflag(); c.name != "Window of nobody" && c.name != "AOTF without header" && done == cont {
			t.Errorf("%s: no contflag", c.name)
		}
		w.last()
	}
	if binary.NativeEndian.Uint64(w.areas[0]) != 1 {
		t.Error("the lock does not come")
	}
	if win.Flag(1) == 0 {
		t.Error("no completion flag")
	}
}

// TestRingsAreOpenedByTheMachine: a packet ring's first translation is a miss in RFend, and the
// firmware refuses invalid ones.
func TestRingsAreOpenedByTheMachine(t *testing.T) {
	w, seen := attached(t, 2, Options{})
	c, err := w.nics[0].Channel(w.nics[0].Window(0), 1, 0)
	if err != nil || !slices.Equal(*seen, []string{"RFend RVA"}) {
		t.Fatalf("%v, firmware called for %q", err, *seen)
	}
	reader := w.nics[1].RingReader(0)
	*seen = nil
	if err := c.Put(0, 0, &[3]uint64{1, 2, 3}, []byte("payload")); err != nil || *seen != nil {
		t.Errorf("%v, firmware called for %q", err, *seen)
	}
	if !reader.Ready() {
		t.Error("nothing arrives")
	}
	must(t, w.boss.Assign(0, 1, 0xbad, 0))
	_, err = w.nics[0].Mailbox(w.nics[0].Window(1), 1)
	if !errors.Is(err, martini.WrongJob) || w.last() != martini.WrongJob || !slices.Equal(*seen, []string{"RFend RVA", "RFend FLIT1"}) {
		t.Errorf("%v, firmware called for %q", err, *seen)
	}
}

// TestFallBackMovesWhatTheFastPathWould: with a machine or without, a request that ends in the
// middle has moved the same number of bytes, and reports it.
func TestFallBackMovesWhatTheFastPathWould(t *testing.T) {
	for _, pull := range []bool{false, true} {
		for _, end := range []int{0, 1} { // the end with a hole
			var moved [2]int
			var contents [2][]byte
			for i := range moved {
				w, _ := attached(t, 2, Options{})
				if i == 1 {
					w.m.Detach()
				}
				if err := w.nics[end].Conceal(w.seg[end]); err != nil {
					t.Fatal(err)
				}
				if _, err := w.nics[end].Pin(w.areas[end][:2*pageBytes]); err != nil {
					t.Fatal(err)
				}
				seg, err := w.nics[1].Register(addr(w.areas[1]), 4*pageBytes)
				if err != nil {
					t.Fatal(err)
				}
				do := w.nics[0].Window(0).Push
				if pull {
					do = w.nics[0].Window(0).Pull
				}
				err = do(martini.Request{Node: 1, Segment: seg, Offset: 1000}, w.areas[0][700:4*pageBytes-1000])
				var r *martini.Refusal
				if !errors.As(err, &r) || r.Reason != martini.NotPinned {
					t.Fatal(err)
				}
				moved[i], contents[i] = r.Moved, bytes.Join(w.areas, nil)
			}
			if moved[0] != moved[1] || moved[0] == 0 || !bytes.Equal(contents[0], contents[1]) {
				t.Errorf("pull %v, hole at node %d: %d bytes with the machine, %d without", pull, end, moved[0], moved[1])
			}
		}
	}
}

// TestStuckFallBack: a suspended module keeps requests from ending; the fast path names it, and
// continues when it is resumed.
func TestStuckFallBack(t *testing.T) {
	w, _ := attached(t, 2, Options{})
	w.m.Handle(1, RFend, RVA, nil)
	win := w.nics[0].Window(0)
	bad := martini.Request{Node: 1, Segment: w.seg[1], Offset: 1 << 20}
	if err := win.Push(bad, w.areas[0][:8]); err == nil || !strings.Contains(err.Error(), "node 1 RFend MISS") {
		t.Error(err)
	}
	if err := w.m.Resume(1, RFend, RVACHK2); err != nil {
		t.Fatal(err)
	}
	w.m.Handle(1, RFend, RVA, defaultHandlers()[exception{RFend, RVA}])
	w.run()
	if err := win.Push(bad, w.areas[0][:8]); !errors.Is(err, martini.BeyondSegment) {
		t.Error(err)
	}
	// A Window that is busy on the machine is refused there.
	if _, err := w.m.Push(0, 1, martini.Request{Node: 1, Segment: w.seg[1]}, w.areas[0][:8]); err != nil {
		t.Fatal(err)
	}
	if err := w.nics[0].Window(1).Push(bad, w.areas[0][:8]); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	for range writeDepth {
		if err := w.m.WriteAOTF(0, 0, 1); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.nics[0].WriteAOTF(0, 1); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	w.run()
	w.m.Handle(0, Initiator, IPA2, nil)
	if err := w.m.Break(1, RBend, CHK1); err != nil {
		t.Fatal(err)
	}
	if err := w.nics[0].RegisterHeader(0, martini.Header{Node: 1, Segment: w.seg[1]}); err != nil {
		t.Fatal(err)
	}
	if err := w.m.WriteAOTF(0, 0, 1); err != nil {
		t.Fatal(err)
	}
	if err := w.nics[0].WriteAOTF(9*pageBytes, 1); err == nil || !strings.Contains(err.Error(), "node 1 RBend MISS") {
		t.Error(err)
	}
}

// TestManyFallBackAtOnce has goroutines send valid and invalid requests, take a lock, and poll for
// it, while one withdraws memory.
func TestManyFallBackAtOnce(t *testing.T) {
	const ranks, rounds = 4, 300
	w, _ := attached(t, ranks, Options{})
	words := make([][]byte, ranks)
	segs := make([]martini.Segment, ranks)
	for i, n := range w.nics { // the same segment everywhere
		words[i] = make([]byte, 64)
		var err error
		if segs[i], err = n.Expose(words[i]); err != nil {
			t.Fatal(err)
		}
		if err := n.Window(0).InitLock(0, 1, segs[0], 0); err != nil || segs[i] != segs[0] {
			t.Fatal(err, segs)
		}
	}
	var counter atomic.Int64
	done := make(chan error)
	for i, n := range w.nics {
		go func() { done <- many(w, n, i, segs[0], words[i], rounds, &counter) }()
	}
	for range w.nics {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if got := counter.Load(); got != ranks*rounds/3 {
		t.Errorf("counted to %d under the lock", got)
	}
}

// many is one goroutine of this test.
func many(w *world, n *martini.NIC, rank int, flag martini.Segment, word []byte, rounds int, counter *atomic.Int64) error {
	rng := rand.New(rand.NewPCG(uint64(rank), 5))
	win := n.Window(1)
	acquired := martini.Word64(word, 0)
	b := make([]byte, 3000)
	seg, err := n.Expose(b)
	if err != nil {
		return err
	}
	for i := range rounds {
		to := (rank + 1 + rng.IntN(3)) % 4
		switch i % 3 {
		case 0:
			atomic.StoreUint64(acquired, 0)
			if err := win.Lock(0); err != nil {
				return err
			}
			for end := time.Now().Add(20 * time.Second); atomic.LoadUint64(acquired) == 0; runtime.Gosched() {
				if time.Now().After(end) {
					return errors.New("the lock never comes")
				}
			}
			counter.Store(counter.Load() + 1)
			if err := win.Unlock(0); err != nil {
				return err
			}
		case 1:
			if err := win.Push(martini.Request{Node: to, Segment: flag, Offset: 60}, b[:8]); !errors.Is(err, martini.BeyondSegment) {
				return err
			}
		default: // a place of its own in another node's memory
			r := martini.Request{Node: to, Segment: w.seg[to], Offset: uint64(rank * pageBytes)}
			if err := errors.Join(win.Push(r, b[:2500]), win.Pull(r, b[:2500])); err != nil {
				return err
			}
			if err := n.Conceal(seg); err != nil {
				return err
			}
			if seg, err = n.Expose(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// TestBuffersThatShareAPage: a page of the process may hold several buffers, each with its own pin.
func TestBuffersThatShareAPage(t *testing.T) {
	w := newWorld(t, 2, 1, Options{})
	both := pages(1)
	var segs [2]martini.Segment
	for i := range segs {
		var err error
		if segs[i], err = w.nics[1].Expose(both[100*i : 100*i+100]); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		for i, s := range segs {
			w.must(w.m.Push(0, 0, martini.Request{Node: 1, Segment: s}, w.areas[0][i:i+100]))
			if why := w.last(); why != 0 || !bytes.Equal(both[100*i:100*i+100], w.areas[0][i:i+100]) {
				t.Errorf("buffer %d: %v", i, why)
			}
		}
	}
}
