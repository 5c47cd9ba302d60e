// Package ir is the intermediate representation (llc, section 2) between the
// protocol engine and a network interface controller: the commands that an
// engine gives and the events that it takes, in terms that every NIC can meet.
//
// The engine decides what to move, where, and in which order; a [Translator]
// turns each [Command] into operations of one NIC and each arrival or
// completion into an [Event]. Nothing here knows tags, matching or protocols.
//
// Memory that packets land in is organised as rings:
//
//   - A packet ring belongs to one pair of peers (one writer, one reader) and
//     consists of Slots slots and a data area of Bytes bytes. A packet takes
//     one slot. A payload of at most [Short] bytes lies in the slot itself; a
//     longer one lies in the data area, contiguous, at the data position that
//     both sides compute with [Place].
//   - The shared ring of a peer is written by all peers, in arrival order,
//     and needs no set-up: the first packets between two peers travel there.
package ir

import (
	"errors"
	"time"

	"rhinet/internal/ring"
	"rhinet/internal/strided"
)

// ErrPeerGone is wrapped by the Err of an event that reports a dead peer.
var ErrPeerGone = errors.New("peer is gone")

// LineBytes is the size of a cache line.
const LineBytes = 64

// HeaderBytes is the size of a packet header, sequence word included.
const HeaderBytes = 24

// Inline is the largest payload, in bytes, that shares the header's line.
const Inline = LineBytes - HeaderBytes

// SlotBytes is the size of one slot of a packet ring: two cache lines.
const SlotBytes = 2 * LineBytes

// Short is the largest payload, in bytes, that shares the header's slot, and so needs no room in the data area.
const Short = SlotBytes - HeaderBytes

// MaxShared is the largest payload, in bytes, of one packet in a shared ring:
// the MTU of 2048 bytes less one line for the header (martini, sections 1.2
// and 11.4).
const MaxShared = 2048 - LineBytes

// MaxPeers bounds the number of peers of one job.
const MaxPeers = 1024

// A Header is the part of a packet that the receiving engine reads. Its
// fields travel unchanged; the engine gives them their meaning (package
// rhinet/llc/wire). The translator adds the sequence word that makes a packet
// visible and takes the payload length from the command.
type Header struct {
	Kind    uint8  // kind of packet, never 0
	Flags   uint8  // per kind
	Context uint16 // communication context
	Tag     int32  // user tag
	Length  uint32 // payload bytes in this packet; set from Command.Data
	Word    uint64 // per kind: message size, identifier, offset
}

// Words packs h into the three words that lead a packet in a ring (package
// rhinet/internal/ring). The low halves of the first two are the ring's own.
//
//	word 0  context | flags | kind | -
//	word 1  tag | -
//	word 2  word
func (h *Header) Words() [3]uint64 {
	return [3]uint64{
		uint64(h.Kind)<<32 | uint64(h.Flags)<<40 | uint64(h.Context)<<48,
		uint64(uint32(h.Tag)) << 32,
		h.Word,
	}
}

// Unpack sets h to what Words packed, and the length of the payload to n bytes.
// It goes field by field: a header built first and copied then costs 7 ns,
// because its wide loads must wait for the narrow stores before them.
func (h *Header) Unpack(words *[3]uint64, n int) {
	h.Kind, h.Flags, h.Context = uint8(words[0]>>32), uint8(words[0]>>40), uint16(words[0]>>48)
	h.Tag, h.Length, h.Word = int32(words[1]>>32), uint32(n), words[2]
}

// A Ring names a packet ring in the pool of the peer that reads it (llc, section
// 4.3).
type Ring uint32

// NoRing is the Ring of a packet that travelled in the shared ring.
const NoRing = ^Ring(0)

// A Segment names registered memory of a peer: on Martini a SID with the
// generation of its registration. Zero names nothing.
type Segment uint64

// An Op says what a command asks for.
type Op uint8

// The operations. The comment names the fields of [Command] that each uses
// and the event that answers it; a command without an answer is complete when
// Post returns.
const (
	opNone   Op = iota
	Packet      // Peer, Ring, Slot, Pos, Header, Data or Body and Offset: place one packet in a packet ring of Peer
	Shared      // Peer, Header, Data, Offset, Token: append one packet to the shared ring of Peer; answered by Busy if it is full, otherwise complete
	Open        // Peer, Ring: make ready to place packets in packet ring Ring of Peer
	Watch       // Peer, Ring: poll the own ring Ring, which Peer writes, from now on
	ReadTail    // Peer, Ring: fetch what Peer has consumed of its ring; answered by Tail
	Expose      // Peer, Data, Token: register own memory for remote access by Peer and by all peers that the same NIC reaches; answered by Exposed or Failed
	Conceal     // Peer, Segment: withdraw a registration for Peer
	Pull        // Peer, Segment, Offset, Data, Port, Token: copy remote memory into Data; answered by Pulled or Failed
	Push        // Peer, Segment, Offset, Data, Port, Token: copy Data into remote memory; answered by Pushed or Failed
	Swap        // Peer, Offset, Old, New, Token: compare-and-swap a 64-bit word of Peer's control area; answered by Swapped or Failed
	NumOps
)

// Answered reports whether a command of this Op carries a Token that its one answer returns. The Busy of a
// Shared command is not such an answer: most Shared commands get none.
func (o Op) Answered() bool { return 1<<o&(1<<Expose|1<<Pull|1<<Push|1<<Swap) != 0 }

