// Package wire defines the packets that protocol engines exchange (llc, sections 4.2 to 4.4): their kinds,
// their flags, what each kind puts into the header's word, and the payloads of control packets as byte views.
//
//	kind       order    context,tag  word                      payload
//	Eager      message  of message   message bytes | type      first bytes of the message
//	                                 (synchronous: SyncWord)
//	Fragment   message  -            offset                    further bytes of the latest Eager
//	RTS        message  of message   message bytes             RTSBody: segment, sender's id, type; layout
//	Ack        none     -            sync id | reason          -
//	CTSSplit   none     -            sender's id               CTSSplitBody: how to share the work; layout
//	CTSStream  none     -            sender's id               CTSStreamBody: receiver's id, bytes wanted
//	Data       transfer -, part      receiver's id | part no.  bytes of a streamed message
//	Part       none     -, pace      receiver's id | chunks    -
//	FIN        none     -            sender's id | reason      -
//	Grant      none     -            ring number               -
//	Refuse     none     -            -                         -
//	Switch     last     -            ring number               -
//	RTR        none     of receive   messages | type           CTSSplitBody
//
// A layout, which is a BlocksBody, a ListBody or a SummedBody, is there if the memory of the packet's sender
// holds the message in blocks.
//
// The pace of a Part is how many nanoseconds a KiB took the sender, if it was asked (see the flag Timed), or 0: it does
// not know, or was not asked.
//
// RTS is a request to send, CTS clear to send, RTR ready to receive, FIN the end of a rendezvous.
//
// Identifiers are 32 bits, name an entry of a table of the peer that assigned them, and are never 0. "a | b"
// is Pair(a, b): a in the low half. A reason says why a message failed: see the flag Failed. Everything is
// little endian. Nothing here is trusted: Parse functions check lengths, engines check values. A payload lies
// in memory that its sender can still change, so they check and return a copy.
package wire

// A Kind is the kind of a packet.
type Kind = uint8

// The kinds. Zero is no kind, so that empty memory is no packet.
const (
	Eager     Kind = iota + 1 // first packet of a message that travels in packets
	Fragment                  // the next packet of that message
	RTS                       // request to send: the message stays where it is until the receiver asks for it
	Ack                       // the receive that matches a synchronous message has started
	CTSSplit                  // clear to send: both sides move the message
	CTSStream                 // clear to send: in Data packets
	Data                      // a piece of a streamed message
	Part                      // the sender's part of a split message has arrived
	FIN                       // the offered message has been received, or given up
	Grant                     // a packet ring for the peer that asked
	Refuse                    // no ring left: stay on the shared ring
	Switch                    // last packet in the shared ring: what follows is in the packet ring
	RTR                       // ready to receive: a receive waits for the next message
	NumKinds
)

var kindNames = [NumKinds]string{
	"none", "eager", "fragment", "rts", "ack", "cts-split", "cts-stream", "data", "part", "fin", "grant", "refuse", "switch", "rtr",
}

// KindName returns the name of a kind for messages.
func KindName(k Kind) string {
	if k < NumKinds {
		return kindNames[k]
	}
	return "unknown"
}

// OfMessage reports whether a packet of that kind carries a message, a part of one, or its offer. An RTR
// packet says how many packets of these kinds have come before in a packet ring.
func OfMessage(k Kind) bool { return k <= RTS || k == Data }

// Flags of a header.
const (
	Sync   uint8 = 1 << iota // Eager: the word is a SyncWord, whose id is to be acknowledged
	Ask                      // any message packet in a shared ring: the writer asks for a packet ring
	Failed                   // FIN, Ack: the receiver gave up; the reason is 0, NoContext, or the type that it wanted
	Slow                     // FIN: reading the message was slow, as if its sender had just written it
	Timed                    // CTSSplit, RTR: the Part packet is to say how long the sender's part took
	Aside                    // RTR: the sender is to move only what it can before the receiver begins
)

// ControlBytes is the largest payload of a control packet.
const ControlBytes = CTSSplitBytes + max(BlocksBytes, ListBytes)

// Pair packs two halves into a header's word.
func Pair(low, high uint32) uint64 { return uint64(low) | uint64(high)<<32 }

// Halves unpacks what Pair packed.
func Halves(word uint64) (low, high uint32) { return uint32(word), uint32(word >> 32) }

// A type says what a message is made of. The receiver compares it; this package
// only knows that a synchronous message in packets has room for TypeBits of it.
const (
	TypeBits = 12
	TypeMask = 1<<TypeBits - 1
)

// NoContext is the reason of a receiver that has left the message's context.
const NoContext uint32 = 1 << 31

// MaxEager is the largest message, in bytes, that travels in packets: a SyncWord has room for no more.
const MaxEager = 1<<(32-TypeBits) - 1

// SyncWord packs the word of a synchronous Eager packet.
//
//	63   32 31    20 19         0
//	| id   | type   | bytes     |
func SyncWord(bytes, typ, id uint32) uint64 {
	return uint64(bytes|typ<<(32-TypeBits)) | uint64(id)<<32
}

// SyncParts unpacks what SyncWord packed.
func SyncParts(word uint64) (bytes, typ, id uint32) {
	return uint32(word) & MaxEager, uint32(word) >> (32 - TypeBits), uint32(word >> 32)
}
