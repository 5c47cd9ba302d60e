package timed

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/network"
	"rhinet/nicemu/vtime"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// pair returns two hosts back to back.
func pair(t testing.TB, o Options, set ...string) *System {
	t.Helper()
	p, err := Parameters("rhinet2")
	must(t, err)
	for _, s := range set {
		must(t, p.Set(s))
	}
	top, err := network.Generate("pair", 0)
	must(t, err)
	sys, err := New(top, p, o)
	must(t, err)
	t.Cleanup(sys.Close)
	return sys
}

// stageTolerance is the allowed difference of a sum, in microseconds: two clocks.
const stageTolerance = 0.03

// TestStageTimes: a remote write of eight bytes reaches its stages at the times of the
// specification (martini, section 12.2): the model is calibrated on these, and on no other results.
func TestStageTimes(t *testing.T) {
	for kind, want := range map[Kind][]float64{
		Push: {0.72, 1.48, 1.49, 1.73, 2.06, 2.48},
		Botf: {0.79, 1.14, 1.15, 1.39, 1.72, 2.14},
		Aotf: {0.39, 0.74, 0.75, 0.99, 1.32, 1.74},
	} {
		w := NewTrace(kind)
		sys := pair(t, Options{Observe: w.Observe})
		x := &Transfer{Kind: kind, To: 1, Bytes: 8}
		for range 2 { // the first fills the TLBs
			w.Begin(sys)
			must(t, sys.Node(0).Post(x))
			must(t, sys.k.Run(100000))
		}
		for i, p := range w.Points(x) {
			if math.Abs(p.Time.Microseconds()-want[i]) > stageTolerance {
				t.Errorf("%v: %s after %.3f us, want %.2f", kind, p.Name, p.Time.Microseconds(), want[i])
			}
		}
	}
}

// TestReadTimes: a remote read passes its points in order.
func TestReadTimes(t *testing.T) {
	w := NewTrace(Pull)
	sys := pair(t, Options{Observe: w.Observe})
	x := &Transfer{Kind: Pull, To: 1, Bytes: 8}
	for range 2 {
		w.Begin(sys)
		must(t, sys.Node(0).Post(x))
		must(t, sys.k.Run(100000))
	}
	last := vtime.Time(0)
	for _, p := range w.Points(x) {
		if p.Time <= last {
			t.Errorf("%s after %v, the point before after %v", p.Name, p.Time, last)
		}
		last = p.Time
	}
}

// cluster returns hosts at one switch.
func cluster(t testing.TB, hosts int, design string, o Options, set ...string) *System {
	t.Helper()
	p, err := Parameters(design)
	must(t, err)
	for _, s := range set {
		must(t, p.Set(s))
	}
	top, err := network.Generate(fmt.Sprintf("one:%d", hosts), 0)
	must(t, err)
	sys, err := New(top, p, o)
	must(t, err)
	t.Cleanup(sys.Close)
	return sys
}

// TestConservation: whatever happens to flits, each packet is delivered exactly once, and nothing
// is in use for more than the whole time.
func TestConservation(t *testing.T) {
	for _, design := range []string{"rhinet2", "rhinet3"} {
		sys := cluster(t, 3, design, Options{Seed: 3}, "link.bit-errors=1e-4")
		const each, bytes = 40, 5000
		got := map[*Transfer]int{}
		for from := range 3 {
			sys.Go(from, func(p *Process) error {
				for i := range each {
					x := &Transfer{To: (from + 1 + i%2) % 3, Bytes: bytes, Ack: true, Watcher: counter(got)}
					if err := p.Post(x); err != nil {
						return err
					}
					p.Await(x, Acked)
				}
				return nil
			})
		}
		must(t, sys.k.Run(10_000_000))
		packets := uint64(3 * each * ((bytes+2047)/2048 + 1))
		if c := sys.net.Counts(); c.Sent != packets || c.Delivered != packets || len(got) != 3*each {
			t.Errorf("%s: %d packets sent, %d delivered, want %d; %d transfers arrived", design, c.Sent, c.Delivered, packets, len(got))
		}
		for x, n := range got {
			if n != 1 {
				t.Fatalf("%s: %+v was delivered %d times", design, x, n)
			}
		}
		wrong := uint64(0)
		for _, w := range sys.net.Wires() {
			wrong += w.Corrected + w.Resent
			if w.Utilisation > 1 {
				t.Errorf("%s: %s is in use for %v of the time", design, w.Name, w.Utilisation)
			}
		}
		if wrong == 0 {
			t.Errorf("%s: no bit was wrong", design)
		}
		for i := range 3 {
			if u := sys.Node(i).Bus().Utilisation(); u <= 0 || u > 1 {
				t.Errorf("%s: PCI of node %d is in use for %v of the time", design, i, u)
			}
		}
	}
}

