package ring

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// starts are line numbers and data positions at which rings begin in tests: zero, and just before the
// sequence, the 32-bit and the 64-bit counters wrap.
var starts = []uint64{0, 1<<32 - 3, 1<<64 - 64}

// pair returns both ends of a ring whose counters begin near at.
func pair(l Layout, at uint64) (*Writer, *Reader, []byte) {
	mem := Memory(l.Size())
	at -= at % LineBytes
	slot := at + 61 // a few lines before a multiple of 64
	r := NewReader(mem, l, slot, at)
	return NewWriter(mem, l, slot, at), r, mem
}

// same fails t unless p is the packet with the given words and payload.
func same(t *testing.T, p *Packet, head [3]uint64, payload []byte) {
	t.Helper()
	if p.Head[0]>>32 != head[0]>>32 || p.Head[1]>>32 != head[1]>>32 || p.Head[2] != head[2] {
		t.Fatalf("header %x, want %x", p.Head, head)
	}
	if !bytes.Equal(p.Data, payload) {
		t.Fatalf("payload of %d bytes differs from the %d sent", len(p.Data), len(payload))
	}
}

type record struct {
	head    [3]uint64
	payload []byte
	source  int
}

func random(rng *rand.Rand, longest int) record {
	n := rng.IntN(longest + 1)
	if rng.IntN(2) == 0 {
		n = rng.IntN(min(longest, Short+1) + 1)
	}
	rec := record{[3]uint64{rng.Uint64(), rng.Uint64(), rng.Uint64()}, make([]byte, n), rng.IntN(7)}
	for i := range rec.payload {
		rec.payload[i] = byte(rng.Uint32())
	}
	return rec
}

func TestSeqIsNeverZeroAndNewInEachLap(t *testing.T) {
	for _, slots := range []uint64{2, 64, 1 << 20} {
		for _, n := range []uint64{0, 1, 1<<32 - 2, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1<<64 - 1} {
			if Seq(n) == 0 || Seq(n) == Seq(n+slots) {
				t.Errorf("slots %d line %d: sequence %d, a lap later %d", slots, n, Seq(n), Seq(n+slots))
			}
		}
	}
}

func TestPacketRingAgainstQueue(t *testing.T) {
	for _, l := range []Layout{
		{Slots: 2, Bytes: 64}, {Slots: 4, Bytes: 256}, {Slots: 16, Bytes: 4096}, {Slots: 64, Bytes: 1024},
		{Slots: 64, Bytes: 1 << 16}, {Slots: 64, Bytes: 1 << 16, Spread: true},
	} {
		for _, at := range starts {
			rng := rand.New(rand.NewPCG(1, uint64(l.Slots)+at))
			w, r, _ := pair(l, at)
			var queue []record
			var p Packet
			refused := 0
			for range 3000 {
				if rng.IntN(5) < 3 {
					rec := random(rng, l.MaxPayload())
					if w.Put(rec.head, rec.payload) {
						queue = append(queue, rec)
					} else if refused++; len(queue) == 0 {
						t.Fatalf("%v: empty ring has no room for %d bytes", l, len(rec.payload))
					}
					if len(queue) > l.Slots {
						t.Fatalf("%v: %d packets in the ring", l, len(queue))
					}
					continue
				}
				ok, err := r.Poll(&p)
				if err != nil || ok != (len(queue) > 0) {
					t.Fatalf("%v: Poll = %v, %v with %d packets under way", l, ok, err, len(queue))
				}
				if ok {
					same(t, &p, queue[0].head, queue[0].payload)
					queue = queue[1:]
					r.Consume()
				}
			}
			if refused == 0 {
				t.Errorf("%v: the ring was never full", l)
			}
		}
	}
}

// bytesFrom is a payload of which byte number i is i, and a bit more.
type bytesFrom byte

func (b bytesFrom) Gather(dst []byte, off int) {
	for i := range dst {
		dst[i] = byte(b) + byte(off+i)
	}
}

