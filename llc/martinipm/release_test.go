package martinipm

import (
	"testing"

	"rhinet/llc/ir"
	"rhinet/nicemu/martini"
)

// TestUsesEnd: after a message has moved, on either side, the cache may unpin its
// memory.
func TestUsesEnd(t *testing.T) {
	all := job(t, 2, rhinet, martini.Options{})
	for _, op := range []ir.Op{ir.Pull, ir.Push} {
		ev := done(t, all[0], ir.Command{Op: ir.Expose, Data: make([]byte, 100), Token: 1})
		if ev := done(t, all[1], ir.Command{Op: op, Segment: ev.Segment, Data: make([]byte, 100), Token: 2}); ev.Kind == ir.Failed {
			t.Fatalf("%+v", ev)
		}
		all[0].Post(&ir.Command{Op: ir.Conceal, Segment: ev.Segment})
	}
	for i, tr := range all {
		c := tr.(*Translator).Cache()
		if err := c.Flush(); err != nil || c.Misses != 2 || c.Evictions != c.Misses {
			t.Errorf("rank %d: of %d buffers %d can be unpinned, %v", i, c.Misses, c.Evictions, err)
		}
	}
}
