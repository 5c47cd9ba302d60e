package nictest

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"rhinet/internal/ring"
	"rhinet/llc/ir"
)

// TestRingsAreThoseOfTheIR: translators put the engine's packets into rings that do not know the IR, so both
// must compute the same positions.
func TestRingsAreThoseOfTheIR(t *testing.T) {
	if ir.LineBytes != ring.LineBytes || ir.HeaderBytes != ring.HeadBytes || ir.Inline != ring.Inline || ir.Short != ring.Short || ir.SlotBytes != ring.SlotBytes || ir.MaxShared > ring.MaxShared {
		t.Error("sizes differ")
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 20000 {
		size := uint64(64) << rng.IntN(18) // from too small to large
		pos, n := rng.Uint64N(1<<40)&^(ir.LineBytes-1), rng.IntN(int(size)+1)
		if i%2 == 0 {
			n = rng.IntN(1200) % (int(size) + 1) // about where spreading begins
		}
		spread := rng.IntN(4) > 0
		at, next := ir.Place(pos, size, n, spread)
		if a, b := ring.Place(pos, size, n, spread); a != at || b != next {
			t.Fatalf("%d bytes in %d at %d, spread %v: %d, %d and %d, %d", n, size, pos, spread, at, next, a, b)
		}
	}
}

func TestLoopback(t *testing.T) {
	Run(t, func(_ testing.TB, peers int) []ir.Translator { return Loopback(peers, DefaultCaps()) })
}

func TestLoopbackWithLess(t *testing.T) {
	Run(t, func(_ testing.TB, peers int) []ir.Translator {
		caps := DefaultCaps()
		caps.Remote, caps.Words, caps.Rings, caps.Slots = false, 0, 1, 2
		return LoopbackWith(peers, caps, Hooks{NoFlagArray: true})
	})
}

func TestLoopbackWithoutRings(t *testing.T) {
	Run(t, func(_ testing.TB, peers int) []ir.Translator {
		caps := DefaultCaps()
		caps.Rings, caps.Fragment = 0, ir.MaxShared
		return Loopback(peers, caps)
	})
}

func TestHooks(t *testing.T) {
	broken := errors.New("broken")
	held := true
	ts := LoopbackWith(2, DefaultCaps(), Hooks{
		Busy: func(from int, cmd *ir.Command) bool { return cmd.Token == 7 },
		Fail: func(from int, cmd *ir.Command) error {
			if cmd.Op == ir.Pull {
				return broken
			}
			return nil
		},
		Hold: func(at int) bool { return held && at == 1 },
	})
	var ev ir.Event
	ts[0].Post(&ir.Command{Op: ir.Shared, Peer: 1, Token: 7})
	if !ts[0].Poll(&ev) || ev.Kind != ir.Busy || ev.Token != 7 {
		t.Errorf("%+v, want Busy", ev)
	}
	ts[0].Post(&ir.Command{Op: ir.Pull, Peer: 1, Token: 8})
	if !ts[0].Poll(&ev) || ev.Kind != ir.Failed || !errors.Is(ev.Err, broken) {
		t.Errorf("%+v, want Failed", ev)
	}
	ts[0].Post(&ir.Command{Op: ir.Shared, Peer: 1, Token: 9})
	if ts[1].Poll(&ev) {
		t.Errorf("%+v although held", ev)
	}
	if held = false; !ts[1].Poll(&ev) || ev.Kind != ir.Arrived {
		t.Errorf("%+v, want the packet", ev)
	}
}

// TestNonsenseIsRefused gives the loopback what a correct engine never does.
func TestNonsenseIsRefused(t *testing.T) {
	for _, cmd := range []ir.Command{
		{Op: ir.Packet, Peer: 1, Ring: 99},
		{Op: ir.Watch, Peer: 1, Ring: 99},
		{Op: ir.ReadTail, Peer: 1, Ring: 99},
		{Op: ir.Shared, Peer: 2},
		{Op: ir.Pull, Peer: -1, Token: 5},
	} {
		ts := Loopback(2, DefaultCaps())
		ts[0].Post(&cmd)
		var ev ir.Event
		if !ts[0].Poll(&ev) || ev.Kind != ir.Failed || ev.Token != cmd.Token || !errors.Is(ev.Err, ErrRefused) {
			t.Errorf("%+v: %+v", cmd, ev)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an unknown operation passes")
		}
	}()
	Loopback(2, DefaultCaps())[0].Post(&ir.Command{Op: ir.NumOps})
}

func TestClosedPeerIsGone(t *testing.T) {
	ts := Loopback(2, DefaultCaps())
	if err := ts[1].Close(); err != nil {
		t.Fatal(err)
	}
	reported := false
	for _, op := range []ir.Op{ir.Packet, ir.Shared, ir.Packet, ir.Open, ir.ReadTail, ir.Pull, ir.Push, ir.Swap, ir.Swap} {
		ts[0].Post(&ir.Command{Op: op, Peer: 1, Token: 3})
		want := uint64(3)
		if op.Way() {
			want = 0
		}
		var ev ir.Event
		if got := ts[0].Poll(&ev); got == (op.Way() && reported) {
			t.Errorf("op %d: event %v: %+v", op, got, ev)
		} else if got && (ev.Kind != ir.Failed || ev.Token != want || !errors.Is(ev.Err, ir.ErrPeerGone)) {
			t.Errorf("op %d: %+v", op, ev)
		}
		reported = true
	}
}

// hasty is a translator of which every second sleep ends at once, as if by a signal.
type hasty struct {
	ir.Translator
	sleeps int
}

func (h *hasty) Sleep(d time.Duration) {
	if h.sleeps++; h.sleeps%2 == 0 {
		h.Translator.Sleep(d)
	}
}

// TestSleepsMayEndEarly: the contract allows it.
func TestSleepsMayEndEarly(t *testing.T) {
	open := func(_ testing.TB, peers int) []ir.Translator {
		all := Loopback(peers, DefaultCaps())
		for i, tr := range all {
			a := ir.AbilitiesOf(tr)
			all[i] = a.Give(&hasty{Translator: tr})
		}
		return all
	}
	for _, c := range suite() {
		if strings.Contains(c.name, "sleep") {
			t.Run(c.name, func(t *testing.T) { c.run(t, open, patience, func(err error) { t.Error(err) }) })
		}
	}
}
