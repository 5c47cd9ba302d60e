package ring

import "sync/atomic"

// A Reader reads a packet ring. It belongs to one goroutine.
type Reader struct {
	line  *Line  // of the next packet
	want  uint32 // its sequence
	slot  uint64 // its number
	pos   uint64 // next data position
	after uint64 // data position after the packet that Poll returned
	usual uint64 // payload bytes of the packet that Poll returned
	sum   uint64 // of the header words of all packets consumed: see [Tally]
	fresh uint64 // sum of the header words of the packet that Poll returned
	row   uint64 // packets in a row that were waiting
	ring  Ring
}

// NewReader returns a reader that continues at line slot and data position
// pos; both are 0 for new memory.
func NewReader(mem []byte, l Layout, slot, pos uint64) *Reader {
	r := &Reader{ring: Open(mem, l), slot: slot, pos: pos, after: pos}
	r.aim()
	return r
}

func (r *Reader) aim() {
	r.line = r.ring.line(r.slot)
	r.want = Seq(r.slot)
}

// Ready reports whether the next packet has arrived. It reads one line.
func (r *Reader) Ready() bool {
	if uint32(atomic.LoadUint64(&r.line[0])) == r.want {
		return true
	}
	r.row = 0
	return false
}

// Poll fills Head and Data of p with the next packet and reports whether there was one. The packet stays
// the next one until Consume. ErrCorrupt is final: writer and reader no longer agree on positions.
func (r *Reader) Poll(p *Packet) (bool, error) {
	w := atomic.LoadUint64(&r.line[0])
	if uint32(w) != r.want {
		return false, nil
	}
	err := r.open(w, p)
	return err == nil, err
}

// open fills p with the next packet, whose first word is w.
func (r *Reader) open(w uint64, p *Packet) error {
	w1, w2 := r.line[1], r.line[2]
	p.Head[0], p.Head[1], p.Head[2] = w, w1, w2
	n := uint64(uint32(w1))
	r.usual, r.fresh = n, w+w1+w2
	if n <= Short {
		p.Data = r.Data(int(n))
		r.after = r.pos
		return nil
	}
	if n > r.ring.size {
		return ErrCorrupt
	}
	at, next := Place(r.pos, r.ring.size, int(n), r.ring.spread)
	if next-r.pos > r.ring.size {
		return ErrCorrupt // there was never room for it
	}
	at &= r.ring.size - 1
	p.Data = r.ring.data[at : at+n : at+n]
	r.after = next
	return nil
}

// Glance looks up to that many times whether the next packet has arrived, and reports whether it has. Each look
// also prefetches the line behind, if the last payload went on there. When the writer takes away the line that
// is looked at, several looks are under way: both lines then come at the same time, not one after the other.
func (r *Reader) Glance(looks int) (there bool) {
	along := &short(r.line)[0] // in the line that is looked at
	if n := r.usual; n > Inline && n <= Short {
		along = &short(r.line)[Inline]
	}
	return glance(r.line, r.want, looks, along)
}

// Data is the payload of the next packet, of n bytes, at most [Short].
func (r *Reader) Data(n int) []byte { return short(r.line)[:n:n] }

// aheadLines is how many lines of payload Expect prefetches: somewhat more than a core can have in flight
// at once.
const aheadLines = 48

// Expect prefetches the payload of the next packet, assuming that it is as long as the last one, and reports
// whether that lies in the data area and has at most that many bytes. Otherwise it prefetches at most the slot.
// It has no effect but on timing, and helps if the packet has just been written, or is about to be while its
// line is polled: line and payload are then transferred at the same time.
func (r *Reader) Expect(most int) (apart bool) {
	n := r.usual
	switch {
	case n <= Inline:
		return false
	case n <= Short:
		fetch(&short(r.line)[Inline], 1)
		return false
	case n > min(r.ring.size, uint64(most)):
		return false
	}
	at, _ := Place(r.pos, r.ring.size, int(n), r.ring.spread)
	fetch(&r.ring.data[at&(r.ring.size-1)], min(int(n+LineBytes-1)/LineBytes, aheadLines))
	return true
}

// Consume frees the space of the packet that Poll returned and exports the
// counters.
func (r *Reader) Consume() {
	r.slot++
	r.pos = r.after
	r.sum += r.fresh
	r.row++
	release(r)
}

// Consumed returns how many lines and data positions have been consumed.
func (r *Reader) Consumed() (slot, pos uint64) { return r.slot, r.pos }
