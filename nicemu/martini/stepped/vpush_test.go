package stepped

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"rhinet/nicemu/martini"
)

// record makes a VPUSH record: its length, its sender, bytes that depend on
// both.
func record(b []byte, sender, number int) []byte {
	fill(b, byte(sender*50+number))
	binary.LittleEndian.PutUint16(b, uint16(len(b)))
	b[2], b[3] = byte(sender), byte(number)
	return b
}

func ringOf(t *testing.T, w *world, node, size int, o RingOptions) *Ring {
	t.Helper()
	b := pages(size + 1)
	if _, err := w.nics[node].Pin(b); err != nil {
		t.Fatal(err)
	}
	r, err := w.m.NewRing(node, 0, b, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestVPushStoresWhatArrivesInOrder has two senders fill the ring of a third node many times over,
// while the receiver is sometimes late, so that the ring is empty, partly filled and full (martini,
// sections 11.2, 11.3).
func TestVPushStoresWhatArrivesInOrder(t *testing.T) {
	for _, o := range []RingOptions{{}, {Hardware: true}, {Software: true}} {
		w := newWorld(t, 3, 8, Options{TLB: Geometry{4, 1}})
		ring := ringOf(t, w, 2, 2, o)
		rng := rand.New(rand.NewPCG(7, 8))
		var sent, got, full [2]int
		other := 0
		const each = 300
		for step := 0; got[0]+got[1] < 2*each; step++ {
			if step > 4000000 {
				t.Fatalf("%+v: sent %v, received %v", o, sent, got)
			}
			for i := range 2 {
				if win := w.nics[i].Window(0); sent[i] < each && int(win.Contflag()) == sent[i] && rng.IntN(10) == 0 {
					b := record(w.areas[i][:4+rng.IntN(MTU-3)], i, sent[i])
					if _, err := w.m.Push(i, 0, martini.Request{Node: 2, Segment: VPushSegment, Flag: 1}, b); err != nil {
						t.Fatal(err)
					}
					sent[i]++
				}
			}
			// The receiver's firmware has other work too, so that RFend and Replier may both wait
			// for it.
			if win := w.nics[2].Window(1); int(win.Contflag()) == other {
				if _, err := w.m.Request(2, 1, 99, martini.Request{}, 0, 0); err != nil {
					t.Fatal(err)
				}
				other++
			}
			w.m.Step()
			if step/3000%2 == 0 { // the receiver sleeps from time to time
				if !w.m.Idle() && w.m.State(2, RFend) == MISS {
					full[0]++
				}
				continue
			}
			for b := ring.Next(); b != nil; b = ring.Next() {
				size, from, number := int(binary.LittleEndian.Uint16(b)), int(b[2]), b[3]
				if number != byte(got[from]) {
					t.Fatalf("record %d of sender %d, want %d", number, from, got[from])
				}
				if want := record(make([]byte, size), from, got[from]); !bytes.Equal(b[:size], want) {
					t.Fatalf("record %d of sender %d differs", number, from)
				}
				got[from]++
				ring.Release(size)
			}
		}
		w.run()
		if len(w.refused) != other {
			t.Errorf("%d refused, of which %d should be", len(w.refused), other)
		}
		if !o.Hardware && full[0] < 1000 {
			t.Errorf("the ring was hardly ever full: %d", full[0])
		}
		for i := range 2 { // no ack reaches the sender
			if w.nics[i].Window(0).Flag(1) != 0 {
				t.Errorf("%+v: sender %d got an ack", o, i)
			}
		}
	}
}

// TestVPushLimits checks the limits of VPUSH (martini, section 11.4) and its protection: nothing is
// written to the ring of another job or process.
func TestVPushLimits(t *testing.T) {
	for _, o := range []RingOptions{{}, {Hardware: true}, {Software: true}} {
		w := newWorld(t, 3, 2, Options{}, martini.Options{}, martini.Options{}, martini.Options{Job: 0xbad})
		ring := ringOf(t, w, 1, 1, o)
		whole := bytes.Clone(ring.data)
		for _, c := range []struct {
			name string
			by   int
			flag int
			size int
			pid  int
			want martini.Reason
		}{
			{"longer than an MTU", 0, 1, MTU + 1, 1, martini.WrongLength},
			{"without the ack-request flag", 0, 0, 8, 1, martini.SpecialPacket},
			{"another job", 2, 1, 8, 1, martini.WrongJob},
			{"another process", 0, 1, 8, 0, martini.NoSegment},
		} {
			win := w.nics[c.by].Window(3)
			parameters(win, martini.CommandPush, martini.Request{Node: 1, Segment: VPushSegment, Flag: c.flag}, addr(w.areas[c.by]), uint64(c.size))
			win.Store(martini.DWTarget, 1|uint64(c.pid)<<16)
			_, before := w.nics[1].Refused(c.want)
			w.must(w.m.Kick(c.by, 3, martini.DWKick, 1))
			if got := w.last(); got != c.want {
				t.Errorf("%+v, %s: %v", o, c.name, got)
			}
			if _, now := w.nics[1].Refused(c.want); now != before+1 {
				t.Errorf("%s: not counted", c.name)
			}
			if ring.Next() != nil || !bytes.Equal(ring.data, whole) {
				t.Errorf("%s: something arrived", c.name)
			}
		}
		w.must(w.m.Push(0, 0, martini.Request{Node: 1, Segment: VPushSegment, Flag: 1}, record(w.areas[0][:MTU], 0, 0)))
		if b := ring.Next(); len(b) != MTU || !bytes.Equal(b, w.areas[0][:MTU]) {
			t.Errorf("%+v: a whole MTU does not arrive", o)
		}
		ring.Release(MTU)
		// An ordinary PUSH with an ack, and a PULL, at the node that has a ring.
		w.must(w.m.Push(0, 1, martini.Request{Node: 1, Segment: w.seg[1], Flag: 2}, w.areas[0][:64]))
		w.must(w.m.Pull(0, 2, martini.Request{Node: 1, Segment: w.seg[1], Flag: 2}, w.areas[0][64:128]))
		if w.nics[0].Window(1).Flag(2) != 1 || w.nics[0].Window(2).Flag(2) != 1 {
			t.Error("no ack after VPUSH")
		}
	}
}

// TestVPushToPagesThatAreNotPinned checks that PATLB protects the ring's memory too, and that the
// ring can be used afterwards (martini, section 11.3, step 7).
func TestVPushToPagesThatAreNotPinned(t *testing.T) {
	for _, o := range []RingOptions{{}, {Hardware: true}, {Software: true}} {
		w := newWorld(t, 2, 1, Options{})
		b := pages(3)
		ring, err := w.m.NewRing(1, 0, b, o)
		if err != nil {
			t.Fatal(err)
		}
		r := martini.Request{Node: 1, Segment: VPushSegment, Flag: 1}
		w.must(w.m.Push(0, 0, r, w.areas[0][:100]))
		if w.last() != martini.NotPinned || ring.Next() != nil {
			t.Error("a record arrived outside pinned pages")
		}
		if _, err := w.nics[1].Pin(b); err != nil {
			t.Fatal(err)
		}
		w.must(w.m.Push(0, 0, r, w.areas[0][:100]))
		if got := ring.Next(); w.last() != 0 || !bytes.Equal(got, w.areas[0][:100]) {
			t.Errorf("%+v: the ring does not recover: %d bytes", o, len(got))
		}
	}
}

func TestRingsOfImpossibleShape(t *testing.T) {
	w := newWorld(t, 1, 1, Options{})
	must(t, w.boss.Invalidate(0, 3))
	for name, make := range map[string]func() (*Ring, error){
		"not on a page":  func() (*Ring, error) { return w.m.NewRing(0, 0, pages(4)[8:], RingOptions{}) },
		"one page":       func() (*Ring, error) { return w.m.NewRing(0, 0, pages(1), RingOptions{}) },
		"no such node":   func() (*Ring, error) { return w.m.NewRing(1, 0, pages(2), RingOptions{}) },
		"no such window": func() (*Ring, error) { return w.m.NewRing(0, martini.Windows, pages(2), RingOptions{}) },
		"invalid window": func() (*Ring, error) { return w.m.NewRing(0, 3, pages(2), RingOptions{}) },
		"served by two":  func() (*Ring, error) { return w.m.NewRing(0, 0, pages(2), RingOptions{Hardware: true, Software: true}) },
	} {
		if r, err := make(); err == nil || r != nil {
			t.Errorf("%s: no error", name)
		}
	}
}
