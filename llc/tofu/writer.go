package tofu

import (
	"errors"

	"rhinet/internal/ring"
	"rhinet/llc/endpoint"
	"rhinet/llc/mailbox"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/tofu"
)

// Writer opens the way into a packet ring.
func (h *hardware) Writer(peer, number int) (endpoint.Writer, error) {
	way, err := h.Port(packets).Way(peer, tofu.TagRings)
	if err != nil {
		return nil, err
	}
	return endpoint.NewPooledWriter(way, h.f, &h.rings, peer, number, h.Account(peer, h.self, fabric.PacketAccount))
}

// A sender is the way into the mailbox of a peer: puts with a notice.
type sender struct {
	*hardware
	peer   int
	area   *tofu.Way
	out    mailbox.Out
	ledger ring.Ledger
}

// Sender opens the way into a mailbox.
func (h *hardware) Sender(peer int) (endpoint.Sender, error) {
	area, err := h.Port(words).Way(peer, tofu.TagBootstrap)
	if err != nil {
		return nil, err
	}
	return &sender{hardware: h, peer: peer, area: area, ledger: ring.NewLedger(h.Account(peer, h.self, fabric.RecordAccount))}, nil
}

// Send puts a packet into the next slot, if there is room for it and for a notice.
func (s *sender) Send(head *[3]uint64, payload []byte) (bool, error) {
	if len(payload) > mailbox.SlotBytes {
		return false, tofu.WrongLength
	}
	if room, err := s.out.Room(s.area, s.self); !room {
		return false, err
	}
	s.ledger.Change()
	_, err := s.post(packets, tofu.Order{
		Command: tofu.Put, Node: s.peer, Tag: tofu.TagBootstrap, Offset: s.out.Next(s.self), Local: payload, Notify: true, Immediate: *head,
	})
	if errors.Is(err, tofu.QueueFull) {
		return false, nil
	}
	if err == nil {
		s.out.Sent()
	}
	return err == nil, err
}

// Attest records which notices have been written.
func (s *sender) Attest(again bool) { s.ledger.Attest(s.Noticed(s.peer), again) }
