package ring

import "sync/atomic"

// An Outlet is a packet ring of a peer as a NIC opens it for lines that nothing stands in the way of: a line goes
// out as long as three words, by which the NIC has found the way, are what they were. Whatever else there
// may be to do, the NIC does, which then opens it again. It belongs to one goroutine at a time.
type Outlet struct {
	ring   *Ring
	count  *uint64 // of what has gone
	words  [3]*uint64
	were   [3]uint64
	slot   uint64  // after the packet that went last
	asleep *uint32 // not 0: the peer has to be woken
}

// Open has lines go out into r while each word is what it was, and be counted.
func (o *Outlet) Open(r *Ring, count *uint64, words [3]*uint64, were [3]uint64) {
	o.ring, o.count, o.words, o.were = r, count, words, were
}

// Watch tells the outlet where it shows that the peer has to be woken.
func (o *Outlet) Watch(asleep *uint32) { o.asleep = asleep }

// Heed tells the ring which one its reader answers in.
func (o *Outlet) Heed(answers *Inlet) { o.ring.came = &answers.slot }

// Asleep reports whether the peer has to be woken for what has gone.
func (o *Outlet) Asleep() bool { return atomic.LoadUint32(o.asleep) != 0 }

// Line is [Ring.PutLine] of a packet whose first header words are w0 and w1, where the low half of w0 is 0, that of w1 the length of the
// payload, and w2. It reports whether the words are what they were; else nothing has happened.
func (o *Outlet) Line(slot, w0, w1, w2 uint64, payload []byte) bool {
	return line(o, slot, w0, w1, w2, payload)
}

// Sent returns the number of the packet after the one that went last.
func (o *Outlet) Sent() uint64 { return o.slot }

// Went notes that the packet before slot has gone by another way.
func (o *Outlet) Went(slot uint64) { o.slot = slot }
