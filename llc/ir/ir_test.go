package ir

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

// TestHeaderWords: every field comes back, and the ring's own halves stay free.
func TestHeaderWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		h := Header{
			Kind: uint8(rng.Uint32()), Flags: uint8(rng.Uint32()), Context: uint16(rng.Uint32()),
			Tag: int32(rng.Uint32()), Length: rng.Uint32(), Word: rng.Uint64(),
		}
		words := h.Words()
		if uint32(words[0])|uint32(words[1]) != 0 {
			t.Fatalf("%+v: words %x", h, words)
		}
		words[0] |= uint64(rng.Uint32())
		words[1] |= uint64(rng.Uint32())
		var got Header
		if got.Unpack(&words, int(h.Length)); got != h {
			t.Fatalf("%+v came back as %+v", h, got)
		}
	}
}

// TestOps: each operation has an answer by token, uses a way that its peer's end closes, or is Conceal.
func TestOps(t *testing.T) {
	for op := Packet; op < NumOps; op++ {
		if op.Answered() == op.Way() && op != Conceal || op == Conceal && (op.Answered() || op.Way()) {
			t.Errorf("op %d: answered %v, way %v", op, op.Answered(), op.Way())
		}
	}
	for _, op := range []Op{0, NumOps, math.MaxUint8} {
		if op.Answered() || op.Way() {
			t.Errorf("op %d exists", op)
		}
	}
}

// TestPlace: payloads neither wrap nor overlap, whatever their sizes; in large areas
// they take the rest of their page, short ones that of a quarter, and half an area
// always fits.
func TestPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		size := uint64(128) << rng.IntN(16)
		pos := rng.Uint64N(1<<40) &^ (LineBytes - 1)
		n := rng.IntN(int(size) + 1)
		if rng.IntN(2) == 0 {
			n = rng.IntN(1200) % (int(size) + 1) // about where spreading begins
		}
		spread := rng.IntN(4) > 0
		at, next := Place(pos, size, n, spread)
		if n <= Short {
			if at != pos || next != pos {
				t.Fatalf("%d bytes take data from %d to %d", n, at, next)
			}
			continue
		}
		if at < pos || at%LineBytes != 0 || at%size+uint64(n) > size || next < at+uint64(n) {
			t.Fatalf("%d bytes in %d at %d: from %d to %d", n, size, pos, at, next)
		}
		if most := uint64(n) + LineBytes; spread && size >= 1<<15 {
			unit := uint64(4096)
			if n < 512 {
				unit = 1024
			}
			if next%unit != 0 || next-at >= most+unit {
				t.Fatalf("%d bytes in %d at %d: from %d to %d, which is not the end of %d bytes", n, size, pos, at, next, unit)
			}
		} else if next-at >= most {
			t.Fatalf("%d bytes in %d at %d: from %d to %d", n, size, pos, at, next)
		}
		if uint64(n) <= size/2 && next-pos > size {
			t.Fatalf("%d bytes in %d at %d: up to %d, which an empty area has no room for", n, size, pos, next)
		}
	}
}

// counted is a message in pieces whose byte number i is i.
type counted struct{}

func (counted) Gather(dst []byte, off int) {
	for i := range dst {
		dst[i] = byte(off + i)
	}
}

// TestPayload: that of a packet is its data, nothing, or what is gathered, into the memory given if that is long enough.
func TestPayload(t *testing.T) {
	room := make([]byte, 4)
	data := []byte{7}
	for _, c := range []struct {
		cmd    Command
		want   []byte
		pieces bool
	}{
		{Command{Data: data, Header: Header{Length: 1}, Body: counted{}}, data, false},
		{Command{Body: counted{}}, nil, false},
		{Command{Header: Header{Length: 3}, Body: counted{}, Offset: 5}, []byte{5, 6, 7}, true},
		{Command{Header: Header{Length: 5}, Body: counted{}, Offset: 9}, []byte{9, 10, 11, 12, 13}, true},
	} {
		got := c.cmd.Payload(room)
		if !bytes.Equal(got, c.want) || c.cmd.InPieces() != c.pieces || c.cmd.PayloadBytes() != len(c.want) {
			t.Errorf("%+v: %v, %d bytes, in pieces: %v", c.cmd, got, c.cmd.PayloadBytes(), c.cmd.InPieces())
		}
		if c.pieces && len(c.want) <= len(room) != (&got[0] == &room[0]) {
			t.Errorf("%+v is gathered elsewhere", c.cmd)
		}
	}
}
