package route

import (
	"testing"

	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// farCaps returns the Caps of a network without rings.
func farCaps() ir.Caps {
	c := nictest.DefaultCaps()
	c.Name, c.Rings, c.Words, c.Split, c.SplitUnit, c.Copies = "far", 0, 0, 0, 0, 4
	c.Fragment, c.Eager = ir.MaxShared, 9000
	return c
}

// maps place peers on hosts.
var maps = map[string]func(peer int) int{
	"one host":    func(int) int { return 0 },
	"each alone":  func(peer int) int { return peer },
	"in turn":     func(peer int) int { return peer % 2 },
	"in pairs":    func(peer int) int { return peer / 2 },
	"first alone": func(peer int) int { return min(peer, 1) },
}

// loopbacks composes two loopback networks.
func loopbacks(t testing.TB, peers int, host func(int) int, near, far nictest.Hooks) []ir.Translator {
	inside := nictest.LoopbackWith(peers, nictest.DefaultCaps(), near)
	far.Bells, far.NoFlagArray = inside, true
	between := nictest.LoopbackWith(peers, farCaps(), far)
	hosts, all := make([]int, peers), make([]ir.Translator, peers)
	for i := range hosts {
		hosts[i] = host(i)
	}
	for i := range all {
		var err error
		if all[i], err = New(inside[i], between[i], hosts); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// The suite does not see which way a packet goes.
func TestContract(t *testing.T) {
	for name, host := range maps {
		t.Run(name, func(t *testing.T) {
			nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
				return loopbacks(t, peers, host, nictest.Hooks{}, nictest.Hooks{})
			})
		})
	}
}

// TestFar: a NIC that cannot be the far one is refused.
func TestFar(t *testing.T) {
	inside := nictest.Loopback(1, nictest.DefaultCaps())
	for name, far := range map[string]ir.Translator{
		"with rings":         nictest.Loopback(1, nictest.DefaultCaps())[0],
		"that knows no room": ir.Abilities{}.Give(nictest.Loopback(1, farCaps())[0]),
	} {
		if _, err := New(inside[0], far, []int{0}); err != ErrFar {
			t.Errorf("a NIC %s: %v", name, err)
		}
	}
}

// TestNear: a near NIC frees a packet when the next one may come from the other side.
func TestNear(t *testing.T) {
	inside := nictest.Loopback(1, nictest.DefaultCaps())
	between := nictest.LoopbackWith(1, farCaps(), nictest.Hooks{Bells: inside, NoFlagArray: true})
	if _, err := New(ir.Abilities{}.Give(inside[0]), between[0], []int{0}); err != ErrNear {
		t.Error(err)
	}
	if _, err := New(ir.Abilities{Aimer: new(aim)}.Give(inside[0]), between[0], []int{0}); err != nil {
		t.Error(err)
	}
}

// shared posts a packet at one peer for another.
func shared(from, to ir.Translator, kind uint8) {
	from.Post(&ir.Command{Op: ir.Shared, Peer: int32(to.Self()), Header: ir.Header{Kind: kind}, Token: uint64(kind)})
}

// TestFairness: an endless flood on one side does not keep the other one waiting.
func TestFairness(t *testing.T) {
	for _, flood := range []int{1, 2} { // on this host, and on another one
		ts := loopbacks(t, 3, maps["in pairs"], nictest.Hooks{}, nictest.Hooks{})
		var ev ir.Event
		shared(ts[3-flood], ts[0], 7)
		ts[3-flood].Poll(&ev)
		for polls := 0; ; polls++ {
			shared(ts[flood], ts[0], 9)
			ts[flood].Poll(&ev)
			if !ts[0].Poll(&ev) {
				t.Fatal("a packet does not come")
			}
			if int(ev.Peer) != flood {
				break
			}
			if polls > 4*farTurns {
				t.Fatalf("peer %d is not heard besides peer %d", 3-flood, flood)
			}
		}
	}
}

// TestGlance: whether a packet has arrived can be said of peers on this host.
func TestGlance(t *testing.T) {
	inside := nictest.Loopback(2, nictest.DefaultCaps())
	between := nictest.LoopbackWith(2, farCaps(), nictest.Hooks{Bells: inside, NoFlagArray: true})
	can := ir.AbilitiesOf(inside[0])
	can.Aimer = new(aim)
	tr, err := New(can.Give(inside[0]), between[0], []int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	for peer, want := range []bool{true, false, true} { // 2: no such peer
		tr.Hint(peer)
		if there := ir.AbilitiesOf(tr).Aimer.Glance(1); there != want {
			t.Errorf("hint at %d: there: %v", peer, there)
		}
	}
}

type aim struct{}

func (a *aim) Glance(int) bool { return true }
func (a *aim) Expect(int) bool { return false }

// fakeDetector is a FailureDetector that has news.
type fakeDetector struct{ asked, marked int }

func (g *fakeDetector) MarkFailed(int)       { g.marked++ }
func (g *fakeDetector) DetectFailures() bool { g.asked++; return g.asked == 1 }

// TestFailureDetectors: both sides look for peers that have ended, and one reports them.
func TestFailureDetectors(t *testing.T) {
	inside := nictest.Loopback(1, nictest.DefaultCaps())
	between := nictest.LoopbackWith(1, farCaps(), nictest.Hooks{Bells: inside, NoFlagArray: true})
	for _, both := range []bool{true, false} {
		near, far := new(fakeDetector), new(fakeDetector)
		n, f := ir.AbilitiesOf(inside[0]), ir.AbilitiesOf(between[0])
		if n.FailureDetector = near; both {
			f.FailureDetector = far
		}
		tr, err := New(n.Give(inside[0]), f.Give(between[0]), []int{0})
		if err != nil {
			t.Fatal(err)
		}
		m := ir.AbilitiesOf(tr).FailureDetector
		if !both {
			if m != nil {
				t.Error("one side alone tells of ends")
			}
			continue
		}
		if first, second := m.DetectFailures(), m.DetectFailures(); !first || second || near.asked != 2 || far.asked != 2 {
			t.Errorf("%v, %v; asked %d and %d times", first, second, near.asked, far.asked)
		}
		if m.MarkFailed(0); near.marked+far.marked != 1 {
			t.Errorf("marked %d times", near.marked+far.marked)
		}
	}
}
