package llc_test

import (
	"testing"

	"rhinet/llc/ir"
)

// TestRefresh: what a driver reads of how far a ring is consumed is room, if it can be true and no tail is on its way.
func TestRefresh(t *testing.T) {
	c := newHarnessOf(t, func(caps *ir.Caps) { caps.Slots = 16 })
	e := c.engines[0]
	if e.Roomy(1, 8) || e.Free(1, 0, 8) || e.Refresh(1, 0, 0) {
		t.Error("a peer has room before it has a ring")
	}
	c.connect()
	from, at := c.net.Consumed(0, 1)
	e.Refresh(1, from, at)
	var slot, pos uint64
	lines := 0
	for ; e.Whole(1, 0, 100, 100); lines++ {
		before := e.Roomy(1, 100)
		n, ok := 0, false
		if slot, pos, n, ok = e.Part(1, 0, 0, 100, 100); !ok || n != 100 || before != (pos+100 <= at+512) {
			t.Errorf("line %d at %d: %v, %d bytes; half of the ring was free: %v", slot, pos, ok, n, before)
		}
	}
	if lines < 5 || !e.Free(1, 0, 300) || e.Free(1, 0, 301) || e.Free(1, -1, 8) {
		t.Fatalf("%d lines, free: %v, %v, %v", lines, e.Free(1, 0, 300), e.Free(1, 0, 301), e.Free(1, -1, 8))
	}
	for why, lie := range map[string][2]uint64{
		"nothing new": {from, at}, "lines that are not written": {slot + 2, at}, "data that is not written": {from, pos + 1000},
	} {
		if e.Refresh(1, lie[0], lie[1]) || e.Whole(1, 0, 100, 100) {
			t.Errorf("%s: there is room", why)
		}
	}
	if !e.Refresh(1, slot, pos) || !e.Whole(1, 0, 300, 100) || !e.Roomy(1, 100) {
		t.Error("no room after all but one have been read")
	}
	if e.Refresh(1, from, at) || !e.Whole(1, 0, 300, 100) {
		t.Error("room is taken back")
	}
}

// TestRefreshBeforeATail: a tail that is on its way may be older than what the driver reads, so it is awaited.
func TestRefreshBeforeATail(t *testing.T) {
	c := newHarnessOf(t, func(caps *ir.Caps) { caps.Fragment = 128 })
	c.connect()
	_, tail := c.full()
	e := c.engines[1]
	if e.Refresh(0, tail.Slot+1, tail.Pos+128) {
		t.Error("refreshed although the tail is asked for")
	}
	if err := e.Step(&tail); err != nil {
		t.Error(err)
	}
}
