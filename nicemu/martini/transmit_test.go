package martini

import (
	"bytes"
	"errors"
	"testing"
)

// TestTransmit: the sending side is that of a PUSH, and nothing arrives.
func TestTransmit(t *testing.T) {
	n := open(t, 2)
	w := n[0].Window(2)
	target, source := make([]byte, 10_000), make([]byte, 10_000)
	seg, err := n[1].Expose(target)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n[0].Pin(source); err != nil {
		t.Fatal(err)
	}
	for i := range source {
		source[i] = byte(i) | 1
	}
	r := Request{Node: 1, Segment: seg, Flag: 3}
	done := uint64(0)
	for _, size := range []int{0, 8, MaxImage, MaxImage + 8, len(source)} {
		if err := w.Transmit(r, source[:size]); err != nil {
			t.Error(err)
		}
		if done++; w.Contflag() != done || w.Flag(3) != 0 {
			t.Errorf("%d bytes: contflag %d, completion flag %d", size, w.Contflag(), w.Flag(3))
		}
		last := source[:size][max(0, size-1)/MaxImage*MaxImage:]
		if got := w.payload()[:len(last)]; !bytes.Equal(got, last) {
			t.Errorf("%d bytes: not all of the last packet has been read", size)
		}
	}
	if len(bytes.Trim(target, "\x00")) != 0 {
		t.Error("something arrived")
	}
	if err := w.Push(r, source); err != nil || !bytes.Equal(target, source) || w.Flag(3) != done+1 {
		t.Errorf("a PUSH afterwards: %v", err)
	}
	if used := testing.AllocsPerRun(100, func() { _ = w.Transmit(r, source) }); used != 0 {
		t.Errorf("%v allocations", used)
	}
}

func TestTransmitRefusals(t *testing.T) {
	n := open(t, 2)
	w := n[0].Window(2)
	b := make([]byte, 8)
	if _, err := n[0].Pin(b); err != nil {
		t.Fatal(err)
	}
	for want, do := range map[Reason]func() error{
		NoNode:        func() error { return w.Transmit(Request{Node: 2}, b) },
		WrongLength:   func() error { return w.Transmit(Request{Node: 1, Flag: CompletionFlags + 1}, b) },
		NotPinned:     func() error { return w.Transmit(Request{Node: 1}, make([]byte, 8)) },
		InvalidWindow: func() error { n[0].own.invalidate(5); return n[0].Window(5).Transmit(Request{Node: 1}, b) },
	} {
		issued, _ := n[0].Refused(want)
		if err := do(); !errors.Is(err, want) {
			t.Errorf("%v: %v", want, err)
		}
		if now, _ := n[0].Refused(want); now != issued+1 {
			t.Errorf("%v: counted %d times", want, now-issued)
		}
		if _, arrived := n[1].Refused(want); arrived != 0 {
			t.Errorf("%v: counted where nothing arrives", want)
		}
	}
	if w.Contflag() != 1 { // one request was kicked here
		t.Errorf("contflag %d", w.Contflag())
	}
}
