package martini

import (
	"bytes"
	"syscall"
	"testing"

	"rhinet/llc/ir"
	"rhinet/nicemu/martini"
)

// TestSegmentOf3GiB reaches the far end of a segment whose length takes more than 31 bits, and of which
// nothing but the end may be touched.
func TestSegmentOf3GiB(t *testing.T) {
	const n, tail = 3<<30 + 4096, 4096
	mem, err := syscall.Mmap(-1, 0, n, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = syscall.Munmap(mem) }()
	end := mem[n-tail:]
	if err := syscall.Mprotect(end, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	for name, all := range map[string][]ir.Translator{"one process": open(t, 2, martini.Options{}), "processes": mapped(t, 2, martini.Options{})} {
		if !all[0].Caps().Remote {
			t.Skip("no remote memory here")
		}
		copy(end, name)
		all[0].Post(&ir.Command{Op: ir.Expose, Data: mem})
		seg := next(t, all[0]).Segment
		into := make([]byte, tail)
		all[1].Post(&ir.Command{Op: ir.Pull, Segment: seg, Offset: n - tail, Data: into})
		if ev := next(t, all[1]); ev.Kind != ir.Pulled || !bytes.Equal(into, end) {
			t.Errorf("%s: %+v", name, ev)
		}
		all[1].Post(&ir.Command{Op: ir.Push, Segment: seg, Offset: n - 5, Data: []byte("right")})
		if ev := next(t, all[1]); ev.Kind != ir.Pushed || string(end[tail-5:]) != "right" {
			t.Errorf("%s: %+v", name, ev)
		}
		all[1].Post(&ir.Command{Op: ir.Pull, Segment: seg, Offset: n - tail + 1, Data: into})
		if ev := next(t, all[1]); ev.Kind != ir.Failed {
			t.Errorf("%s: across the end: %+v", name, ev)
		}
		all[0].Post(&ir.Command{Op: ir.Conceal, Segment: seg})
	}
}
