package wire

import (
	"errors"
	"testing"
)

func encodedOffer() []byte {
	b := make([]byte, OfferBytes)
	(*OfferBody)(b).Encode(1<<63|5, 7, 11)
	return b
}

func encodedStream() []byte {
	b := make([]byte, StreamBytes)
	(*StreamBody)(b).Encode(1<<40, 9)
	return b
}

func encodedSplit() []byte {
	b := make([]byte, SplitBytes)
	(*SplitBody)(b).Encode(3, 1000, NewClaim(4, 1), 11, 2, 300)
	return b
}

// cut checks that parse takes b and nothing shorter or longer.
func cut(t *testing.T, b []byte, parse func([]byte) error) {
	t.Helper()
	if err := parse(b); err != nil {
		t.Fatalf("whole: %v", err)
	}
	for n := range b {
		if parse(b[:n]) == nil {
			t.Errorf("accepted %d of %d bytes", n, len(b))
		}
	}
	if parse(append(b[:len(b):len(b)], 0)) == nil {
		t.Error("accepted a byte too many")
	}
}

func TestOffer(t *testing.T) {
	b := encodedOffer()
	cut(t, b, func(b []byte) error { _, err := ParseOffer(b); return err })
	if o := (*OfferBody)(b); o.Segment() != 1<<63|5 || o.ID() != 7 || o.Type() != 11 {
		t.Fatalf("read back %d %d %d", o.Segment(), o.ID(), o.Type())
	}
	(*OfferBody)(b).Encode(1, 0, 3)
	if _, err := ParseOffer(b); err == nil {
		t.Fatal("accepted id 0")
	}
}

func TestStream(t *testing.T) {
	b := encodedStream()
	cut(t, b, func(b []byte) error { _, err := ParseStream(b); return err })
	if s := (*StreamBody)(b); s.Want() != 1<<40 || s.ID() != 9 {
		t.Fatalf("read back %d %d", s.Want(), s.ID())
	}
	for _, bad := range [][2]uint64{{0, 1}, {1, 0}} {
		(*StreamBody)(b).Encode(bad[0], uint32(bad[1]))
		if _, err := ParseStream(b); err == nil {
			t.Errorf("accepted %v", bad)
		}
	}
}

func TestSplit(t *testing.T) {
	b := encodedSplit()
	cut(t, b, func(b []byte) error { _, err := ParseSplit(b); return err })
	s := (*SplitBody)(b)
	if s.Segment() != 3 || s.Want() != 1000 || s.Claim() != NewClaim(4, 1) || s.ID() != 11 ||
		s.Index() != 2 || s.Unit() != 300 || s.Chunks() != 4 {
		t.Fatalf("read back %v", s)
	}
	bad := []func(){
		func() { s.Encode(0, 1000, 1, 1, 0, 300) },
		func() { s.Encode(1, 0, 1, 1, 0, 300) },
		func() { s.Encode(1, 1000, 1, 0, 0, 300) },
		func() { s.Encode(1, 1000, 1, 1, 0, 0) },
		func() { s.Encode(1, 1000, NewClaim(0, 5), 1, 0, 300) },
		func() { s.Encode(1, 1000, NewClaim(0, 1).TakeBack(), 1, 0, 300) },
		func() { s.Encode(1, 1<<40, 1, 1, 0, 1) },
	}
	for i, spoil := range bad {
		spoil()
		if _, err := ParseSplit(b); err == nil {
			t.Errorf("accepted bad value %d", i)
		}
	}
}

func TestClaim(t *testing.T) {
	c := NewClaim(65535, 1)
	c = c.TakeFront(1).TakeBack().TakeBack().TakeFront(2)
	if c.Generation() != 65535 || c.Front() != 4 || c.Back() != 2 {
		t.Fatalf("%v", c)
	}
	if c.Full(7) || !c.Full(6) || !c.Fits(6) || c.Fits(5) {
		t.Fatalf("%v: wrong bounds", c)
	}
	if got := c.String(); got != "4+2 in use 65535" {
		t.Fatal(got)
	}
}

func TestHalves(t *testing.T) {
	if low, high := Halves(Pair(3, 1<<31)); low != 3 || high != 1<<31 {
		t.Fatal(low, high)
	}
}

func TestSyncWord(t *testing.T) {
	for _, want := range [][3]uint32{{0, 0, 1}, {MaxEager, TypeMask, 1<<32 - 1}, {5, 1, 1 << 31}, {1 << 19, 1 << 11, 7}} {
		bytes, typ, id := SyncParts(SyncWord(want[0], want[1], want[2]))
		if got := [3]uint32{bytes, typ, id}; got != want {
			t.Errorf("%v came back as %v", want, got)
		}
	}
}

func TestEveryKindHasAName(t *testing.T) {
	seen := map[string]bool{}
	for k := range NumKinds {
		if name := KindName(k); name == "" || seen[name] {
			t.Errorf("kind %d: name %q", k, name)
		} else {
			seen[name] = true
		}
	}
	if KindName(200) != "unknown" {
		t.Error("kind 200 has a name")
	}
}

// TestParsedIsACopy: what has been checked does not change any more when the
// sender writes over the packet.
func TestParsedIsACopy(t *testing.T) {
	offer, split, stream := encodedOffer(), encodedSplit(), encodedStream()
	o, err1 := ParseOffer(offer)
	s, err2 := ParseSplit(split)
	m, err3 := ParseStream(stream)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	clear(offer)
	clear(split)
	clear(stream)
	if o.ID() != 7 || s.Unit() != 300 || s.Want() != 1000 || m.Want() != 1<<40 {
		t.Fatalf("%x, %x, %x", o, s, m)
	}
}

// FuzzParse feeds arbitrary bytes to every parser: none may panic, and what
// one accepts must encode to the same bytes.
func FuzzParse(f *testing.F) {
	f.Add(encodedOffer())
	f.Add(encodedStream())
	f.Add(encodedSplit())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		again := make([]byte, len(b))
		if o, err := ParseOffer(b); err == nil {
			(*OfferBody)(again).Encode(o.Segment(), o.ID(), o.Type())
		} else if s, err := ParseStream(b); err == nil {
			(*StreamBody)(again).Encode(s.Want(), s.ID())
		} else if s, err := ParseSplit(b); err == nil {
			if n := s.Chunks(); n == 0 || n > MaxChunks || !s.Claim().Fits(n) {
				t.Fatalf("accepted %v", s)
			}
			(*SplitBody)(again).Encode(s.Segment(), s.Want(), s.Claim(), s.ID(), s.Index(), s.Unit())
		} else {
			return
		}
		if string(again) != string(b) {
			t.Fatalf("%x became %x", b, again)
		}
	})
}
