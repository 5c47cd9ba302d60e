package dimmnet2

import (
	"fmt"
	"io/fs"

	"rhinet/internal/ring"
	"rhinet/llc/endpoint"
	"rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/fabric"
)

// A hardware is the NIC as the rings need it.
type hardware struct {
	*dimmnet2.NIC
	endpoint.NoRemote
	rings  int
	layout ring.Layout
}

var _ endpoint.Hardware = hardware{}

// Writer opens the way into a packet ring of a peer.
func (h hardware) Writer(peer, number int) (endpoint.Writer, error) {
	if uint(number) >= uint(h.rings) {
		return nil, dimmnet2.Outside
	}
	way, err := h.Way(peer)
	if err != nil {
		return nil, err
	}
	return endpoint.NewRingWriter(way, uint64(number)*uint64(h.layout.Size()), h.layout, h.Account(peer, h.Rank(), fabric.PacketAccount))
}

// Reader returns the reader of a packet ring of this process.
func (h hardware) Reader(i int) *ring.Reader {
	if uint(i) >= uint(h.rings) {
		return nil
	}
	return ring.NewReader(h.Buffers()[i*h.layout.Size():], h.layout, 0, 0)
}

// Messages returns the reader of this process's receive ring.
func (h hardware) Messages() *ring.SharedReader { return h.Records() }

// Flags opens the flag arrays.
func (h hardware) Flags() (endpoint.Flags, error) { return h.NIC.Flags() }

// A sender is the way into the receive ring of a peer.
type sender struct {
	*dimmnet2.Way
	nic    *dimmnet2.NIC
	peer   int
	ledger ring.Ledger
}

// Sender opens the way into the receive ring of a peer.
func (h hardware) Sender(peer int) (endpoint.Sender, error) {
	way, err := h.Way(peer)
	if err != nil {
		return nil, err
	}
	return &sender{way, h.NIC, peer, ring.NewLedger(h.Account(peer, h.Rank(), fabric.RecordAccount))}, nil
}

// Send is IPUSH.
func (s *sender) Send(head *[3]uint64, payload []byte) (bool, error) {
	s.ledger.Change()
	return s.IPUSH(head, payload)
}

// Attest records which records have been appended.
func (s *sender) Attest(again bool) { s.ledger.Attest(s.nic.IPUSHed(s.peer), again) }

// errHost refuses access to memory of the host.
var errHost = fmt.Errorf("llc/dimmnet2: the board does not reach memory of the host: %w", fs.ErrPermission)