// A counter counts deliveries.
type counter map[*Transfer]int

func (c counter) Progress(x *Transfer, s Stage) {
	if s == Delivered {
		c[x]++
	}
}

// TestKinds: all kinds of transfers pass their stages; those that must fail do not arrive, and
// nodes send to themselves.
func TestKinds(t *testing.T) {
	sys := cluster(t, 3, "rhinet2", Options{Ring: 128 << 10})
	for _, c := range []struct {
		x         Transfer
		delivered bool
	}{
		{Transfer{Kind: Push, To: 1, Bytes: 9000, Ack: true}, true},
		{Transfer{Kind: Push, To: 0, Bytes: 100}, true},
		{Transfer{Kind: Pull, To: 1, Bytes: 9000}, true},
		{Transfer{Kind: Botf, To: 2, Bytes: 2048}, true},
		{Transfer{Kind: BotfPull, To: 1, Bytes: 64}, true},
		{Transfer{Kind: Aotf, To: 1, Bytes: 8}, true},
		{Transfer{Kind: VPush, To: 2, Bytes: 2048}, true},
		{Transfer{Kind: Unpinned, To: 1, Bytes: 64}, false},
		{Transfer{Kind: Nowhere, To: 1, Bytes: 64}, false},
	} {
		x := c.x
		must(t, sys.Node(0).Post(&x))
		must(t, sys.k.Run(1_000_000))
		if _, ok := x.At(Delivered); ok != c.delivered || x.Err() != nil {
			t.Errorf("%+v: delivered %v, %v", c.x, ok, x.Err())
		}
		if _, ok := x.At(Free); ok != (x.Kind != Aotf) {
			t.Errorf("%+v: contflag %v", c.x, ok)
		}
		if _, ok := x.At(Acked); ok != x.Ack {
			t.Errorf("%+v: acked %v", c.x, ok)
		}
	}
}

func TestRefusals(t *testing.T) {
	sys := cluster(t, 2, "rhinet2", Options{})
	for _, x := range []Transfer{
		{To: 2}, {To: -1}, {To: 1, Bytes: -1}, {To: 1, Bytes: 1 << 20}, {To: 1, Bytes: 8, Offset: 64 << 10}, {To: 1, Window: 1000},
		{Kind: VPush, To: 1, Bytes: 8}, {Kind: Botf, To: 1, Bytes: 4096}, {Kind: Aotf, To: 1, Bytes: 16},
	} {
		if err := sys.Node(0).Post(&x); !errors.Is(err, ErrTransfer) {
			t.Errorf("%+v: %v", x, err)
		}
	}
	a, b := &Transfer{To: 1, Bytes: 4096}, &Transfer{To: 1, Bytes: 8}
	must(t, sys.Node(0).Post(a))
	must(t, sys.Node(0).Post(b)) // before contflag
	must(t, sys.k.Run(100000))
	if !errors.Is(b.Err(), stepped.ErrBusy) || a.Err() != nil {
		t.Errorf("%v, %v", a.Err(), b.Err())
	}
	if _, err := Parameters("x"); err == nil {
		t.Error("a design x")
	}
	p, err := Parameters("rhinet2")
	must(t, err)
	if _, err := New(&network.Topology{Hosts: []string{"alone"}}, p, Options{}); err == nil {
		t.Error("a system of one host")
	}
}

// TestClose: a system that is closed ends its programs.
func TestClose(t *testing.T) {
	sys := pair(t, Options{})
	ended := false
	p := sys.Go(0, func(p *Process) error {
		defer func() { ended = true }()
		p.Until(func() bool { return false })
		return nil
	})
	must(t, sys.k.Run(100))
	if done, _ := p.Ended(); done || ended {
		t.Error("the program has ended by itself")
	}
	sys.Close()
	if !ended {
		t.Error("the program goes on")
	}
}

// TestDiscard: packets that a Switch Interface discards occupy no memory: the sender is never
// blocked.
func TestDiscard(t *testing.T) {
	sys := pair(t, Options{})
	sys.Machine().Discard(1, true)
	const packets = 60
	p := sys.Go(0, func(p *Process) error {
		for range packets {
			x := &Transfer{To: 1, Bytes: stepped.MTU}
			if err := p.Post(x); err != nil {
				return err
			}
			p.Await(x, Free)
		}
		return nil
	})
	must(t, sys.k.Run(1_000_000))
	if done, err := p.Ended(); !done || err != nil || sys.net.Counts().Delivered != packets {
		t.Errorf("ended %v, %v, %+v", done, err, sys.net.Counts())
	}
}
