package stepped

import (
	"bytes"
	"testing"

	"rhinet/nicemu/martini"
)

// TestPushAndPullAtAnyAlignment covers byte granularity, splitting at the MTU
// and at page borders of both sides (martini, sections 4, 4.4).
func TestPushAndPullAtAnyAlignment(t *testing.T) {
	w := newWorld(t, 2, 8, Options{})
	for _, size := range []int{0, 1, 7, 8, 9, 100, MTU - 1, MTU, MTU + 1, 5000, 4 * pageBytes} {
		for _, at := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {3, 5}, {pageBytes - 1, 2}, {2, pageBytes - 3}, {4000, 4001}} {
			for pull := range 2 {
				w.m.Flush(0)
				fill(w.areas[0], byte(size))
				fill(w.areas[1], byte(size)+99)
				want := [2][]byte{bytes.Clone(w.areas[0]), bytes.Clone(w.areas[1])}
				local := w.areas[0][at[0] : at[0]+size : at[0]+size]
				r := martini.Request{Node: 1, Segment: w.seg[1], Offset: uint64(at[1]), Flag: 5}
				var serial uint64
				if pull == 1 {
					copy(want[0][at[0]:], want[1][at[1]:at[1]+size])
					serial = w.must(w.m.Pull(0, 3, r, local))
				} else {
					copy(want[1][at[1]:], want[0][at[0]:at[0]+size])
					serial = w.must(w.m.Push(0, 3, r, local))
				}
				win := w.nics[0].Window(3)
				if why := w.last(); why != 0 {
					t.Fatalf("%d bytes %v: %v", size, at, why)
				}
				if !bytes.Equal(want[0], w.areas[0]) || !bytes.Equal(want[1], w.areas[1]) {
					t.Fatalf("%d bytes %v, pull %d: memory differs", size, at, pull)
				}
				if win.Contflag() != serial || win.Flag(5) != serial {
					t.Fatalf("%d bytes %v, pull %d: contflag %d, flag %d, want %d", size, at, pull, win.Contflag(), win.Flag(5), serial)
				}
			}
		}
	}
}
