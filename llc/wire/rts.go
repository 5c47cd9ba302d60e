package wire

import (
	"encoding/binary"
	"fmt"
)

// RTSBytes is the length of an RTSBody.
const RTSBytes = 16 + sealBytes

// An RTSBody is the payload of an RTS packet.
//
//	 0        8      12     16     20
//	| segment | id   | type | seal |
//
// segment names the message in the sender's memory, 0 if it cannot be reached
// from outside; id is the sender's; type is the message's. For the seal see [Seal].
type RTSBody [RTSBytes]byte

// Encode fills o, for a packet with word in its header.
func (o *RTSBody) Encode(word, segment uint64, id, typ uint32) {
	binary.LittleEndian.PutUint64(o[:], segment)
	binary.LittleEndian.PutUint32(o[8:], id)
	binary.LittleEndian.PutUint32(o[12:], typ)
	Seal(word, o[:])
}

// Segment returns the sender's segment.
func (o *RTSBody) Segment() uint64 { return binary.LittleEndian.Uint64(o[:]) }

// ID returns the sender's identifier of the message.
func (o *RTSBody) ID() uint32 { return binary.LittleEndian.Uint32(o[8:]) }

// Type returns the type of the message.
func (o *RTSBody) Type() uint32 { return binary.LittleEndian.Uint32(o[12:]) }

// ParseRTS returns a copy of b, which must be exactly one RTSBody with an id,
// as it was encoded for a packet with word in its header.
func ParseRTS(word uint64, b []byte) (o RTSBody, err error) {
	if len(b) != RTSBytes {
		return o, fmt.Errorf("RTS of %d bytes, not %d", len(b), RTSBytes)
	}
	o = RTSBody(b)
	if err = sealed(word, o[:]); err != nil {
		return o, err
	}
	if o.ID() == 0 {
		return o, fmt.Errorf("RTS without an id")
	}
	return o, nil
}
