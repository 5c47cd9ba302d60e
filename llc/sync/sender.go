package sync

import (
	"encoding/binary"

	"rhinet/internal/ring"
	"rhinet/llc/endpoint"
	"rhinet/llc/ir"
	"rhinet/llc/mailbox"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/sync"
	"rhinet/nicemu/syncctl"
)

// Before there is a ring, a packet lies in a slot of the mailbox: two words of header, which hold an
// [ir.Header] except for its length, and the payload. An event packet announces it: Data2 is the number of
// bytes, Memory Address their place in the sender's part of the mailbox, and Status a check of these, of the
// header and of how many packets the sender has sent there before, by which the reader notices what was
// overwritten since.
const (
	headBytes = 2 * 8
	mailed    = 0xd // Control of such an event; no synchronization
)

// A slot has room for a header, and for what wrappers add to a packet.
const _ = uint(mailbox.SlotBytes - headBytes - ir.MaxShared - 8)

// packHead writes the two words of a header.
func packHead(b *[headBytes]byte, head *[3]uint64) {
	binary.NativeEndian.PutUint64(b[:], head[0]>>32|head[1]>>32<<32)
	binary.NativeEndian.PutUint64(b[8:], head[2])
}

// unpackHead reads the two words of a header.
func unpackHead(b []byte) (head [3]uint64) {
	w := binary.NativeEndian.Uint64(b)
	return [3]uint64{w << 32, w >> 32 << 32, binary.NativeEndian.Uint64(b[8:])}
}

// event returns the event packet to a peer about so many bytes at a place, without what the RP enters and
// without the check.
func event(peer int, bytes, at uint16) syncctl.Packet {
	return syncctl.Packet{Destination: uint16(peer), IntLevel: 1, Control: mailed, Data2: bytes, Address: at}
}

// check returns the Status of an event about a packet.
func check(p *syncctl.Packet, head *[3]uint64, before uint64) uint32 {
	return uint32(fabric.Seal(head[0]>>32, head[1]>>32, head[2], uint64(p.Data2)|uint64(p.Address)<<16, before))
}

// A sender is the way into the mailbox of a peer.
type sender struct {
	*hardware
	peer   int
	area   *sync.Way
	out    mailbox.Out
	event  syncctl.Packet
	sent   uint64
	ledger ring.Ledger
	head   [headBytes]byte
}

// Sender opens the way into a mailbox.
func (h *hardware) Sender(peer int) (endpoint.Sender, error) {
	area, err := h.Way(peer, sync.Mailbox)
	if err != nil {
		return nil, err
	}
	return &sender{hardware: h, peer: peer, area: area, ledger: ring.NewLedger(h.Account(peer, h.Rank(), fabric.RecordAccount))}, nil
}

// Send puts a packet into the next slot, if it is free and there is room for the event.
func (s *sender) Send(head *[3]uint64, payload []byte) (bool, error) {
	if len(payload) > mailbox.SlotBytes-headBytes {
		return false, sync.Outside
	}
	if room, err := s.out.Room(s.area, s.Rank()); !room {
		return false, err
	}
	at := s.out.Next(s.Rank())
	packHead(&s.head, head)
	if err := s.area.Put(at, s.head[:]); err != nil {
		return false, err
	}
	if err := s.area.Put(at+headBytes, payload); err != nil {
		return false, err
	}
	s.ledger.Change()
	s.event = event(s.peer, uint16(headBytes+len(payload)), uint16(at-mailbox.Counter(s.Rank())))
	s.event.Status = check(&s.event, head, s.sent)
	ok, err := s.SendEvent(&s.event)
	if ok {
		s.sent++
		s.out.Sent()
	}
	return ok, err
}

// Attest records which events have been sent.
func (s *sender) Attest(again bool) { s.ledger.Attest(s.Signalled(s.peer), again) }