// A payload in pieces is gathered where it belongs, also by a ring that is spread, and whether it fits its line or not.
func TestGatheredPayloads(t *testing.T) {
	for _, l := range []Layout{{Slots: 4, Bytes: 4096}, {Slots: 8, Bytes: 1 << 16, Spread: true}} {
		w, r, _ := pair(l, 0)
		ring, pos := &w.ring, w.pos
		for slot, n := range []int{1, Inline, Short, Short + 1, 600, 1000, 5, 2000, 64} {
			want := make([]byte, n)
			bytesFrom(slot).Gather(want, 3)
			pos = ring.Gather(w.slot+uint64(slot), pos, &[3]uint64{1 << 32}, bytesFrom(slot), 3, n)
			var p Packet
			if ok, err := r.Poll(&p); !ok || err != nil || !bytes.Equal(p.Data, want) {
				t.Fatalf("packet %d of %d bytes: %v, %v", slot, n, ok, err)
			}
			r.Consume()
			if _, at := r.Consumed(); at != pos {
				t.Fatalf("packet %d of %d bytes ends at %d, not %d", slot, n, at, pos)
			}
		}
		func() {
			defer func() {
				if recover() != longPayload {
					t.Error("there is space for more than the ring has")
				}
			}()
			ring.Gather(9, pos, &[3]uint64{}, bytesFrom(0), 0, l.Bytes+1)
		}()
	}
}

func TestConsumedFollowsTheReader(t *testing.T) {
	w, r, _ := pair(Layout{Slots: 4, Bytes: 256}, 0)
	var p Packet
	for range 3 {
		w.Put([3]uint64{}, make([]byte, 120))
		if ok, err := r.Poll(&p); !ok || err != nil {
			t.Fatal(ok, err)
		}
		r.Consume()
	}
	slot, pos := w.ring.Consumed()
	if wantSlot, wantPos := r.Consumed(); slot != wantSlot || pos != wantPos || pos == 0 {
		t.Fatalf("exported %d, %d; consumed %d, %d", slot, pos, wantSlot, wantPos)
	}
}

func TestLyingWriter(t *testing.T) {
	l := Layout{Slots: 4, Bytes: 1024}
	for _, n := range []uint64{1025, 1 << 31, 1<<32 - 1} {
		_, r, _ := pair(l, 0)
		Publish(r.line, &Line{uint64(r.want), n})
		var p Packet
		if ok, err := r.Poll(&p); ok || !errors.Is(err, ErrCorrupt) {
			t.Errorf("length %d: Poll = %v, %v", n, ok, err)
		}
	}
	// A length that is larger than any room in the area could be: the skip to the start of the area and the
	// payload together exceed the area.
	w, r, _ := pair(l, 0)
	var p Packet
	w.Put([3]uint64{}, make([]byte, 512))
	r.Poll(&p)
	r.Consume()
	Publish(r.line, &Line{uint64(r.want), 1000})
	if ok, err := r.Poll(&p); ok || !errors.Is(err, ErrCorrupt) {
		t.Errorf("payload across the end: Poll = %v, %v", ok, err)
	}
}

func TestLyingReader(t *testing.T) {
	w, r, _ := pair(Layout{Slots: 4, Bytes: 256}, 0)
	for w.Put([3]uint64{}, nil) {
	}
	for _, lie := range [][2]uint64{{w.slot + 1, 0}, {0, 0}, {w.slot, 1}, {1 << 63, 1 << 63}} {
		storeCounters(r.ring.counters, lie[0], lie[1])
		if w.Put([3]uint64{}, nil) {
			t.Fatalf("counters %v were believed", lie)
		}
	}
}

func TestBrokenContractsPanic(t *testing.T) {
	l := Layout{Slots: 4, Bytes: 256}
	mem := Memory(1 << 16)
	big := make([]byte, 4096)
	sw := NewSharedWriter(mem, SharedLayout{64})
	set := NewSet(NewSharedReader(mem, SharedLayout{64}, 2), 2)
	cases := map[string]func(){
		badAlignment: func() { Open(mem[8:], l) },
		badLayout:    func() { Open(mem, Layout{Slots: 3, Bytes: 256}) },
		badShared:    func() { NewSharedWriter(mem, SharedLayout{32}) },
		shortMemory:  func() { Open(mem[:l.Size()-1], l) },
		longPayload:  func() { NewWriter(mem, l, 0, 0).Put([3]uint64{}, big[:129]) },
		badSource:    func() { sw.Append(1<<16, &[3]uint64{}, nil) },
		badPeer:      func() { set.Add(2, 0, NewReader(mem, l, 0, 0)) },
	}
	more := map[string]func(){
		longPayload: func() { sw.Append(0, &[3]uint64{}, big[:MaxShared+1]) },
		shortMemory: func() { NewSharedWriter(mem[:100], SharedLayout{64}) },
	}
	for _, m := range []map[string]func(){cases, more} {
		for want, f := range m {
			func() {
				defer func() {
					if got := recover(); got != want {
						t.Errorf("panic %v, want %q", got, want)
					}
				}()
				f()
			}()
		}
	}
	r := Open(mem, l)
	defer func() {
		if got := recover(); got != longPayload {
			t.Errorf("panic %v, want %q", got, longPayload)
		}
	}()
	r.Put(0, 0, &[3]uint64{}, big)
}

