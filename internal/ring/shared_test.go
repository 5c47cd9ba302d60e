package ring

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// shared returns both ends of a shared ring whose pointers begin at at.
func shared(l SharedLayout, at uint64) (*SharedWriter, *SharedReader) {
	mem := Memory(l.Size())
	w := NewSharedWriter(mem, l)
	w.front[frontReceive], *w.released = at, at
	return w, NewSharedReader(mem, l, 7)
}

func TestSharedRingAgainstQueue(t *testing.T) {
	for _, lines := range []int{64, 256} {
		for _, at := range starts {
			rng := rand.New(rand.NewPCG(2, at))
			w, r := shared(SharedLayout{lines}, at)
			var queue []record
			var p Packet
			refused := 0
			for range 5000 {
				if rng.IntN(5) < 3 {
					rec := random(rng, SharedLayout{lines}.MaxPayload())
					// A payload that looks like every sequence number to come.
					for i := 0; i+8 <= len(rec.payload); i += LineBytes {
						binary.LittleEndian.PutUint32(rec.payload[i:], Seq(r.slot+uint64(rng.IntN(2*lines))))
					}
					if w.Append(rec.source, &rec.head, rec.payload) {
						queue = append(queue, rec)
					} else if refused++; len(queue) == 0 {
						t.Fatalf("empty ring has no room for %d bytes", len(rec.payload))
					}
					continue
				}
				ok, err := r.Poll(&p)
				if err != nil || ok != (len(queue) > 0) {
					t.Fatalf("Poll = %v, %v with %d records under way", ok, err, len(queue))
				}
				if ok {
					same(t, &p, queue[0].head, queue[0].payload)
					if p.Peer != queue[0].source || p.Ring != Everybody {
						t.Fatalf("source %d, want %d", p.Peer, queue[0].source)
					}
					queue = queue[1:]
					r.Consume()
				}
			}
			if refused == 0 {
				t.Error("the ring was never full")
			}
		}
	}
}

func TestSharedRingRefusalWritesNothing(t *testing.T) {
	w, _ := shared(SharedLayout{64}, 0)
	for w.Append(1, &[3]uint64{}, make([]byte, 100)) {
	}
	before, at := append([]byte(nil), w.bytes...), w.front[frontReceive]
	if w.Append(1, &[3]uint64{7, 7, 7}, make([]byte, w.most)) {
		t.Fatal("room in a full ring")
	}
	if string(before) != string(w.bytes) || at != w.front[frontReceive] {
		t.Fatal("a refused record left something behind")
	}
}

// TestSharedRingReceivesOnePacketAtATime: while the packet of one source is being received, no other can
// begin, nothing is visible, and the receive pointer does not move.
func TestSharedRingReceivesOnePacketAtATime(t *testing.T) {
	w, r := shared(SharedLayout{64}, 5)
	if !w.hold(3) || w.front[frontHolder] != 4 {
		t.Fatalf("holder %d", w.front[frontHolder])
	}
	before := append([]byte(nil), w.bytes...)
	if w.Append(1, &[3]uint64{}, []byte("second")) {
		t.Fatal("two packets at once")
	}
	if string(before) != string(w.bytes) || w.front[frontReceive] != 5 || w.front[frontHolder] != 4 || r.Ready() {
		t.Fatal("a packet that has to wait left something behind")
	}
	storeCounters(w.front, 5, 0)
	if !w.Append(1, &[3]uint64{}, []byte("second")) || !r.Ready() || w.front[frontReceive] != 6 || w.front[frontHolder] != 0 {
		t.Fatal("the ring does not go on")
	}
	// If a ring does not have enough room, it is released.
	for w.Append(2, &[3]uint64{}, make([]byte, 900)) {
	}
	if w.front[frontHolder] != 0 {
		t.Fatalf("a full ring is held by %d", w.front[frontHolder])
	}
}

