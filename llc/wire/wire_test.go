package wire

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"rhinet/internal/strided"
)

// word is the header's word for the bodies below.
const word = 0xfedcba9876543210

func encodedRTS() []byte {
	b := make([]byte, RTSBytes)
	(*RTSBody)(b).Encode(word, 1<<63|5, 7, 11)
	return b
}

func encodedCTSStream() []byte {
	b := make([]byte, CTSStreamBytes)
	(*CTSStreamBody)(b).Encode(word, 1<<40, 9)
	return b
}

func encodedCTSSplit() []byte {
	b := make([]byte, CTSSplitBytes)
	(*CTSSplitBody)(b).Encode(word, 3, 1000, NewClaim(4, 1), 11, 2, 300)
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

func TestRTS(t *testing.T) {
	b := encodedRTS()
	cut(t, b, func(b []byte) error { _, err := ParseRTS(word, b); return err })
	if o := (*RTSBody)(b); o.Segment() != 1<<63|5 || o.ID() != 7 || o.Type() != 11 {
		t.Fatalf("read back %d %d %d", o.Segment(), o.ID(), o.Type())
	}
	(*RTSBody)(b).Encode(word, 1, 0, 3)
	if _, err := ParseRTS(word, b); err == nil {
		t.Fatal("accepted id 0")
	}
}

func TestCTSStream(t *testing.T) {
	b := encodedCTSStream()
	cut(t, b, func(b []byte) error { _, err := ParseCTSStream(word, b); return err })
	if s := (*CTSStreamBody)(b); s.Want() != 1<<40 || s.ID() != 9 {
		t.Fatalf("read back %d %d", s.Want(), s.ID())
	}
	for _, bad := range [][2]uint64{{0, 1}, {1, 0}} {
		(*CTSStreamBody)(b).Encode(word, bad[0], uint32(bad[1]))
		if _, err := ParseCTSStream(word, b); err == nil {
			t.Errorf("accepted %v", bad)
		}
	}
}

func TestCTSSplit(t *testing.T) {
	b := encodedCTSSplit()
	cut(t, b, func(b []byte) error { _, err := ParseCTSSplit(word, b); return err })
	s := (*CTSSplitBody)(b)
	if s.Segment() != 3 || s.Want() != 1000 || s.Claim() != NewClaim(4, 1) || s.ID() != 11 ||
		s.Index() != 2 || s.Unit() != 300 || s.Chunks() != 4 {
		t.Fatalf("read back %v", s)
	}
	bad := []func(){
		func() { s.Encode(word, 0, 1000, 1, 1, 0, 300) },
		func() { s.Encode(word, 1, 0, 1, 1, 0, 300) },
		func() { s.Encode(word, 1, 1000, 1, 0, 0, 300) },
		func() { s.Encode(word, 1, 1000, 1, 1, 0, 0) },
		func() { s.Encode(word, 1, 1000, NewClaim(0, 5), 1, 0, 300) },
		func() { s.Encode(word, 1, 1000, NewClaim(0, 1).TakeBack(), 1, 0, 300) },
		func() { s.Encode(word, 1, 1<<40, 1, 1, 0, 1) },
	}
	for i, spoil := range bad {
		spoil()
		if _, err := ParseCTSSplit(word, b); err == nil {
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

// TestParsedIsACopy: what has been checked no longer changes when the sender writes over the packet.
func TestParsedIsACopy(t *testing.T) {
	offer, split, stream := encodedRTS(), encodedCTSSplit(), encodedCTSStream()
	o, err1 := ParseRTS(word, offer)
	s, err2 := ParseCTSSplit(word, split)
	m, err3 := ParseCTSStream(word, stream)
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

// TestSeal: no bit of a body or of the word changes unnoticed.
func TestSeal(t *testing.T) {
	bodies := map[string]struct {
		body  []byte
		parse func(uint64, []byte) error
	}{
		"rts":        {encodedRTS(), func(w uint64, b []byte) error { _, err := ParseRTS(w, b); return err }},
		"cts-split":  {encodedCTSSplit(), func(w uint64, b []byte) error { _, err := ParseCTSSplit(w, b); return err }},
		"cts-stream": {encodedCTSStream(), func(w uint64, b []byte) error { _, err := ParseCTSStream(w, b); return err }},
	}
	for name, c := range bodies {
		for bit := range 8 * len(c.body) {
			c.body[bit/8] ^= 1 << (bit % 8)
			if err := c.parse(word, c.body); err == nil || !strings.Contains(err.Error(), "check") {
				t.Errorf("%s with bit %d turned: %v", name, bit, err)
			}
			c.body[bit/8] ^= 1 << (bit % 8)
		}
		for bit := range 64 {
			if c.parse(word^1<<bit, c.body) == nil {
				t.Errorf("%s: accepted for a word with bit %d turned", name, bit)
			}
		}
		if err := c.parse(word, c.body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		clear(c.body)
		if c.parse(0, c.body) == nil {
			t.Errorf("%s: accepted memory that was cleared", name)
		}
	}
}

// TestBlocks: what follows a body is cut off, and is exactly one description of blocks that do not overlap.
func TestBlocks(t *testing.T) {
	good := strided.Blocks{Block: 1 << 31, Stride: 1<<32 - 1}
	encode := func(b strided.Blocks) []byte {
		o := make([]byte, BlocksBytes)
		(*BlocksBody)(o).Encode(word, b)
		return append(encodedRTS(), o...)
	}
	whole := encode(good)
	if body, l, err := CutLayout(word, whole, RTSBytes); err != nil || !reflect.DeepEqual(l, Layout{Blocks: good}) || !bytes.Equal(body, encodedRTS()) {
		t.Errorf("%x, %+v, %v", body, l, err)
	}
	for n := range whole {
		if body, l, err := CutLayout(word, whole[:n], RTSBytes); err != nil || !plain(l) || len(body) != n {
			t.Errorf("%d bytes: %x, %+v, %v", n, body, l, err)
		}
	}
	for bit := 8 * RTSBytes; bit < 8*len(whole); bit++ {
		whole[bit/8] ^= 1 << (bit % 8)
		if _, l, err := CutLayout(word, whole, RTSBytes); err == nil || !plain(l) || !strings.Contains(err.Error(), "check") {
			t.Errorf("bit %d turned: %+v, %v", bit, l, err)
		}
		whole[bit/8] ^= 1 << (bit % 8)
	}
	for _, bad := range []strided.Blocks{{}, {Block: 2, Stride: 1}, {Stride: 1}} {
		if _, l, err := CutLayout(word, encode(bad), RTSBytes); err == nil || !plain(l) {
			t.Errorf("%+v: %+v, %v", bad, l, err)
		}
	}
	if !Describable(good) || Describable(strided.Blocks{Block: 1, Stride: 1 << 32}) || Describable(strided.Blocks{Block: 1 << 32, Stride: 1 << 32}) {
		t.Error("more than 32 bits can be described, or fewer can't")
	}
}

// plain reports whether l is one piece.
func plain(l Layout) bool { return reflect.DeepEqual(l, Layout{}) }

// TestLists is [TestBlocks] for the description of a list.
func TestLists(t *testing.T) {
	encode := func(sum uint64, pieces uint32) []byte {
		o := make([]byte, SummedBytes)
		if sum == 0 {
			(*ListBody)(o).Encode(word, 1<<63, pieces)
			o = o[:ListBytes]
		} else {
			(*SummedBody)(o).Encode(word, sum, 1<<63, pieces)
		}
		return append(encodedCTSSplit(), o...)
	}
	for _, sum := range []uint64{0, 1 << 62} {
		whole, good := encode(sum, 1<<31), Layout{List: 1 << 63, Sum: sum, Pieces: 1 << 31}
		if body, l, err := CutLayout(word, whole, CTSSplitBytes); err != nil || !reflect.DeepEqual(l, good) || !bytes.Equal(body, encodedCTSSplit()) {
			t.Errorf("%x, %+v, %v", body, l, err)
		}
		for bit := 8 * CTSSplitBytes; bit < 8*len(whole); bit++ {
			whole[bit/8] ^= 1 << (bit % 8)
			if _, l, err := CutLayout(word, whole, CTSSplitBytes); err == nil || !plain(l) || !strings.Contains(err.Error(), "check") {
				t.Errorf("bit %d turned: %+v, %v", bit, l, err)
			}
			whole[bit/8] ^= 1 << (bit % 8)
		}
		if _, l, err := CutLayout(word, encode(sum, 0), CTSSplitBytes); err == nil || !plain(l) {
			t.Errorf("%+v, %v", l, err)
		}
	}
}

// FuzzParse feeds arbitrary bytes to every parser, as they are and sealed: none may panic, and accepted
// bodies must encode to the same bytes.
func FuzzParse(f *testing.F) {
	f.Add(uint64(word), encodedRTS())
	f.Add(uint64(word), encodedCTSStream())
	f.Add(uint64(word), encodedCTSSplit())
	f.Add(uint64(0), []byte{})
	f.Fuzz(func(t *testing.T, word uint64, b []byte) {
		encodesAgain(t, word, b)
		if len(b)%4 == 0 && len(b) >= sealBytes {
			b = bytes.Clone(b)
			Seal(word, b)
			encodesAgain(t, word, b)
		}
	})
}

func encodesAgain(t *testing.T, word uint64, b []byte) {
	for _, n := range []int{RTSBytes, CTSSplitBytes} {
		if body, l, err := CutLayout(word, b, n); err == nil && !plain(l) {
			again := make([]byte, len(b)-n)
			switch len(again) {
			case SummedBytes:
				(*SummedBody)(again).Encode(word, l.Sum, l.List, l.Pieces)
			case ListBytes:
				(*ListBody)(again).Encode(word, l.List, l.Pieces)
			default:
				(*BlocksBody)(again).Encode(word, l.Blocks)
			}
			if len(body) != n || !bytes.Equal(again, b[n:]) {
				t.Fatalf("%x is %+v, and that %x", b[n:], l, again)
			}
		}
	}
	again := make([]byte, len(b))
	if o, err := ParseRTS(word, b); err == nil {
		(*RTSBody)(again).Encode(word, o.Segment(), o.ID(), o.Type())
	} else if s, err := ParseCTSStream(word, b); err == nil {
		(*CTSStreamBody)(again).Encode(word, s.Want(), s.ID())
	} else if s, err := ParseCTSSplit(word, b); err == nil {
		if n := s.Chunks(); n == 0 || n > MaxChunks || !s.Claim().Fits(n) {
			t.Fatalf("accepted %v", s)
		}
		(*CTSSplitBody)(again).Encode(word, s.Segment(), s.Want(), s.Claim(), s.ID(), s.Index(), s.Unit())
	} else {
		return
	}
	if string(again) != string(b) {
		t.Fatalf("%x became %x", b, again)
	}
}
