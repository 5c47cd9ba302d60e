package martini

import (
	"bytes"
	"testing"

	"rhinet/internal/ring"
)

// TestLongLinesAreRefused: a payload that does not fit its line is not placed, and
// no byte moves, neither in that line nor behind it.
func TestLongLinesAreRefused(t *testing.T) {
	n := open(t, 2)
	w := n[0].Window(0)
	c, err := n[0].Channel(w, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	mem := n[1].ringMemory(1, 0)
	before, contflag := bytes.Clone(mem), w.Contflag()
	for _, bytesLong := range []int{ring.Inline + 1, 100, len(mem)} {
		if c.PutLine(0, &[3]uint64{}, bytes.Repeat([]byte{7}, bytesLong)) {
			t.Errorf("%d bytes were placed in a line", bytesLong)
		}
	}
	if !bytes.Equal(mem, before) || w.Contflag() != contflag {
		t.Error("a refused line has changed the ring or the contflag")
	}
	if !c.PutLine(0, &[3]uint64{}, bytes.Repeat([]byte{7}, ring.Inline)) {
		t.Errorf("%d bytes fit a line", ring.Inline)
	}
}