// TestReceivePointerNeverLeads: at any moment, everything below the receive pointer has arrived.
func TestReceivePointerNeverLeads(t *testing.T) {
	w, r := shared(SharedLayout{64}, 0)
	var wg sync.WaitGroup
	var stop atomic.Bool
	for id := range 3 {
		wg.Go(func() {
			for buf := make([]byte, 300); !stop.Load(); {
				if !w.Append(id, &[3]uint64{}, buf) {
					runtime.Gosched()
				}
			}
		})
	}
	defer wg.Wait()
	defer stop.Store(true)
	var p Packet
	for range 20000 {
		covers := int64(atomic.LoadUint64(&w.front[frontReceive])-r.slot) > 0 // not if it only covers padding
		ok, err := r.Poll(&p)
		if err != nil || covers && !ok {
			t.Fatalf("the receive pointer is past line %d, which has not arrived: %v", r.slot, err)
		}
		if ok {
			r.Consume()
		}
		if !covers {
			runtime.Gosched()
		}
	}
}

func TestSharedRingManyWriters(t *testing.T) {
	const writers, each = 5, 400
	w, r := shared(SharedLayout{64}, 1<<32-100)
	var wg sync.WaitGroup
	var stop atomic.Bool
	for id := range writers {
		wg.Go(func() {
			buf := make([]byte, MaxShared)
			rng := rand.New(rand.NewPCG(3, uint64(id)))
			for i := range each {
				n := rng.IntN(200)
				for j := range n {
					buf[j] = byte(id + i + j)
				}
				for !w.Append(id, &[3]uint64{2: uint64(i)}, buf[:n]) {
					if stop.Load() {
						return
					}
					runtime.Gosched()
				}
			}
		})
	}
	defer wg.Wait()
	defer stop.Store(true)
	var next [writers]uint64
	var p Packet
	for got := 0; got < writers*each; {
		ok, err := r.Poll(&p)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			runtime.Gosched()
			continue
		}
		if p.Head[2] != next[p.Peer] {
			t.Fatalf("writer %d: record %d, want %d", p.Peer, p.Head[2], next[p.Peer])
		}
		for j, b := range p.Data {
			if b != byte(p.Peer+int(p.Head[2])+j) {
				t.Fatalf("writer %d record %d: byte %d is wrong", p.Peer, p.Head[2], j)
			}
		}
		next[p.Peer]++
		got++
		r.Consume()
	}
}

func TestLyingSharedWriters(t *testing.T) {
	for name, size := range map[string]uint64{
		"length": MaxShared + 1, "source": 7<<16 | 8, "padding": pad,
	} {
		_, r := shared(SharedLayout{64}, 0)
		Publish(r.line, &Line{uint64(r.want), size})
		var p Packet
		if ok, err := r.Poll(&p); ok || !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: Poll = %v, %v", name, ok, err)
		}
	}
	_, r := shared(SharedLayout{64}, 63) // a record across the end
	Publish(r.line, &Line{uint64(r.want), 2<<16 | 100})
	var p Packet
	if ok, err := r.Poll(&p); ok || !errors.Is(err, ErrCorrupt) || p.Peer != 2 {
		t.Errorf("across the end: Poll = %v, %v from %d", ok, err, p.Peer)
	}
	w, _ := shared(SharedLayout{64}, 0) // pointers that are impossible
	*w.released = 1 << 40
	if w.Append(0, &[3]uint64{}, nil) {
		t.Error("a release pointer ahead of the receive pointer was believed")
	}
}

// FuzzReaders lets a hostile peer write anything into both kinds of rings: no reader may access memory
// outside the ring.
func FuzzReaders(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff})
	f.Add(make([]byte, 3000))
	f.Fuzz(func(t *testing.T, junk []byte) {
		l, sl := Layout{Slots: 4, Bytes: 256}, SharedLayout{64}
		mem, smem := Memory(l.Size()), Memory(sl.Size())
		copy(mem, junk)
		copy(smem[2*guardBytes:], junk)
		r, sr := NewReader(mem, l, 0, 0), NewSharedReader(smem, sl, 3)
		var p Packet
		for range 8 {
			if ok, err := r.Poll(&p); !ok || err != nil {
				break
			} else if len(p.Data) > l.Bytes {
				t.Fatalf("%d bytes from a data area of %d", len(p.Data), l.Bytes)
			}
			r.Consume()
		}
		for range 128 {
			if ok, err := sr.Poll(&p); !ok || err != nil {
				break
			} else if len(p.Data) > MaxShared || uint(p.Peer) >= 3 {
				t.Fatalf("%d bytes from peer %d", len(p.Data), p.Peer)
			}
			sr.Consume()
		}
	})
}
