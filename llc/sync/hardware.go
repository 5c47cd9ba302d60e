package sync

import (
	"fmt"
	"io/fs"

	"rhinet/internal/ring"
	"rhinet/llc/endpoint"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/sync"
)

// A hardware is the NIC as the rings need it.
type hardware struct {
	*sync.NIC
	endpoint.NoRemote
	f     *fabric.Fabric
	rings fabric.RingPool
}

var _ endpoint.Hardware = (*hardware)(nil)

// errHost refuses access to memory of the host.
var errHost = fmt.Errorf("llc/sync: the controller does not reach memory of the host: %w", fs.ErrPermission)

// Flags opens the flag arrays.
func (h *hardware) Flags() (endpoint.Flags, error) { return h.NIC.Flags() }

// Messages returns the reader of this node's events.
func (h *hardware) Messages() *ring.SharedReader { return h.Events() }

// Reader returns the reader of a packet ring of this node.
func (h *hardware) Reader(i int) *ring.Reader { return h.rings.Reader(h.Rank(), i) }

// Writer opens the way into a packet ring.
func (h *hardware) Writer(peer, number int) (endpoint.Writer, error) {
	way, err := h.Way(peer, sync.ReceiveBuffers)
	if err != nil {
		return nil, err
	}
	return endpoint.NewPooledWriter(way, h.f, &h.rings, peer, number, h.Account(peer, h.Rank(), fabric.PacketAccount))
}
