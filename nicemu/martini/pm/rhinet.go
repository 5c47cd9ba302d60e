package pm

import (
	"errors"
	"fmt"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// stride is the distance of rings: 128 KB, and a page for the words that the
// receiver exports.
const stride = ringBytes + fabric.PageBytes

// Options of RHiNET. The zero value is right unless something is measured.
type Options struct {
	Throttle Throttle
	// FromZero makes every pass of Receive begin at ring 0, not after the ring
	// that delivered last.
	FromZero bool
}

// A lane is what a receiver keeps of one source: LRP (section 1.4.4). Position
// counters count slots and never wrap.
type lane struct {
	ring   []byte
	export *uint64 // of tail, for the source to PULL
	tail   uint64
	seq    uint64
	closed bool // a lie was found
}

// A target is what a sender keeps of one destination: RRP.
type target struct {
	head, tail uint64
	seq        uint64
	window     *martini.Window
	ack        int // completion flag of its own, with Throttle PerDestination
	acked      uint64
}

// RHiNET is PM/RHiNET at one node.
type RHiNET struct {
	nic    *martini.NIC
	o      Options
	pin    martini.Pin
	mem    []byte // pinned: the send buffer, and where PULL puts a tail
	pulled []byte

	lanes   []lane
	targets []target
	count   Counters
	asked   uint64 // Global: contflag of the request whose ack is awaited

	dst, n   int // of the buffer obtained; n is 0 if none
	buf      []byte
	at       int // of buf in mem
	source   int // of the message held
	held     int // its framed bytes, 0 if none
	turn     int // ring where the next pass begins
	windowID int
}

var _ Messages = (*RHiNET)(nil)

// ackTurns bounds a wait for an ack, which this NIC never needs: its flag is
// set when PUSH returns, unless another process overwrites it.
const ackTurns = 1000

// sendBytes is the size of the send buffer, which is used as a ring.
const sendBytes = 32 << 10

// Geometry returns g with communication memory for the rings of so many nodes.
func Geometry(g fabric.Geometry, nodes int) fabric.Geometry {
	g.Rings, g.Ring.Slots, g.Ring.Bytes = max(nodes, 1), 16, ringBytes
	return g
}

// NewRHiNET opens PM/RHiNET on a NIC whose fabric has the memory that
// [Geometry] asks for. It takes the NIC's communication memory.
func NewRHiNET(nic *martini.NIC, o Options) (*RHiNET, error) {
	nodes := nic.Ranks()
	p := &RHiNET{
		nic: nic, o: o, mem: make([]byte, sendBytes+8),
		lanes: make([]lane, nodes), targets: make([]target, nodes),
	}
	p.pulled = p.mem[sendBytes:]
	var err error
	if p.pin, err = nic.Pin(p.mem); err != nil {
		return nil, err
	}
	mem := nic.Common()
	if len(mem) < nodes*stride {
		err = fmt.Errorf("pm: %d bytes of communication memory; %d nodes take %d", len(mem), nodes, nodes*stride)
		return nil, errors.Join(err, p.Close())
	}
	for i := range p.lanes {
		at := i * stride
		l := &p.lanes[i]
		l.ring = mem[at : at+ringBytes : at+ringBytes]
		l.export = martini.Word64(mem, at+ringBytes)
		t := &p.targets[i]
		t.window, t.ack = nic.Window(i%martini.Windows), 1+i/martini.Windows
	}
	return p, nil
}

// Close gives back what NewRHiNET took.
func (p *RHiNET) Close() error { return p.nic.Unpin(p.pin) }

// Self returns the own node number.
func (p *RHiNET) Self() int { return p.nic.Rank() }

// Nodes returns how many nodes there are.
func (p *RHiNET) Nodes() int { return len(p.lanes) }

// MaxMessage returns 8184: four slots less header and trailer.
func (p *RHiNET) MaxMessage() int { return maxRHiNET }

// Counters returns what has been counted so far.
func (p *RHiNET) Counters() Counters { return p.count }
