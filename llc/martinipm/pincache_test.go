package martinipm

import (
	"errors"
	"testing"

	"rhinet/llc/ir"
	"rhinet/nicemu/martini"
)

// done posts a command and returns its answer.
func done(t *testing.T, tr ir.Translator, cmd ir.Command) ir.Event {
	t.Helper()
	tr.Post(&cmd)
	var ev ir.Event
	if !tr.Poll(&ev) {
		t.Fatalf("%+v is not answered", cmd)
	}
	return ev
}

// TestPinDownCache: memory that is used again is not pinned again, on either side, and yet no peer reaches it
// between two uses, or beside what is used.
func TestPinDownCache(t *testing.T) {
	all := job(t, 2, rhinet, martini.Options{})
	owner, reader := all[0].(*Translator), all[1].(*Translator)
	mem, to := make([]byte, 40_000), make([]byte, 40_000)
	var old ir.Segment
	for i := range 5 {
		mem[0] = byte(i) + 1
		ev := done(t, owner, ir.Command{Op: ir.Expose, Data: mem[:20_000], Token: 1})
		if ev.Kind != ir.Exposed || ev.Segment == old {
			t.Fatalf("%+v", ev)
		}
		seg := ev.Segment
		if ev := done(t, reader, ir.Command{Op: ir.Pull, Segment: seg, Data: to[:20_000], Token: 2}); ev.Kind != ir.Pulled || to[0] != mem[0] {
			t.Fatalf("%+v", ev)
		}
		if ev := done(t, reader, ir.Command{Op: ir.Pull, Segment: seg, Data: to[:20_001], Token: 3}); !errors.Is(ev.Err, martini.BeyondSegment) {
			t.Errorf("more than is exposed: %+v", ev)
		}
		cmd := ir.Command{Op: ir.Conceal, Segment: seg}
		owner.Post(&cmd)
		if ev := done(t, reader, ir.Command{Op: ir.Push, Segment: seg, Data: to[:8], Token: 4}); !errors.Is(ev.Err, martini.Stale) {
			t.Errorf("after the use: %+v", ev)
		}
		old = seg
	}
	// The reader's first buffer was found too short once.
	if c := owner.Cache(); c.Misses != 1 || c.Hits != 4 || c.Evictions != 0 {
		t.Errorf("owner: %d hits, %d misses, %d evictions", c.Hits, c.Misses, c.Evictions)
	}
	if c := reader.Cache(); c.Misses != 2 || c.Hits != 13 {
		t.Errorf("reader: %d hits, %d misses", c.Hits, c.Misses)
	}
	if used := testing.AllocsPerRun(100, func() {
		cmd := ir.Command{Op: ir.Expose, Data: mem[:20_000], Token: 1}
		owner.Post(&cmd)
		var ev ir.Event
		owner.Poll(&ev)
		cmd = ir.Command{Op: ir.Conceal, Segment: ev.Segment}
		owner.Post(&cmd)
	}); used != 0 {
		t.Errorf("%v allocations for memory in the cache", used)
	}
}

// TestPinDownRefusals: memory that cannot be pinned or named is refused, and nothing stays held.
func TestPinDownRefusals(t *testing.T) {
	all := job(t, 2, rhinet, martini.Options{})
	tr := all[0].(*Translator)
	nic := tr.NIC()
	if ev := done(t, tr, ir.Command{Op: ir.Conceal, Segment: 12345}); !errors.Is(ev.Err, martini.Misuse) {
		t.Errorf("%+v", ev)
	}
	var names []martini.Segment
	for {
		s, err := nic.Register(0, 1)
		if err != nil {
			break
		}
		names = append(names, s)
	}
	if ev := done(t, tr, ir.Command{Op: ir.Expose, Data: make([]byte, 8), Token: 1}); !errors.Is(ev.Err, martini.TableFull) {
		t.Errorf("%+v", ev)
	}
	if err := tr.Cache().Flush(); err != nil || tr.Cache().Evictions != 1 {
		t.Errorf("what was not exposed is held: %v", err)
	}
	for _, s := range names {
		if err := nic.Release(s); err != nil {
			t.Fatal(err)
		}
	}
	for {
		if _, err := nic.Hold(make([]byte, 1)); err != nil {
			break
		}
	}
	for _, op := range []ir.Op{ir.Expose, ir.Pull} {
		if ev := done(t, tr, ir.Command{Op: op, Peer: 1, Data: make([]byte, 8), Token: 1}); !errors.Is(ev.Err, martini.TableFull) {
			t.Errorf("%v: %+v", op, ev)
		}
	}
}
