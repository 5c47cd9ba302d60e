package pm

import (
	"errors"
	"fmt"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// stride is the distance between rings: 128 KB, and a page for the words that the receiver exports.
const stride = ringBytes + fabric.PageBytes

// Options of RHiNET. The zero value is right except for measurements.
type Options struct {
	Throttle Throttle
	// FromZero makes every pass of Receive begin at ring 0, rather than after the ring that
	// delivered last.
	FromZero bool
}

// A lane is a receiver's state for one source: LRP (section 1.4.4). Position counters count slots
// and never wrap.
type lane struct {
	ring   []byte
	export *uint64 // copy of tail, for the source to PULL
	tail   uint64
	seq    uint64
	closed bool // its ring is corrupt
}

// A target is a sender's state for one destination: RRP.
type target struct {
	head, tail uint64
	seq        uint64
	window     *martini.Window
	ack        int // its completion flag, with Throttle PerDestination
	acked      uint64
}

// RHiNET is PM/RHiNET at one node.
type RHiNET struct {
	nic    *martini.NIC
	o      Options
	pin    martini.Pin
	mem    []byte // pinned: the send buffer, and the target of PULLs of a tail
	pulled []byte

	lanes   []lane
	targets []target
	count   Counters
	asked   uint64 // Global: contflag of the request whose ack is outstanding

	dst, n   int // for the buffer obtained; n is 0 if there is none
	buf      []byte
	at       int // offset of buf in mem
	source   int // of the message held
	held     int // its size with frame, 0 if none
	turn     int // ring where the next pass begins
	windowID int
}

var _ Messages = (*RHiNET)(nil)

// ackTurns bounds a wait for an ack. With this NIC there is no wait: the flag is set when PUSH
// returns, unless another process overwrites it.
const ackTurns = 1000

// sendBytes is the size of the send buffer, which is used as a ring.
const sendBytes = 32 << 10

// Geometry returns g with communication memory for the rings of the given number of nodes.
func Geometry(g fabric.Geometry, nodes int) fabric.Geometry {
	g.Rings, g.Ring.Slots, g.Ring.Bytes = max(nodes, 1), 16, ringBytes
	return g
}

// NewRHiNET opens PM/RHiNET on a NIC whose fabric has the memory that [Geometry] describes. It uses
// all of the NIC's communication memory.
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

// Close unpins the memory that NewRHiNET has pinned.
func (p *RHiNET) Close() error { return p.nic.Unpin(p.pin) }

// Self returns the own node number.
func (p *RHiNET) Self() int { return p.nic.Rank() }

// Nodes returns the number of nodes.
func (p *RHiNET) Nodes() int { return len(p.lanes) }

// MaxMessage returns 8184: four slots minus header and trailer.
func (p *RHiNET) MaxMessage() int { return maxRHiNET }

// Counters returns the counts so far.
func (p *RHiNET) Counters() Counters { return p.count }
