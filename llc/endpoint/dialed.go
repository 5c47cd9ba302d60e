package endpoint

import (
	"errors"
	"sync/atomic"

	"rhinet/llc/connect"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// Dialed is Rings for a NIC on which two peers get a connection of their own when one of them first opens a
// packet ring of the other (llc, section 4.2). Until the connection exists, and if it never does, their
// packets go as those of [Rings] do, over what the NIC had from the beginning. That also reaches the slots
// through which the connection is made.
type Dialed struct {
	Rings
	nic     Dialing
	machine *connect.Machine
	slots   []uint64 // this peer's bootstrap area: the last control words
	first   uint64   // index of the first of them among the control words
}

// Dialing is a NIC with connections, at most one for each pair of peers.
type Dialing interface {
	Hardware
	// Create makes this peer's end of a connection with a peer, and returns its address: at most
	// connect.AddressBits.
	Create(peer int) (address uint64, err error)
	// Ready connects that end with the end of the peer at an address.
	Ready(peer int, address uint64) error
	// Use has packets and transfers go over the connection, both ends being ready.
	Use(peer int)
	Destroy(peer int)
}

// transactionSlots is how many connections a peer makes at a time.
const transactionSlots = 8

// Dialable returns a geometry with room for the slots.
func Dialable(g fabric.Geometry) fabric.Geometry {
	g.Words += connect.Words(transactionSlots)
	return g
}

var _ ir.Translator = (*Dialed)(nil)

// ConnectSlots is [Rings.Connect] of a NIC with connections, in a job whose geometry is [Dialable].
func (d *Dialed) ConnectSlots(e *Endpoint, name string, nic Dialing) {
	d.Connect(e, name, nic)
	words := e.fabric.Words(e.self, fabric.Control)
	first := len(words) - connect.Words(transactionSlots)
	d.nic, d.slots, d.first = nic, words[first:], uint64(first)
	d.machine = connect.New(connect.Config{Self: e.self, Peers: e.Peers(), Slots: transactionSlots})
}

// Caps returns what the engine must know of the NIC. The slots are not for the engine.
func (d *Dialed) Caps() ir.Caps {
	c := d.Rings.Caps()
	c.Words = int(d.first)
	return c
}

// errSlot reports a Swap beyond the words of the engine.
var errSlot = errors.New("llc/endpoint: no such control word")

// Post carries out cmd. Open also asks for a connection with the reader of the ring.
func (d *Dialed) Post(cmd *ir.Command) {
	if cmd.Op == ir.Swap && cmd.Offset >= d.first && !d.NoPeer(cmd) {
		d.Fail(cmd, errSlot)
		return
	}
	d.Rings.Post(cmd)
	if cmd.Op == ir.Open && uint(cmd.Peer) < uint(d.Peers()) {
		d.machine.Connect(int(cmd.Peer))
		d.carryOut()
	}
}

// Poll gives the next answer, or if there is none the next arrival.
func (d *Dialed) Poll(ev *ir.Event) bool {
	d.look()
	return d.Rings.Poll(ev) && d.heard(ev)
}

// PollOthers is Poll, except that it leaves out the packet ring that peer writes.
func (d *Dialed) PollOthers(peer int, ev *ir.Event) bool {
	d.look()
	return d.Rings.PollOthers(peer, ev) && d.heard(ev)
}

// heard takes note of the ends of peers.
func (d *Dialed) heard(ev *ir.Event) bool {
	if ev.Kind == ir.Failed && ev.Token == 0 && errors.Is(ev.Err, ir.ErrPeerGone) {
		d.machine.Lose(int(ev.Peer))
		d.carryOut()
	}
	return true
}

// look lets the machine see its slots.
func (d *Dialed) look() {
	d.machine.Retry()
	d.carryOut()
	for i := 0; i < len(d.machine.Watched()); i++ {
		at := d.machine.Watched()[i]
		d.machine.Seen(at, atomic.LoadUint64(&d.slots[at]))
		d.carryOut()
	}
}

// carryOut does what the machine wants done. The NIC runs each operation to completion.
func (d *Dialed) carryOut() {
	for cmds := d.machine.Take(); len(cmds) > 0; cmds = d.machine.Take() {
		for i := range cmds {
			d.one(&cmds[i])
		}
	}
}

func (d *Dialed) one(c *connect.Command) {
	switch c.Op {
	case connect.Swap:
		was, err := d.nic.Swap(c.Peer, d.first+uint64(c.Word), c.Old, c.New)
		d.machine.Swapped(c.Peer, was, err != nil)
	case connect.Store:
		atomic.StoreUint64(&d.slots[c.Word], c.New)
	case connect.Release:
		atomic.CompareAndSwapUint64(&d.slots[c.Word], c.Old, 0)
	case connect.Create:
		address, err := d.nic.Create(c.Peer)
		d.machine.Created(c.Peer, address, err != nil)
	case connect.Ready:
		if err := d.nic.Ready(c.Peer, c.Address); err != nil { // an address that no peer has
			d.machine.Lose(c.Peer)
		}
	case connect.Use:
		d.nic.Use(c.Peer)
	case connect.Destroy:
		d.nic.Destroy(c.Peer)
	}
}
