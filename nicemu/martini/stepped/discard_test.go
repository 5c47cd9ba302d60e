package stepped

import (
	"bytes"
	"testing"

	"rhinet/nicemu/martini"
)

// TestDiscardIsolatesTheSendPath: a packet that a Switch Interface drops has left the sender, and
// has no other effect (martini, section 13, E4).
func TestDiscardIsolatesTheSendPath(t *testing.T) {
	w := newWorld(t, 2, 3, Options{})
	whole := bytes.Clone(w.areas[1])
	w.m.Discard(1, true)
	r := martini.Request{Node: 1, Segment: w.seg[1], Flag: 1}
	serial := w.must(w.m.Push(0, 0, r, w.areas[0]))
	if win := w.nics[0].Window(0); win.Contflag() != serial || win.Flag(1) != 0 || w.last() != 0 {
		t.Errorf("contflag %d of %d, flag %d", win.Contflag(), serial, win.Flag(1))
	}
	if !bytes.Equal(w.areas[1], whole) {
		t.Error("something arrived")
	}
	w.m.Discard(1, false)
	w.must(w.m.Push(0, 0, r, w.areas[0]))
	if !bytes.Equal(w.areas[1], w.areas[0]) || w.nics[0].Window(0).Flag(1) != serial+1 {
		t.Error("nothing arrives any more")
	}
}

// TestDroppedPackets: a handler that drops the packet that raises an exception does not affect the
// packets behind it, and the issuer is not notified.
func TestDroppedPackets(t *testing.T) {
	w := newWorld(t, 2, 3, Options{})
	drops := 0
	w.m.Handle(1, RFend, RVA, func(f *Firmware) bool {
		if f.n.rf.h.segment() == w.seg[1] {
			return f.rvaMiss()
		}
		drops++
		f.Drop()
		return true
	})
	w.must(w.m.Push(0, 0, martini.Request{Node: 1, Segment: w.seg[0] + 1<<32, Flag: 1}, w.areas[0][:2*MTU]))
	w.must(w.m.Push(0, 1, martini.Request{Node: 1, Segment: w.seg[1], Flag: 1}, w.areas[0][:100]))
	if drops != 2 || w.last() != 0 || w.nics[0].Window(0).Flag(1) != 0 {
		t.Errorf("%d dropped", drops)
	}
	if !bytes.Equal(w.areas[1][:100], w.areas[0][:100]) || w.nics[0].Window(1).Flag(1) != 1 {
		t.Error("the packet behind is lost")
	}
}
