package ring

import "sync/atomic"

// An Outlet is a packet ring of a peer that a NIC has opened for direct use: lines go out without a call of
// the NIC as long as three words, by which the NIC found the ring, keep their values. Anything else is the
// NIC's job, which then opens the outlet again. An Outlet belongs to one goroutine at a time.
type Outlet struct {
	ring   *Ring
	count  *uint64 // of the packets sent
	words  [3]*uint64
	were   [3]uint64
	slot   uint64  // of the packet after the last one sent
	asleep *uint32 // not 0: the peer has to be woken
}

// Open has lines go out into r, counted in count, while each of words has its value in were.
func (o *Outlet) Open(r *Ring, count *uint64, words [3]*uint64, were [3]uint64) {
	o.ring, o.count, o.words, o.were = r, count, words, were
}

// Watch sets the word that says whether the peer has to be woken.
func (o *Outlet) Watch(asleep *uint32) { o.asleep = asleep }

// Heed tells the ring in which inlet its reader answers.
func (o *Outlet) Heed(answers *Inlet) { o.ring.came = &answers.slot }

// Asleep reports whether the peer has to be woken for the packets sent.
func (o *Outlet) Asleep() bool { return atomic.LoadUint32(o.asleep) != 0 }

// Line is [Ring.PutLine] of a packet with header words w0, w1 and w2; the low half of w0 is 0, that of w1
// the length of the payload. It reports whether the words of [Outlet.Open] have their values; if not,
// nothing has been sent.
func (o *Outlet) Line(slot, w0, w1, w2 uint64, payload []byte) bool {
	return line(o, slot, w0, w1, w2, payload)
}

// Sent returns the number of the packet after the last one sent.
func (o *Outlet) Sent() uint64 { return o.slot }

// Went notes that the packet before slot has been sent without this outlet.
func (o *Outlet) Went(slot uint64) { o.slot = slot }
