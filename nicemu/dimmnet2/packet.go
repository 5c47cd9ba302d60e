package dimmnet2

import "encoding/binary"

// Sizes of packets (section 5).
const (
	LineBytes     = 8  // a line
	HeaderBytes   = 16 // two lines
	ThirdBytes    = 8  // a third line, in packets that name a pattern
	ImageLines    = WindowBytes / LineBytes
	BOTFDataBytes = WindowBytes - HeaderBytes // 496: maximum for a BOTF

	// PacketBytes is the maximum data of a packet from SO-DIMM, which no window bounds: the MTU of
	// an InfiniBand link (our choice).
	PacketBytes = 2048

	// RecordHead is the size of the first part of an IPUSH packet's data: the contents of the line
	// that notifies the receiver, except sequence, source and length (our choice).
	RecordHead = 24

	// RecordBytes is the longest payload after it.
	RecordBytes = PacketBytes - RecordHead
)

// ListElements is the maximum number of addresses in a list: those that fit a BOTF with three
// header lines, four bytes each (our choice).
const ListElements = (WindowBytes - HeaderBytes - ThirdBytes) / 4

// Carried returns the number of bytes of elements that a packet from a window can write by a
// pattern. The pattern's argument is sent before them, after a third header line; contiguous data
// needs neither.
func Carried(p Pattern, element int) int {
	const room = BOTFDataBytes - ThirdBytes
	switch p {
	case Strided:
		return (room - strideBytes) / element * element
	case List:
		return min(room/(addressBytes+element), ListElements) * element
	}
	return BOTFDataBytes
}

// Sizes of the pattern's argument: a line, or an address for each element.
const (
	strideBytes  = LineBytes
	addressBytes = 4
)

// A PacketOp is the operation that a packet requests of its receiver.
type PacketOp uint8

// The operations (our choice).
const (
	PacketWrite   PacketOp = iota + 1 // write the data
	PacketIPUSH                       // put the data where the receive ring has room (section 11)
	PacketRead                        // send back the data at the address
	PacketScatter                     // write the elements of the data according to a pattern (section 4 does not say whether a receiver can)
)

// Third reports whether packets of the operation have a third header line.
func (o PacketOp) Third() bool { return o == PacketRead || o == PacketScatter }

// A Memory is a memory of the receiver that the sender chooses (section 5).
type Memory uint8

// The memories.
const (
	InPW   Memory = iota // Prefetch Windows; never read
	InDIMM               // SO-DIMM
	InLLCM               // small buffers in the LLCM (our choice: section 2 leaves their use open)
	numMemories
)

// Flags of the first header line: bits 0 and 2 memory, bit 1 a third line, bit 3 no status.
const (
	flagDIMM  = 1
	flagThird = 2
	flagLLCM  = 4
	flagQuiet = 8
)

// A Packet is a packet parsed from its lines. The bits are the suggested ones:
//
//	1st Header  size(16) op(8) flags(8) node(12) process(4) PGID(16)
//	2nd Header  node(12) process(4) of the source, tag(16) address(32)
//	3rd Header  length(16) pattern(4) element(4) memory(8) reply address(32)
//
// After a third line, the data begins with the pattern's argument: nothing, the stride in a line,
// or the list with 32 bits for each address.
type Packet struct {
	Op            PacketOp
	Memory        Memory
	Quiet         bool // no status is requested
	Node, Process int
	Group         uint16 // the PGID; the controller overwrites what the host has written
	From          int    // rank of the source; written by the controller (our choice, so that hosts cannot forge it)
	Tag           uint16
	Address       uint32
	Request       Request // the third line
	Data          []byte
}

// A Request is the third header line: the data to read and its target at the source, or the data to
// write; then memory and reply address are unused.
type Request struct {
	Length  int
	Pattern Pattern
	Element int
	Memory  Memory
	Reply   uint32
}

// flags returns the flags of the first line.
func (p *Packet) flags() uint64 {
	f := [numMemories]uint64{InDIMM: flagDIMM, InLLCM: flagLLCM}[p.Memory%numMemories]
	if p.Op.Third() {
		f |= flagThird
	}
	if p.Quiet {
		f |= flagQuiet
	}
	return f
}

// header returns the size of the header in bytes.
func (p *Packet) header() int {
	if p.Op.Third() {
		return HeaderBytes + ThirdBytes
	}
	return HeaderBytes
}

// Image returns the packet in the form in which a host writes it into a window: header lines, then
// data.
func (p *Packet) Image() []byte { return p.AppendImage(make([]byte, 0, p.header()+len(p.Data))) }

// AppendImage appends the image to b.
func (p *Packet) AppendImage(b []byte) []byte {
	size := p.header() + len(p.Data)
	b = binary.LittleEndian.AppendUint64(b, uint64(size&0xffff)|uint64(p.Op)<<16|p.flags()<<24|uint64(p.Node&0xfff)<<32|uint64(p.Process&15)<<44|uint64(p.Group)<<48)
	b = binary.LittleEndian.AppendUint64(b, uint64(p.From/Processes&0xfff)|uint64(p.From%Processes)<<12|uint64(p.Tag)<<16|uint64(p.Address)<<32)
	if p.Op.Third() {
		r := &p.Request
		b = binary.LittleEndian.AppendUint64(b, uint64(r.Length&0xffff)|uint64(r.Pattern&15)<<16|uint64(r.Element&15)<<20|uint64(r.Memory)<<24|uint64(r.Reply)<<32)
	}
	return append(b, p.Data...)
}

// ParsePacket reads a packet from the lines of an image. It returns false if they are invalid: if
// the size in the header is less than the header or more than the image.
func ParsePacket(image []byte) (p Packet, ok bool) {
	if len(image) < HeaderBytes {
		return p, false
	}
	w := binary.LittleEndian.Uint64(image)
	size, flags := int(w&0xffff), w>>24
	p.Op, p.Quiet = PacketOp(w>>16), flags&flagQuiet != 0
	p.Node, p.Process, p.Group = int(w>>32&0xfff), int(w>>44&15), uint16(w>>48)
	switch flags & (flagDIMM | flagLLCM) {
	case flagDIMM:
		p.Memory = InDIMM
	case flagLLCM:
		p.Memory = InLLCM
	case flagDIMM | flagLLCM:
		return p, false
	}
	w = binary.LittleEndian.Uint64(image[8:])
	p.From, p.Tag, p.Address = int(w&0xfff)*Processes+int(w>>12&15), uint16(w>>16), uint32(w>>32)
	if size < p.header() || size > len(image) || p.Op.Third() != (flags&flagThird != 0) {
		return p, false
	}
	if p.Op.Third() {
		w = binary.LittleEndian.Uint64(image[16:])
		p.Request = Request{int(w & 0xffff), Pattern(w >> 16 & 15), int(w >> 20 & 15), Memory(w >> 24), uint32(w >> 32)}
	}
	p.Data = image[p.header():size]
	return p, true
}

// rank returns the receiver.
func (p *Packet) rank() int { return p.Node*Processes + p.Process }