func TestPublishCopiesTheWholeLine(t *testing.T) {
	mem := Memory(3 * LineBytes)
	lines := linesOf(mem)
	src := Line{1, 2, 3, 4, 5, 6, 7, 8}
	Publish(&lines[1], &src)
	if lines[1] != src || lines[0] != (Line{}) || lines[2] != (Line{}) {
		t.Fatalf("lines %v", lines)
	}
	if Acquire(&lines[1]) != 1 {
		t.Fatal("sequence", Acquire(&lines[1]))
	}
	Prefetch(&lines[2])
	storeCounters(&lines[2], 9, 10)
	if lines[2] != (Line{9, 10}) || lines[1] != src {
		t.Fatalf("counters %v", lines[2])
	}
}

func TestNoAllocations(t *testing.T) {
	l := Layout{Slots: 16, Bytes: 4096}
	w, r, _ := pair(l, 0)
	mem := Memory(SharedLayout{64}.Size())
	sw, set := NewSharedWriter(mem, SharedLayout{64}), NewSet(NewSharedReader(mem, SharedLayout{64}, 4), 4)
	set.Add(1, 0, r)
	small, long := make([]byte, 8), make([]byte, 1000)
	var p Packet
	if n := testing.AllocsPerRun(1000, func() {
		w.Put([3]uint64{1, 2, 3}, small)
		w.Put([3]uint64{1, 2, 3}, long)
		sw.Append(2, &[3]uint64{}, small)
		sw.Append(2, &[3]uint64{}, long)
		for i := range 4 {
			if ok, err := set.Poll(&p); !ok || err != nil {
				t.Fatal(i, ok, err)
			}
		}
		set.Hint(1)
		set.Poll(&p)
	}); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

// Expect knows from the last packet whether the next payload is separate from its slot, and consumes
// nothing.
func TestExpect(t *testing.T) {
	l := Layout{Slots: 8, Bytes: 1 << 16}
	mem := Memory(l.Size())
	w, r := NewWriter(mem, l, 0, 0), NewReader(mem, l, 0, 0)
	const any = math.MaxInt
	if r.Expect(any) {
		t.Error("a payload apart before the first packet")
	}
	var p Packet
	for i, n := range []int{Inline, Short, Short + 1, 5000, 0, 600, 600} {
		if !w.Put([3]uint64{}, make([]byte, n)) {
			t.Fatal("no room")
		}
		r.Expect(any)
		if ok, err := r.Poll(&p); !ok || err != nil || len(p.Data) != n {
			t.Fatalf("packet %d: %v, %v, %d bytes", i, ok, err, len(p.Data))
		}
		r.Consume()
		for most, want := range map[int]bool{any: n > Short, n: n > Short, n - 1: false, 0: false} {
			if got := r.Expect(most); got != want {
				t.Errorf("after %d bytes, and for at most %d: apart %v", n, most, got)
			}
		}
	}
	r.usual = 1 << 40 // a wrong value from a faulty writer
	if r.Expect(any) {
		t.Error("asks for a payload beyond the area")
	}
}

// Consecutive lines are on different pages, if the ring has several, and each lap uses every line once. In a ring of
// two pages there must be one exception: after half a lap the pages have changed their turns.
func TestLinesAreScattered(t *testing.T) {
	for _, slots := range []int{2, 64, 256, 1024} {
		l := Layout{Slots: slots, Bytes: 64}
		mem := Memory(l.Size())
		r := Open(mem, l)
		lines := linesOf(mem)
		at := map[*Line]int{}
		for i := range slots {
			at[&lines[i*slotLines]] = i
		}
		used, last, exceptions := map[int]bool{}, -1, 0
		if slots*SlotBytes == 2*spreadPage {
			exceptions = 1
		}
		for slot := range uint64(slots) {
			i, ok := at[r.line(slot)]
			if !ok || used[i] {
				t.Fatalf("%d slots: packet %d in slot %d, in the ring %v, used before %v", slots, slot, i, ok, used[i])
			}
			page := i * SlotBytes / spreadPage
			if slots*SlotBytes > spreadPage && page == last {
				if exceptions--; exceptions < 0 {
					t.Errorf("%d slots: packet %d is on the page of the one before", slots, slot)
				}
			}
			used[i], last = true, page
		}
	}
}
