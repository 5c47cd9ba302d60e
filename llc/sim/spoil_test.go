package sim

import (
	"errors"
	"slices"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// A spoiler breaks one rule of the contract of ir.Translator in one run.
type spoiler struct {
	later map[int][]ir.Event // given first
	count int
	ended map[int]bool
}

// change returns a network's Spoil: do changes an event, or reports that it is not given now.
func change(do func(s *spoiler, at int, ev *ir.Event) (gone bool)) func() func(int, *ir.Event, func(*ir.Event) bool) bool {
	return func() func(int, *ir.Event, func(*ir.Event) bool) bool {
		s := &spoiler{later: map[int][]ir.Event{}, ended: map[int]bool{}}
		return func(at int, ev *ir.Event, next func(*ir.Event) bool) bool {
			if l := s.later[at]; len(l) > 0 {
				*ev, s.later[at] = l[0], l[1:]
				return true
			}
			for next(ev) {
				if !do(s, at, ev) {
					return true
				}
			}
			if l := s.later[at]; len(l) > 0 {
				*ev, s.later[at] = l[0], l[1:]
				return true
			}
			return false
		}
	}
}

// kind changes the events of one kind, each or every n-th.
func kind(k ir.Kind, every int, do func(s *spoiler, at int, ev *ir.Event) (gone bool)) func() func(int, *ir.Event, func(*ir.Event) bool) bool {
	return change(func(s *spoiler, at int, ev *ir.Event) bool {
		if ev.Kind != k {
			return false
		}
		s.count++
		return s.count%every == 0 && do(s, at, ev)
	})
}

func lost(*spoiler, int, *ir.Event) bool { return true }

func again(s *spoiler, at int, ev *ir.Event) bool {
	more := *ev
	more.Data = slices.Clone(ev.Data)
	s.later[at] = append(s.later[at], more)
	return false
}

// behind gives an event after the next one, if there is one.
func behind(s *spoiler, at int, ev *ir.Event) bool {
	again(s, at, ev)
	return true
}

func isEnd(ev *ir.Event) bool {
	return ev.Kind == ir.Failed && ev.Token == 0 && errors.Is(ev.Err, ir.ErrPeerGone)
}

// TestBrokenContractsAreNoticed breaks each rule that a network without time can break; runs must notice
// within a few seeds.
func TestBrokenContractsAreNoticed(t *testing.T) {
	for name, spoil := range map[string]func() func(int, *ir.Event, func(*ir.Event) bool) bool{
		"busy: behind another event, half of the time": kind(ir.Busy, 2, behind),
		"busy: never":            kind(ir.Busy, 1, lost),
		"busy: twice":            kind(ir.Busy, 1, again),
		"busy: another token":    kind(ir.Busy, 1, func(_ *spoiler, _ int, ev *ir.Event) bool { ev.Token--; return false }),
		"answers: Exposed twice": kind(ir.Exposed, 1, again), "answers: Pulled twice": kind(ir.Pulled, 1, again),
		"answers: Pushed twice": kind(ir.Pushed, 1, again), "answers: Swapped twice": kind(ir.Swapped, 1, again),
		"answers: Exposed never": kind(ir.Exposed, 1, lost), "answers: Pulled never": kind(ir.Pulled, 1, lost),
		"answers: Pushed never": kind(ir.Pushed, 1, lost), "answers: Swapped never": kind(ir.Swapped, 1, lost),
		"answers: another kind": kind(ir.Pulled, 1, func(_ *spoiler, _ int, ev *ir.Event) bool { ev.Kind = ir.Pushed; return false }),
		"tail: never":           kind(ir.Tail, 1, lost), "tail: twice": kind(ir.Tail, 1, again),
		"tail: a line too far": kind(ir.Tail, 1, func(_ *spoiler, _ int, ev *ir.Event) bool { ev.Slot++; return false }),
		"tail: data too far":   kind(ir.Tail, 1, func(_ *spoiler, _ int, ev *ir.Event) bool { ev.Pos += 64; return false }),
		"tail: stays behind":   kind(ir.Tail, 1, func(_ *spoiler, _ int, ev *ir.Event) bool { ev.Slot, ev.Pos = 0, 0; return false }),
		"order: a packet lost": kind(ir.Arrived, 5, lost), "order: a packet twice": kind(ir.Arrived, 5, again),
		"order: a byte changed": kind(ir.Arrived, 3, func(_ *spoiler, _ int, ev *ir.Event) bool {
			if len(ev.Data) > 0 {
				ev.Data[len(ev.Data)/2]++
			}
			return false
		}),
		"order: cut short": kind(ir.Arrived, 3, func(_ *spoiler, _ int, ev *ir.Event) bool {
			ev.Data = ev.Data[:len(ev.Data)/2]
			return false
		}),
		"order: another ring": kind(ir.Arrived, 1, func(_ *spoiler, _ int, ev *ir.Event) bool { ev.Ring ^= 1; return false }),
		"order: another peer": kind(ir.Arrived, 4, func(_ *spoiler, _ int, ev *ir.Event) bool { ev.Peer ^= 1; return false }),
	} {
		n := firstNoticed(func(seed uint64) Params {
			p := calm(seed)
			p.Spoil = spoil()
			return p
		})
		if n < 0 {
			t.Errorf("%s: not noticed", name)
		}
		t.Logf("%s: seed %d", name, n)
	}
}

// TestBrokenEndsAreNoticed does the same for the report of a peer's end.
func TestBrokenEndsAreNoticed(t *testing.T) {
	for name, do := range map[string]func(s *spoiler, at int, ev *ir.Event) bool{
		"never":           lost,
		"twice":           again,
		"of nobody":       func(_ *spoiler, _ int, ev *ir.Event) bool { ev.Peer = -1; return false },
		"of itself":       func(_ *spoiler, at int, ev *ir.Event) bool { ev.Peer = int32(at); return false },
		"without a cause": func(_ *spoiler, _ int, ev *ir.Event) bool { ev.Err = llc.ErrRefused; return false },
	} {
		spoil := change(func(s *spoiler, at int, ev *ir.Event) bool { return isEnd(ev) && do(s, at, ev) })
		if n := firstNoticed(func(seed uint64) Params {
			p := calm(seed)
			p.Crash, p.Spoil = 1+int(seed%100), spoil()
			return p
		}); n < 0 {
			t.Errorf("an end %s: not noticed", name)
		}
	}
}

// TestNothingSpoilt: a table entry that breaks nothing leads to no finding.
func TestNothingSpoilt(t *testing.T) {
	for seed := range uint64(300) {
		p := calm(seed)
		p.Spoil = change(func(*spoiler, int, *ir.Event) bool { return false })()
		if err := Run(p); err != nil {
			t.Fatal(err)
		}
	}
}
