package route

import (
	"errors"
	"testing"

	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// A side is a NIC that reports given events.
type side struct {
	ir.Translator
	busy, events []ir.Event
}

func (s *side) Post(*ir.Command) {}

func (s *side) Refused(ev *ir.Event) bool { return take(&s.busy, ev) }

func (s *side) Poll(ev *ir.Event) bool { return take(&s.busy, ev) || take(&s.events, ev) }

func take(from *[]ir.Event, ev *ir.Event) bool {
	if len(*from) == 0 {
		return false
	}
	*ev, *from = (*from)[0], (*from)[1:]
	return true
}

// sides makes peer 0 of two hosts, peer 1 on its own and peer 2 on the other.
func sides(t *testing.T) (tr ir.Translator, near, far *side) {
	t.Helper()
	inside := nictest.Loopback(3, nictest.DefaultCaps())
	between := nictest.LoopbackWith(3, farCaps(), nictest.Hooks{Bells: inside, NoFlagArray: true})
	near, far = &side{Translator: inside[0]}, &side{Translator: between[0]}
	tr, err := New(ir.Abilities{Aimer: new(aim)}.Give(near), ir.Abilities{Refuser: far}.Give(far), []int{0, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	return tr, near, far
}

// TestRefusalsFirst: the refusal of a packet comes before every event of the other side, whichever side has
// its turn, and whatever is expected.
func TestRefusalsFirst(t *testing.T) {
	for _, refuses := range []int{1, 2} {
		for _, hint := range []int{-1, 1, 2} {
			tr, near, far := sides(t)
			tr.Hint(hint)
			by, other := near, far
			if refuses == 2 {
				by, other = far, near
			}
			for token := uint64(1); token < 4*farTurns; token++ {
				by.busy = append(by.busy, ir.Event{Kind: ir.Busy, Peer: int32(refuses), Token: token})
				other.events = append(other.events, ir.Event{Kind: ir.Arrived, Peer: int32(3 - refuses)})
				tr.Post(&ir.Command{Op: ir.Shared, Peer: int32(refuses), Token: token})
				var ev ir.Event
				if !tr.Poll(&ev) || ev.Kind != ir.Busy || ev.Token != token {
					t.Fatalf("peer %d refuses packet %d, hint %d: %+v comes first", refuses, token, hint, ev)
				}
				for tr.Poll(&ev) {
				}
				for range 2 * farTurns { // of which one looks at both
					tr.Poll(&ev)
				}
			}
		}
	}
}

// TestOneEnd: the end of a peer comes from the side that reaches it, and events about this peer itself from
// either side.
func TestOneEnd(t *testing.T) {
	tr, near, far := sides(t)
	gone := func(peer int32) ir.Event { return ir.Event{Kind: ir.Failed, Peer: peer, Err: ir.ErrPeerGone} }
	own := ir.Event{Kind: ir.Failed, Err: errors.New("no such segment")}
	for _, s := range []*side{near, far} {
		s.events = []ir.Event{gone(1), gone(2), own}
	}
	got := map[int32]int{}
	var ev ir.Event
	for range 4 * farTurns {
		if tr.Poll(&ev) {
			got[ev.Peer]++
		}
	}
	if got[0] != 2 || got[1] != 1 || got[2] != 1 {
		t.Errorf("events by peer: %v", got)
	}
}

// TestLastLook: the first Poll after Arm looks at both sides, at whatever turn.
func TestLastLook(t *testing.T) {
	for turns := range 2 * farTurns {
		for peer := int32(1); peer < 3; peer++ {
			tr, near, far := sides(t)
			var ev ir.Event
			for range turns {
				tr.Poll(&ev)
			}
			tr.Arm()
			s := near
			if peer == 2 {
				s = far
			}
			s.events = []ir.Event{{Kind: ir.Arrived, Peer: peer}}
			if !tr.Poll(&ev) || ev.Peer != peer {
				t.Fatalf("after %d turns: the packet of peer %d is not found", turns, peer)
			}
			tr.Disarm()
		}
	}
}

// TestWarm: after a packet went or came more is expected, for a while.
func TestWarm(t *testing.T) {
	tr, _, far := sides(t)
	looks := func() (n int) {
		for range warmTurns + farTurns {
			var ev ir.Event
			before := len(far.events)
			far.events = append(far.events, ir.Event{Kind: ir.Failed, Peer: 1, Err: ir.ErrPeerGone}) // for no caller
			if tr.Poll(&ev); len(far.events) <= before {
				n++
			}
			far.events = nil
		}
		return n
	}
	cold := looks()
	tr.Post(&ir.Command{Op: ir.Pull, Peer: 2})
	if warm := looks(); cold > (warmTurns+farTurns)/farTurns+1 || warm < warmTurns {
		t.Errorf("%d looks of %d turns, then %d", cold, warmTurns+farTurns, warm)
	}
}
