package martini

import (
	"bytes"
	"errors"
	"testing"
)

// TestMoveNeedsNoEntry: lent memory is moved by one request of the next Window, without an entry in
// the page table, in the common case.
func TestMoveNeedsNoEntry(t *testing.T) {
	n := open(t, 2)
	far, near := bytes.Repeat([]byte{7}, 3*page), make([]byte, 3*page)
	seg, err := n[1].Expose(far)
	if err != nil {
		t.Fatal(err)
	}
	high, w := n[0].high, n[0].Window((n[0].turn+1)%Windows)
	if err := n[0].Move(false, Request{Node: 1, Segment: seg, Offset: 5, Flag: 3}, near[:2*page]); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(near[:2*page], far[:2*page]) || near[2*page] != 0 {
		t.Error("not what lies there, or more than that")
	}
	if n[0].high != high || w.Contflag() != 1 || w.Flag(3) != 1 {
		t.Errorf("%d extents, not %d; contflag %d, completion flag %d", n[0].high, high, w.Contflag(), w.Flag(3))
	}
	if c := Command(w.page[DWCommand]); c.Op() != CommandPull || c.Bytes() != 2*page || Segment(w.page[DWSegment]) != seg {
		t.Errorf("the Window holds another request: %v of %d bytes", c.Op(), c.Bytes())
	}
	if x := n[1].own.segment(seg.SID()).load(entHint); *n[1].own.holds(int(x)) != 0 {
		t.Error("a transfer is counted that has ended")
	}
	// Longer than the part that is moved between two checks of the segment, and no bytes at all.
	long := make([]byte, holdBytes+page)
	if seg, err = n[1].Expose(long); err != nil {
		t.Fatal(err)
	}
	long[holdBytes] = 9
	into := make([]byte, len(long))
	r := Request{Node: 1, Segment: seg}
	if err := errors.Join(n[0].Move(false, r, into), n[0].Move(true, r, nil)); err != nil || into[holdBytes] != 9 {
		t.Errorf("%d: %v", into[holdBytes], err)
	}
	if err := n[0].Move(true, Request{Node: 1, Segment: seg, Flag: CompletionFlags + 1}, near); !errors.Is(err, WrongLength) {
		t.Errorf("a flag that no Window has: %v", err)
	}
}
