package mailbox

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// area returns memory for a reader, as bytes and as words; the words are copied to the
// bytes by read, as a network would see them.
func area(peers int) ([]byte, []uint64) {
	return make([]byte, Bytes(peers)), make([]uint64, Bytes(peers)/8)
}

// TestSlots: packets of several writers come whole and in order, no slot is written before it was consumed,
// and no writer is stuck.
func TestSlots(t *testing.T) {
	const peers = 3
	mem, words := area(peers)
	in, out := NewIn(mem, words, peers), make([]Out, peers)
	rng := rand.New(rand.NewPCG(1, 1))
	type packet struct {
		from int
		at   uint64
		n    uint64
		mark uint32
	}
	var under []packet
	var full int
	for i := range 5000 {
		if from := rng.IntN(peers); rng.IntN(2) == 0 {
			o := &out[from]
			if o.Full() {
				o.Refresh(words[Counter(from)/8])
			}
			if o.Full() {
				full++
				continue
			}
			p := packet{from, o.Next(from), 4 + rng.Uint64N(SlotBytes-3), uint32(i)}
			binary.NativeEndian.PutUint32(mem[p.at+p.n-4:], p.mark)
			o.Sent()
			under = append(under, p)
		} else if len(under) > 0 {
			p := under[0]
			under = under[1:]
			b, ok := in.Open(p.from, p.at, p.n)
			if !ok || uint64(len(b)) != p.n || binary.NativeEndian.Uint32(b[p.n-4:]) != p.mark {
				t.Fatalf("packet %d: %v, %d bytes", p.mark, ok, len(b))
			}
			in.Release()
			in.Release() // once is enough
		}
	}
	if full == 0 {
		t.Error("the slots were never full")
	}
}

// TestSlotOfNobody: only the slot that is due is opened.
func TestSlotOfNobody(t *testing.T) {
	mem, words := area(2)
	in, out := NewIn(mem, words, 2), Out{}
	due := out.Next(1)
	for _, c := range []struct {
		writer int
		at, n  uint64
	}{{0, due, 8}, {1, due + 1, 8}, {1, due, SlotBytes + 1}, {1, due, 1 << 63}, {1, ^uint64(0), 8}, {1, slot(1, 1), 8}} {
		if _, ok := in.Open(c.writer, c.at, c.n); ok {
			t.Errorf("%+v is opened", c)
		}
	}
	if _, ok := in.Open(1, due, SlotBytes); !ok {
		t.Error("the slot that is due is not opened")
	}
}

// TestCounterIsNotTrusted: a counter of more than was sent, or less than before, changes nothing.
func TestCounterIsNotTrusted(t *testing.T) {
	var o Out
	for range Slots {
		o.Sent()
	}
	for _, lie := range []uint64{Slots + 1, 1 << 63, ^uint64(0)} {
		if o.Refresh(lie); !o.Full() {
			t.Errorf("%d is believed", lie)
		}
	}
	if o.Refresh(2); o.Full() {
		t.Error("the truth is not believed")
	}
	o.Sent()
	o.Sent()
	if o.Refresh(1); !o.Full() {
		t.Error("the counter went back")
	}
}
