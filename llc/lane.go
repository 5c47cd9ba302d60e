package llc

import (
	"math"

	"rhinet/internal/invariants"
	"rhinet/internal/ring"
	"rhinet/internal/vec"
	"rhinet/llc/ir"
	"rhinet/llc/seq"
	"rhinet/llc/wire"
)

// The ready lane: the way of an eager message that nothing holds up. What decides about it changes with the
// connection and the backlog, not with the message, and is kept in the Lane of each peer. A driver whose
// translator is an [ir.Express] asks here first; a message that is not plain takes the slow path, by Send,
// Recv and Step. The rules are the same: Send asks Direct, too, and both paths take room, cut messages and
// reassemble them by the same functions.

// A Lane is the ready lane to and from one peer. The engine keeps its first fields, which say what may pass,
// up to date with the connection and the backlog; Out and In belong to the driver: the rings by which it
// bypasses the translator.
type Lane struct {
	// Outgoing: written by Send, see connect.go and credit.go.
	direct int        // messages shorter than this go straight through: the pair has a ring, and no backlog
	lines  seq.Window // lines of that ring
	Out    *ring.Outlet

	// Incoming: where packets of this peer must come from, see connect.go,
	// and the message they belong to, see eager.go.
	In     *ring.Inlet
	number int32
	via    uint32 // complement of the ring, so that zero is the shared ring
	seen   uint32 // messages that have come in its packet ring, see early.go
	in     incoming
}

// Lane returns the lane of a peer. It is always the same one.
func (e *Engine) Lane(peer int) *Lane { return &e.peers[peer].Lane }

// Admits reports whether a standard message of n bytes with tag goes in the next line of the ring of the peer: it
// fits a slot, the ring has room, and nothing waits that must go before it.
func (l *Lane) Admits(tag, n int) bool {
	return n < l.direct && l.lines.Open() && uint(tag) <= math.MaxInt32
}

// Shut reports whether nothing goes by the lane, whatever its length: the pair has no ring, as a peer has none to
// itself, or a backlog.
func (l *Lane) Shut() bool { return l.direct == 0 }

// Step takes that line, if the lane Admits a message. The caller places the packet at once.
func (l *Lane) Step() (slot uint64) { return l.lines.Step() }

// Direct is Admits and Step of the lane to dst.
func (e *Engine) Direct(dst, tag, n int) (slot uint64, ok bool) {
	if l := e.Lane(dst); l.Admits(tag, n) {
		return l.Step(), true
	}
	return 0, false
}

// Part takes room in the ring of dst for the next packet of a standard message of n bytes with tag, of which
// off have gone, and reports whether there is room and nothing waits that must go before it. The packet has
// the next bytes of the message, at most most; the caller places it at once. If there is no room once the
// first packet has gone, it calls SendRest.
func (e *Engine) Part(dst, tag, off, n, most int) (slot, pos uint64, bytes int, ok bool) {
	p := &e.peers[dst]
	if !p.free(tag, n) {
		return 0, 0, 0, false
	}
	bytes = min(p.nic.fragment, most, n-off)
	slot, pos, ok = e.room(p, bytes)
	return slot, pos, bytes, ok
}

// free is [Engine.Free].
func (p *peer) free(tag, n int) bool {
	return p.direct != 0 && p.queues.bulk.head == nil && uint64(n) <= p.nic.eager && uint(tag) <= math.MaxInt32
}

// Free reports whether nothing but lack of room can hold up the packets of a standard message of n bytes with tag.
func (e *Engine) Free(dst, tag, n int) bool { return e.peers[dst].free(tag, n) }

// Whole reports whether Part gives room to all packets of a standard message of n bytes with tag, of at most
// most bytes each.
func (e *Engine) Whole(dst, tag, n, most int) bool {
	p := &e.peers[dst]
	if !p.free(tag, n) {
		return false
	}
	most = min(p.nic.fragment, most)
	next, lines := p.data.Next(), p.lines.Credit()
	for off := 0; off < n; off += most {
		if lines--; int64(lines) < 0 {
			return false
		}
		if _, next = p.nic.caps.Place(next, min(most, n-off)); !p.data.Fits(next) {
			return false
		}
	}
	return true
}

// SendRest is Send for a standard message of which Part has let off bytes go.
func (e *Engine) SendRest(r *Request, off int) {
	if invariants.Enabled {
		r.pend()
	}
	r.done = false
	e.queueEager(&e.peers[r.Peer], r, nil, eagerHeader(r), off)
}

// EagerWords writes the header of the first packet of a standard message of n bytes: see [ir.Header.Words].
func EagerWords(head *[3]uint64, key Key, tag, n int) {
	head[0] = uint64(wire.Eager)<<32 | uint64(key)<<48
	head[1] = uint64(uint32(tag)) << 32
	head[2] = uint64(key)&^math.MaxUint32 | uint64(n)
}

// LineWords is EagerWords for a message of one line: the low half of w1 is the length, as the ring wants it.
func LineWords(key Key, tag, n int) (w0, w1, w2 uint64) {
	return uint64(wire.Eager)<<32 | uint64(key)<<48, uint64(uint32(tag))<<32 | uint64(n), uint64(key)&^math.MaxUint32 | uint64(n)
}

// FragmentWords writes the header of the packet that begins at byte off of a message.
func FragmentWords(head *[3]uint64, off int) {
	head[0], head[1], head[2] = uint64(wire.Fragment)<<32, 0, uint64(off)
}

