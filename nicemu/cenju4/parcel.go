package cenju4

import "fmt"

// A PacketType selects the table in which the destination of a parcel is looked up (cenju4, section
// 8).
type PacketType uint8

// The packet types.
const (
	Singlecast      PacketType = iota // node table
	Multicast                         // multicast header table
	Synchronization                   // synchronization header table
	numPacketTypes
)

// A Protocol is the operation of a parcel at its destination (cenju4, section 4).
type Protocol uint8

// The protocols.
const (
	noProtocol   Protocol = iota
	RemoteDMA             // copy from local src to dst
	DMARegister0          // copy to the address in the destination's address register
	DMARegister1
	DMARegister2
	Message0 // copy into the destination's message buffer
	Message1
	AtomicAdd // add im to v(dst)
	RemoteRead
	Swap
	CompSwap
	numProtocols
)

// protocols describes each protocol for the Sender.
var protocols = [numProtocols]struct {
	name    string
	writes  bool // carries data
	message bool
	word    bool // operates on one word of 8 byte
	reply   bool // generates a reply
}{
	noProtocol:   {name: "nothing"},
	RemoteDMA:    {name: "remote DMA", writes: true},
	DMARegister0: {name: "remote DMA with address register 0", writes: true},
	DMARegister1: {name: "remote DMA with address register 1", writes: true},
	DMARegister2: {name: "remote DMA with address register 2", writes: true},
	Message0:     {name: "message 0", writes: true, message: true},
	Message1:     {name: "message 1", writes: true, message: true},
	AtomicAdd:    {name: "atomic add", word: true},
	RemoteRead:   {name: "remote read", reply: true},
	Swap:         {name: "swap", word: true, reply: true},
	CompSwap:     {name: "comp&swap", word: true, reply: true},
}

// String returns the protocol's name in the specification.
func (p Protocol) String() string {
	if p < numProtocols {
		return protocols[p].name
	}
	return fmt.Sprintf("protocol %d", uint8(p))
}

// register returns the number of the address register that holds the destination, or -1 if none
// does.
func (p Protocol) register() int {
	if p < DMARegister0 || p > DMARegister2 {
		return -1
	}
	return int(p - DMARegister0)
}

// addressed reports whether the parcel names the target of its data, so that packets are cut
// according to it.
func (p Protocol) addressed() bool { return p == RemoteDMA || p == RemoteRead }

// Flags of a parcel header.
type Flags uint8

// The flags. The first three are the suggested ones; Log and NotOptimised are our choice.
const (
	Inline       Flags = 1 << iota // the 2nd 8 byte are the data (cenju4, section 7.1)
	Supervisor                     // addresses are physical: only in the OS's queue
	Interrupt                      // interrupts the receiver's OS when the parcel has arrived
	Log                            // writes a record to the receiver's log buffer
	NotOptimised                   // disables the read optimisation (cenju4, section 7.2)
	knownFlags   = 1<<iota - 1
)

// A Parcel is a parcel header, which software writes into a header queue (cenju4, section 4).
type Parcel struct {
	Type     PacketType
	Protocol Protocol
	Flags    Flags
	Rrid     uint8  // slot of the notification buffer, 6 bits
	Dest     uint16 // offset in the table of its type, 12 bits
	Length   uint32 // bytes of data
	Words    [3]uint64
}

// The contents of the 2nd to 4th 8 byte, by protocol.
const (
	wordSrc = 0 // src, or the data of an inline parcel; for a remote read the address at the remote node
	wordDst = 1
	wordNtf = 2

	wordAdd   = 0 // atomic add: im, dst
	wordAddTo = 1

	wordDst1 = 0 // swap: dst1, im, dst2; comp&swap: dst1, im1, im2
	wordIm   = 1
	wordDst2 = 2
)

// Bits of the first 8 byte (cenju4, section 4, as it suggests).
const (
	atProtocol = 4
	atFlags    = 8
	atRrid     = 16
	atDest     = 32
	atLength   = 44
	rridMask   = 1<<6 - 1
	destMask   = 1<<12 - 1
	lengthMask = 1<<20 - 1
)

