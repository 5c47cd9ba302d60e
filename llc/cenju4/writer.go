package cenju4

import (
	"encoding/binary"
	"errors"

	"rhinet/internal/ring"
	"rhinet/llc/endpoint"
	"rhinet/llc/mailbox"
	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/fabric"
)

// Writer opens the way into a packet ring of a peer: remote DMA of what does not fit the line,
// and of the line.
func (h *hardware) Writer(peer, number int) (endpoint.Writer, error) {
	way, err := h.Way(peer, cenju4.RingsAt)
	if err != nil {
		return nil, err
	}
	return endpoint.NewPooledWriter(way, h.f, &h.rings, peer, number, h.Account(peer, h.self, fabric.PacketAccount))
}

// A sender is the way to a peer before there is a ring.
type sender struct {
	*hardware
	peer   int
	area   *cenju4.Way // the peer's mailbox
	out    mailbox.Out
	ledger ring.Ledger
	sent   uint64 // messages
	parcel cenju4.Parcel
	data   [cenju4.MaxPacket]byte
}

// Sender opens the way to a peer before there is a ring.
func (h *hardware) Sender(peer int) (endpoint.Sender, error) {
	area, err := h.Way(peer, cenju4.BootstrapAt)
	if err != nil {
		return nil, err
	}
	s := &sender{hardware: h, peer: peer, area: area, ledger: ring.NewLedger(h.Account(peer, h.self, fabric.RecordAccount))}
	s.parcel = cenju4.Parcel{Protocol: cenju4.Message0, Dest: uint16(peer), Words: [3]uint64{uint64(cenju4.LentFor(0))}}
	return s, nil
}

// Send sends a packet as a message, or puts a longer payload into the next slot of the mailbox and sends a
// message about it, and reports whether there was room.
func (s *sender) Send(head *[3]uint64, payload []byte) (bool, error) {
	place, long := uint64(0), len(payload) > mostShort
	size := headBytes + len(payload)
	if long {
		var ok bool
		var err error
		if place, ok, err = s.post(payload); !ok {
			return false, err
		}
		size = headBytes + 8
		binary.NativeEndian.PutUint64(s.data[headBytes:], place)
	} else {
		copy(s.data[headBytes:], payload)
	}
	s.header(head, len(payload), place)
	s.ledger.Change()
	s.parcel.Length = uint32(size)
	err := s.Post(&s.parcel, s.data[:size])
	if errors.Is(err, cenju4.BufferFull) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if s.sent++; long {
		s.out.Sent()
	}
	return true, nil
}

// header writes the header of a message.
func (s *sender) header(head *[3]uint64, n int, place uint64) {
	first := head[0]>>32<<32 | uint64(n)
	for i, w := range [...]uint64{first, head[1], head[2], fabric.Seal(first, head[1], head[2], place, s.sent)} {
		binary.NativeEndian.PutUint64(s.data[8*i:], w)
	}
}

// post puts a payload into the mailbox, if a slot is free, and returns its place.
func (s *sender) post(payload []byte) (at uint64, ok bool, err error) {
	if len(payload) > mailbox.SlotBytes {
		return 0, false, cenju4.WrongLength
	}
	if room, err := s.out.Room(s.area, s.self); !room {
		return 0, false, err
	}
	at = s.out.Next(s.self)
	err = s.area.Put(at, payload)
	return at, err == nil, err
}

// Attest records what has been sent.
func (s *sender) Attest(again bool) { s.ledger.Attest(s.Messaged(s.peer), again) }
