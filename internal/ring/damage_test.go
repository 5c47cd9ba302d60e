package ring

import (
	"encoding/binary"
	"sync/atomic"
	"testing"
)

// TestPayloadIsNoHeaderLater: a payload that looks like a header of a later lap is not taken for one.
func TestPayloadIsNoHeaderLater(t *testing.T) {
	layout := SharedLayout{Lines: 64}
	mem := Memory(layout.Size())
	w, r := NewSharedWriter(mem, layout), NewSharedReader(mem, layout, 1)
	var head [3]uint64
	var p Packet
	pass := func(payload []byte) {
		t.Helper()
		if !w.Append(0, &head, payload) {
			t.Fatal("no room")
		}
		if ok, err := r.Poll(&p); !ok || err != nil || len(p.Data) != len(payload) {
			t.Fatalf("%v, %v, %d bytes", ok, err, len(p.Data))
		}
		r.Consume()
	}
	forged := make([]byte, 2*LineBytes) // in lines 1 and 2
	for i := range 2 {
		binary.NativeEndian.PutUint64(forged[i*LineBytes:], uint64(Seq(uint64(64+1+i))))
	}
	pass(forged)
	for slot := 3; slot <= 66; slot++ {
		if r.Ready() {
			t.Fatalf("line %d has arrived before it was sent", slot)
		}
		pass(nil)
	}
}

// TestWriterBelievesNoImpossibleTail: counters that are ahead of what was sent free nothing.
func TestWriterBelievesNoImpossibleTail(t *testing.T) {
	layout := Layout{Slots: 8, Bytes: 1024}
	for name, forge := range map[string]func(counters *Line){
		"lines":         func(c *Line) { atomic.StoreUint64(&c[0], 9) },
		"data":          func(c *Line) { atomic.StoreUint64(&c[0], 4); atomic.StoreUint64(&c[1], 64) },
		"lines go back": func(c *Line) { atomic.StoreUint64(&c[0], 1<<64-1) },
	} {
		w := NewWriter(Memory(layout.Size()), layout, 0, 0)
		for w.Put([3]uint64{}, nil) {
		}
		if w.slot != uint64(layout.Slots) {
			t.Fatalf("%s: %d packets fit", name, w.slot)
		}
		forge(w.ring.counters)
		if w.Put([3]uint64{}, nil) {
			t.Errorf("%s: a packet over one that has not been read", name)
		}
	}
}
