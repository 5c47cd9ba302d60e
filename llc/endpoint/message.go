package endpoint

import (
	"encoding/binary"

	"rhinet/llc/ir"
)

// MessageBytes is the length of the header of a packet that travels as a message of a layer that transmits
// only its length:
//
//	0-3   kind, flags, context
//	4-7   tag
//	8-15  word
//	16-19 source
//	20-23 the secret of a job on several hosts, otherwise 0, unless the translator uses the field
const MessageBytes = 24

// PutHeader makes the header of a message.
func (e *Endpoint) PutHeader(b []byte, h *ir.Header) {
	b[0], b[1] = h.Kind, h.Flags
	binary.LittleEndian.PutUint16(b[2:], h.Context)
	binary.LittleEndian.PutUint32(b[4:], uint32(h.Tag))
	binary.LittleEndian.PutUint64(b[8:], h.Word)
	binary.LittleEndian.PutUint32(b[16:], uint32(e.self))
	binary.LittleEndian.PutUint32(b[20:], e.secret)
}

// Source returns the sender of a message according to its header; it is negative if the sender is no rank of
// the job.
func (e *Endpoint) Source(msg []byte) int {
	if len(msg) < MessageBytes || binary.LittleEndian.Uint32(msg[20:]) != e.secret {
		return -1
	}
	if source := binary.LittleEndian.Uint32(msg[16:]); source < uint32(len(e.gone)) {
		return int(source)
	}
	return -1
}

// Arrived makes an event of a message with a header.
func (e *Endpoint) Arrived(ev *ir.Event, source int, msg []byte) {
	ev.Kind, ev.Peer, ev.Ring = ir.Arrived, int32(source), ir.NoRing
	ev.Data = msg[MessageBytes:]
	ev.Header = ir.Header{
		Kind: msg[0], Flags: msg[1], Context: binary.LittleEndian.Uint16(msg[2:]),
		Tag: int32(binary.LittleEndian.Uint32(msg[4:])), Length: uint32(len(ev.Data)), Word: binary.LittleEndian.Uint64(msg[8:]),
	}
	ev.Token, ev.Err = 0, nil
}
