package ring

// A Writer writes a packet ring and counts the room itself; it reads the reader's counters only when the
// ring seems full (pm-messaging, section 1.4.8).
type Writer struct {
	ring       Ring
	slot, pos  uint64 // next free line and data position
	tail, back uint64 // last known consumed line and data position
}

// NewWriter returns a writer that continues at line slot and data position
// pos; both are 0 for new memory.
func NewWriter(mem []byte, l Layout, slot, pos uint64) *Writer {
	return &Writer{ring: Open(mem, l), slot: slot, pos: pos, tail: slot, back: pos}
}

// Put sends one packet and reports whether there was room; without room
// nothing is written. The payload is at most [Layout.MaxPayload] bytes long.
func (w *Writer) Put(head [3]uint64, payload []byte) bool {
	if len(payload) > Short && 2*uint64(len(payload)) > w.ring.size {
		panic(longPayload)
	}
	_, next := Place(w.pos, w.ring.size, len(payload), w.ring.spread)
	if !w.room(next) {
		w.refresh()
		if !w.room(next) {
			return false
		}
	}
	w.ring.Put(w.slot, w.pos, &head, payload)
	w.slot++
	w.pos = next
	return true
}

func (w *Writer) room(next uint64) bool {
	return w.slot-w.tail <= w.ring.mask && next-w.back <= w.ring.size
}

// refresh takes over counters that are possible: not ahead of what was written and not behind what was
// known.
func (w *Writer) refresh() {
	if slot, pos := w.ring.Consumed(); slot-w.tail <= w.slot-w.tail && pos-w.back <= w.pos-w.back {
		w.tail, w.back = slot, pos
	}
}