// Way reports whether the Op uses the way of packets to or from a peer. If such a command is refused, then
// for good: the refusal is reported as the peer's end.
func (o Op) Way() bool { return 1<<o&(1<<Packet|1<<Shared|1<<Open|1<<Watch|1<<ReadTail) != 0 }

// A Command is one request of the engine to the translator (llc, section 2). Data, Body and Move are borrowed:
// until Post returns for Packet and Shared, otherwise until the answer.
type Command struct {
	Op      Op
	Port    uint8 // Pull, Push: the injection port, see [Injector]
	Timed   bool  // Pull, Push: the answer says how long it took
	Peer    int32
	Ring    Ring
	Header  Header
	Data    []byte
	Slot    uint64 // Packet: number of the line, counted from 0 without wrap
	Pos     uint64 // Packet: data position of a payload longer than Short, counted from 0 without wrap
	Segment Segment
	Offset  uint64 // Pull, Push: byte offset in Segment; Packet in pieces: where its payload begins in Body; Swap: index of the word; Shared: bytes of the message that went before
	Old     uint64
	New     uint64
	Token   uint64        // returned in the answer
	Body    ring.Gatherer // Packet in pieces: see InPieces
	// Move is nil, or says for Pull and Push how blocks go between Data and the segment. Data is then all
	// memory of this side that Move counts from, and Offset is not used.
	Move *strided.Move
}

// InPieces reports whether the payload of a packet is still to be gathered: Header.Length bytes of Body, from number Offset on.
// Only a NIC that says so (Caps.Gathers) gets such a packet.
func (c *Command) InPieces() bool { return c.Data == nil && c.Header.Length != 0 }

// PayloadBytes is the length of a packet's payload.
func (c *Command) PayloadBytes() int {
	if c.InPieces() {
		return int(c.Header.Length)
	}
	return len(c.Data)
}

// Payload is that of a packet, gathered into buf, or into new memory if that is too short, if it is in pieces.
func (c *Command) Payload(buf []byte) []byte {
	if !c.InPieces() {
		return c.Data
	}
	if n := int(c.Header.Length); n > len(buf) {
		buf = make([]byte, n)
	}
	buf = buf[:c.Header.Length]
	c.Body.Gather(buf, int(c.Offset))
	return buf
}

// A Kind says what an event reports.
type Kind uint8

// The kinds of events and the fields of [Event] that each fills.
const (
	kindNone Kind = iota
	Arrived       // Peer, Ring (NoRing: shared), Header, Data
	Busy          // Peer, Token: the shared ring was full, nothing was sent
	Tail          // Peer, Ring, Slot, Pos: lines and data positions consumed so far
	Exposed       // Token, Segment
	Pulled        // Token
	Pushed        // Token
	Swapped       // Token, Old: the word's value before; equal to Command.Old if the swap took place
	Failed        // Token, Peer, Err: refused by the NIC; no byte moved
	NumKinds
)

// An Event is one report of the translator to the engine (llc, section 2). Data is a view of receive memory,
// valid until the next Poll; the sender may still change it.
type Event struct {
	Kind    Kind
	Peer    int32
	Ring    Ring
	Header  Header
	Data    []byte
	Slot    uint64
	Pos     uint64
	Segment Segment
	Old     uint64
	Token   uint64
	Err     error
	Slow    bool          // Pulled: see [Caps.Offered]
	Took    time.Duration // Pulled, Pushed: how long a command that is Timed took; 0: not known
}

// In a ring with Caps.Spread, nothing follows a payload of at least spreadBytes on its page, and a shorter one
// takes spreadShort bytes. A processor that reads lines in order prefetches the lines behind them, though not
// beyond the page, and so takes them from the writer, which has just fetched them for the next payload: 1 KiB
// takes 0.58 us one way if payloads follow each other closely, and 0.43 us if they do not. Areas of fewer than
// spreadPages pages are too small for that. Where ranks share processors no rank reads while another one
// writes, and pages cost more than lines: rings are not spread there.
const (
	spreadBytes = 512
	spreadShort = 1024
	spreadPage  = 4096
	spreadPages = 8
)

// Place returns the data position of a packet with a payload of n bytes in a packet ring whose next free
// position is pos, and the next free position after it. See the function [Place].
func (c *Caps) Place(pos uint64, n int) (at, next uint64) {
	return Place(pos, uint64(c.Bytes), n+c.Trailer, c.Spread)
}

// Place returns the data position of a payload of n bytes when the ring's next free position is pos: payloads
// longer than Short start on a line and never wrap, so one that does not fit before the end of the area
// starts at its beginning. Both sides compute it, so that no position is ever trusted. next is the free
// position after the payload. size is the data area's size, a power of two and at least LineBytes. spread is
// that of [Caps].
func Place(pos, size uint64, n int, spread bool) (at, next uint64) {
	if n <= Short {
		return pos, pos
	}
	need := (uint64(n) + LineBytes - 1) &^ (LineBytes - 1)
	if at = pos; at&(size-1)+need > size {
		at += size - at&(size-1)
	}
	if next = at + need; spread && size >= spreadPages*spreadPage {
		unit := uint64(spreadPage)
		if n < spreadBytes {
			unit = spreadShort
		}
		next = (next + unit - 1) &^ (unit - 1)
	}
	return at, next
}