// Went completes the send r, all of which has gone by Direct.
func (e *Engine) Went(r *Request) {
	r.Status.Err = nil
	r.done = true
}

// Vacant reports whether the next message of src in ctx goes to the next receive that asks for it: no receive
// is posted, no message waits, and none is incomplete.
func (e *Engine) Vacant(ctx uint16, src int) bool {
	p := &e.peers[src]
	return p.in.size == 0 && p.end == nil && e.table.Vacant(ctx, int32(src))
}

// Accept takes v, the next packet of src, for a receive of src, key and tag into room bytes that is not
// posted. It does so if src is [Engine.Vacant], so that this receive gets the message, and if v begins a
// message of the type of key that fits whole. If ok is false, nothing has changed. It returns the size and
// the tag of the message, and the caller copies the bytes of v (see [vec.Fill]). For a message that is longer
// than the packet, the caller takes the next packets with Next, and leaves those that have not come to a
// receive, with AcceptRest.
func (e *Engine) Accept(src int, key Key, tag int, v *ir.View, room int) (size, its int, ok bool) {
	p := &e.peers[src]
	n, word := len(v.Data), v.Head[2]^uint64(key)&^math.MaxUint32 // the size, if the types are equal
	size, its = int(word), int(int32(v.Head[1]>>32))
	if uint32(v.Head[0]>>32) != uint32(wire.Eager)|uint32(key)<<16 || its != tag && tag != AnyTag || its < 0 ||
		word > uint64(room) || n != size && !e.begins(n, size) ||
		^v.Ring != p.via || p.in.size != 0 || !e.table.Vacant(uint16(key), int32(src)) {
		return 0, 0, false
	}
	p.seen++
	return size, its, true
}

// Whole reports whether [Engine.Accept] would take the next packet of a lane, which lies in ring from and has
// the header words w0, w1 and w2, for the same receive, except that the caller checks whether the lane is
// Unmet, and calls Came when it takes the packet. Whole knows only messages of one packet, and receives with
// a tag.
func (l *Lane) Whole(key Key, tag int, w0, w1, w2 uint64, from uint32, room int) (size int, ok bool) {
	n := w2 ^ uint64(key)&^math.MaxUint32 // the size, if the types are equal
	return int(n), n <= uint64(room) && uint32(w0>>32) == uint32(wire.Eager)|uint32(key)<<16 &&
		w1 == uint64(tag)<<32|n && tag >= 0 && ^from == l.via && l.in.size == 0
}

// Unmet reports whether there is nothing that the next packet of a lane with key, or a receive for it, could
// meet.
func (e *Engine) Unmet(l *Lane, key Key) bool { return e.table.Vacant(uint16(key), l.number) }

// Came notes that a packet of Whole has been taken.
func (l *Lane) Came() { l.seen++ }

// Eager reports whether a message of n bytes may travel in packets.
func (e *Engine) Eager(n int) bool { return uint64(n) <= e.eager }

// begins reports whether n bytes can be the first packet of a message of size bytes.
func (e *Engine) begins(n, size int) bool { return n > 0 && n < size && uint64(size) <= e.eager }

// Next takes v, the next packet of src, into the message of size bytes of which Accept and Next have taken the
// first got, and returns the number of bytes in it, which the caller copies; 0 if it is not the next packet of
// that message, and then nothing has changed. Accept, Take and the calls of Next for one message come without
// any other call between them.
func (e *Engine) Next(src int, v *ir.View, got, size int) int {
	p := &e.peers[src]
	if uint32(v.Head[0]>>32) != uint32(wire.Fragment) || ^v.Ring != p.via ||
		!comesNext(v.Head[2], uint64(len(v.Data)), uint64(got), uint64(size)) {
		return 0
	}
	p.seen++
	return len(v.Data)
}

// AcceptRest has r, which is not posted, receive the remaining bytes of a message of size bytes with tag of
// which Accept and Next have taken the first got bytes into its buffer.
func (e *Engine) AcceptRest(r *Request, size, tag, got int) {
	if invariants.Enabled {
		r.pend()
	}
	r.done = false
	e.peers[r.Peer].in = incoming{size: uint64(size), got: uint64(got), r: r, tag: int32(tag)}
}

// Deliver is Step for the arrival of v, if v is a standard message in one packet and none is incomplete. If
// it reports false, nothing has changed.
func (e *Engine) Deliver(v *ir.View) bool {
	p := &e.peers[v.Peer]
	tag, typ, data := int32(v.Head[1]>>32), uint32(v.Head[2]>>32), v.Data
	if uint16(v.Head[0]>>32) != uint16(wire.Eager) || tag < 0 || uint32(v.Head[2]) != uint32(len(data)) || uint64(len(data)) > e.eager ||
		^v.Ring != p.via || p.in.size != 0 {
		return false
	}
	p.seen++
	if s := &p.series; s.lead == uint32(v.Head[0]>>32) && s.tag == tag && s.typ == typ {
		if entry := e.table.Head(&s.row); entry != nil && entry.Owner.Type == typ && len(data) <= len(entry.Owner.Buf) {
			e.table.Pop(&s.row, entry)
			r := entry.Owner
			vec.Fill(r.Buf, data)
			e.receivedWhole(r, p.number, tag, len(data))
			return true
		}
	}
	e.whole(p, uint16(v.Head[0]>>48), tag, typ, data)
	return true
}
