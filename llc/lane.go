package llc

import (
	"encoding/binary"
	"math"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// The ready lane: the small message that needs nothing but one line. What
// decides about it changes with the connection and the backlog, not with the
// message, and is kept in the first fields of peer: direct and lines for sends,
// via and in for receives. A driver whose translator is an [ir.Express] asks here
// first; whatever is not plain goes the long way, by Send, Recv and Step. The
// rules are the same: Send asks Direct, too.

// Direct takes the next line of the ring of dst for a standard message of n bytes
// with tag, and reports whether there is one: the message fits a line, the ring
// has room, and nothing waits that must go before it. The caller places the
// packet at once.
func (e *Engine) Direct(dst, tag, n int) (slot uint64, ok bool) {
	if p := &e.peers[dst]; n < p.direct && p.lines.Open() && uint(tag) <= math.MaxInt32 {
		return p.lines.Step(), true
	}
	return 0, false
}

// EagerWords writes the header of a standard message of n bytes in one packet: see
// [ir.Header.Words].
func EagerWords(head *[3]uint64, key Key, tag, n int) {
	head[0] = uint64(wire.Eager)<<32 | uint64(key)<<48
	head[1] = uint64(uint32(tag)) << 32
	head[2] = uint64(key)&^math.MaxUint32 | uint64(n)
}

// Vacant reports whether the next message of src in ctx goes to the next
// receive that asks for it: no receive is posted, no message waits, and none is
// half here.
func (e *Engine) Vacant(ctx uint16, src int) bool {
	p := &e.peers[src]
	return p.in.size == 0 && p.end == nil && e.table.Vacant(ctx, int32(src))
}

// Accept takes v, the next packet of r.Peer, as the message for the receive r, which
// is not posted, if that is [Engine.Vacant] and the message is one of r's type that
// r takes whole. Else it reports false, and nothing has happened.
func (e *Engine) Accept(r *Request, v *ir.View) bool {
	p := &e.peers[r.Peer]
	tag, data := int(int32(v.Head[1]>>32)), v.Data
	if uint32(v.Head[0]>>32) != uint32(wire.Eager)|uint32(r.Context)<<16 || tag != r.Tag && r.Tag != AnyTag || tag < 0 ||
		v.Head[2] != uint64(len(data))|uint64(r.Type)<<32 || len(data) > len(r.Buf) || ^v.Ring != p.via || p.in.size != 0 ||
		!e.table.Vacant(r.Context, p.number) {
		return false
	}
	if len(data) == 8 { // most often, and one word
		binary.NativeEndian.PutUint64(r.Buf, binary.NativeEndian.Uint64(data))
	} else {
		copy(r.Buf, data)
	}
	r.Status.Source, r.Status.Tag, r.Status.Bytes = r.Peer, tag, int64(len(data))
	r.done = true
	return true
}