// Encode returns the header in the form that it has in a queue. A field that is too large for its
// bits becomes the largest value, which is refused: so an invalid header never means something
// else.
func (p *Parcel) Encode() [4]uint64 {
	first := min(uint64(p.Type), 15) | min(uint64(p.Protocol), 15)<<atProtocol | uint64(p.Flags)<<atFlags |
		uint64(p.Rrid&rridMask)<<atRrid | min(uint64(p.Dest), destMask)<<atDest | min(uint64(p.Length), lengthMask)<<atLength
	return [4]uint64{first, p.Words[0], p.Words[1], p.Words[2]}
}

// Decode is the inverse of Encode.
func Decode(h [4]uint64) Parcel {
	return Parcel{
		Type: PacketType(h[0] & 15), Protocol: Protocol(h[0] >> atProtocol & 15), Flags: Flags(h[0] >> atFlags),
		Rrid: uint8(h[0] >> atRrid & rridMask), Dest: uint16(h[0] >> atDest & destMask), Length: uint32(h[0] >> atLength),
		Words: [3]uint64{h[1], h[2], h[3]},
	}
}

// data returns the address of the parcel's data; for a remote read at the remote node.
func (p *Parcel) data() Address { return Address(p.Words[wordSrc]) }

// target returns the address according to which packets are cut. If the parcel does not name one,
// it is the start of a line (our choice: the Sender does not know address registers).
func (p *Parcel) target() Address {
	if p.Protocol.addressed() {
		return Address(p.Words[wordDst])
	}
	return 0
}

// notice returns the address to which SPM writes when the parcel has been sent, or 0 if there is
// none. A remote read may have one too (our choice: its 4th 8 byte are free, and the requester's
// SPM has sent it).
func (p *Parcel) notice() Address {
	if protocols[p.Protocol].writes || p.Protocol == RemoteRead {
		return Address(p.Words[wordNtf])
	}
	return 0
}

// Check returns why RHM refuses a header without looking at a table, or 0: the result is the same
// at all nodes. physical says that the header is in the OS's queue.
func (p *Parcel) Check(physical bool) Reason {
	switch {
	case p.Type >= numPacketTypes, p.Type != Synchronization && (p.Protocol == noProtocol || p.Protocol >= numProtocols), p.Flags > knownFlags:
		return NoProtocol
	case p.Flags&Supervisor != 0 && !physical:
		return Privileged
	case p.Type == Synchronization:
		return 0
	}
	kind := &protocols[p.Protocol]
	switch {
	case p.Type == Multicast && kind.reply:
		return NoProtocol
	case p.Flags&Inline != 0 && !kind.writes:
		return NoProtocol
	case p.Length > MaxParcel, p.Flags&Inline != 0 && p.Length > MaxInline, kind.message && p.Length > MaxPacket, kind.word && p.Length != wordBytes:
		return WrongLength
	case !p.placed(), p.notice()%wordBytes != 0, kind.message && !p.whole():
		return Misplaced
	}
	return 0
}

// placed reports whether the hardware can move from this source to this destination (cenju4,
// section 7.3): within one DW, or from a DW or an odd word to a DW boundary. Our choice: lengths
// are in bytes, and within a DW bytes have any place.
func (p *Parcel) placed() bool {
	switch p.Protocol {
	case AtomicAdd:
		return p.Words[wordAddTo]%wordBytes == 0
	case Swap:
		return p.Words[wordDst1]%wordBytes == 0 && p.Words[wordDst2]%wordBytes == 0
	case CompSwap:
		return p.Words[wordDst1]%wordBytes == 0
	}
	src, dst, n := uint64(p.data())%wordBytes, uint64(p.target())%wordBytes, uint64(p.Length)
	if p.Flags&Inline != 0 {
		src = dst
	}
	if src+n <= wordBytes && dst+n <= wordBytes {
		return true
	}
	return dst == 0 && (src == 0 || src == oddWord)
}

// whole reports whether the data is sent as one packet: a message's source must not cross a page.
func (p *Parcel) whole() bool {
	return p.Flags&Inline != 0 || p.data().Offset()%PageBytes+uint64(p.Length) <= PageBytes
}

// reorders reports whether SPM shifts the data by a word (cenju4, section 7.3, case C).
func (p *Parcel) reorders() bool {
	return p.Flags&Inline == 0 && p.data()%wordBytes == oddWord && p.target()%wordBytes == 0 && p.Length > oddWord
}
