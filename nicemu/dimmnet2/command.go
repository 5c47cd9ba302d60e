package dimmnet2

import "encoding/binary"

// An Op is the operation of a command.
type Op uint8

// The operations, by class (section 4). Wherever a Pattern is allowed, a list of at most
// [ListElements] addresses can name scattered elements of SO-DIMM.
const (
	OpBOTF       Op = iota + 1 // (2)(a): sends the packet in a Write Window
	OpWrite                    // (1)(a): Write Window to local SO-DIMM, by a pattern
	OpRead                     // (1)(b): local SO-DIMM, by a pattern, to Prefetch Window
	OpRemoteRead               // (2)(b): remote SO-DIMM, by a pattern, to Prefetch Window
	OpSend                     // (3)(a): local SO-DIMM, by a pattern, to a remote Prefetch Window
	OpPush                     // (3)(b): local SO-DIMM, by a pattern, to remote SO-DIMM
	OpPull                     // (3)(b): remote SO-DIMM, by a pattern, to local SO-DIMM
	OpIPUSH                    // (3)(a): local SO-DIMM, by a pattern, to a place that the receiver chooses
	numOps
)

var opNames = [numOps]string{
	OpBOTF: "BOTF", OpWrite: "write", OpRead: "read", OpRemoteRead: "remote read", OpSend: "send", OpPush: "push", OpPull: "pull", OpIPUSH: "IPUSH",
}

// String returns the command in a word or two.
func (o Op) String() string {
	if o < numOps && opNames[o] != "" {
		return opNames[o]
	}
	return "no command"
}

// A Pattern says where the elements of SO-DIMM for a command lie.
type Pattern uint8

// The patterns (section 4).
const (
	Contiguous Pattern = iota
	Strided            // one element every RegStride bytes
	List               // elements at the addresses of the list at RegList
	numPatterns
)

// Quiet in Command.Flags: the receiver writes no status (our choice).
const Quiet = 1

// BOTFBytes is the size of a command that starts a BOTF, CommandBytes that of all others (section
// 4).
const (
	BOTFBytes    = 8
	CommandBytes = 16
)

// A Command is the value that a process stores into the request-issue register. The bits are the
// suggested ones:
//
//	BOTF     op(8) window(4) lines(8)
//	others   op(8) pattern(4) window(4) flags(8) node(12) process(4) length(24), local(32) remote(32)
type Command struct {
	Op            Op
	Pattern       Pattern
	Window        int // of the board
	Lines         int // BOTF: of the image, with its header
	Flags         uint8
	Node, Process int    // the other side
	Length        int    // bytes, without gaps
	Local         uint32 // address in this process's SO-DIMM
	Remote        uint32 // address at the other side: in SO-DIMM, or in Prefetch Windows counted from 0
}

// Bytes returns the command in the form in which it is stored: 8 bytes for a BOTF, else 16.
func (c *Command) Bytes() []byte {
	b := make([]byte, CommandBytes)
	if c.Op == OpBOTF {
		binary.LittleEndian.PutUint64(b, uint64(c.Op)|uint64(c.Window&15)<<8|uint64(c.Lines&255)<<12)
		return b[:BOTFBytes]
	}
	binary.LittleEndian.PutUint64(b, uint64(c.Op)|uint64(c.Pattern&15)<<8|uint64(c.Window&15)<<12|uint64(c.Flags)<<16|
		uint64(c.Node&0xfff)<<24|uint64(c.Process&15)<<36|uint64(c.Length&0xffffff)<<40)
	binary.LittleEndian.PutUint64(b[8:], uint64(c.Local)|uint64(c.Remote)<<32)
	return b
}

// ParseCommand reads a stored command of 8 or 16 bytes. It returns false if the command does not
// have that size.
func ParseCommand(b []byte) (c Command, ok bool) {
	w := binary.LittleEndian.Uint64(b)
	c.Op = Op(w)
	if c.Op == OpBOTF {
		c.Window, c.Lines = int(w>>8&15), int(w>>12&255)
		return c, len(b) == BOTFBytes
	}
	if len(b) != CommandBytes {
		return c, false
	}
	c.Pattern, c.Window, c.Flags = Pattern(w>>8&15), int(w>>12&15), uint8(w>>16)
	c.Node, c.Process, c.Length = int(w>>24&0xfff), int(w>>36&15), int(w>>40)
	w = binary.LittleEndian.Uint64(b[8:])
	c.Local, c.Remote = uint32(w), uint32(w>>32)
	return c, true
}
