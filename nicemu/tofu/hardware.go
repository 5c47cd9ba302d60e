package tofu

import (
	"errors"
	"sync/atomic"

	"rhinet/internal/ring"
)

// Hardware is the inside of a NIC, for the stepped model (package stepped): the tables, memory,
// queues and counters of the fast path. A process cannot get it from its NIC, only from
// [Manager.Hardware].
type Hardware struct{ *NIC }

// Hardware returns the inside of a NIC of the job.
func (m *Manager) Hardware(n *NIC) (*Hardware, error) {
	if n == nil || n.f != m.f {
		return nil, errors.New("tofu: a NIC of another job, or none; a manager knows those in the memory that it manages")
	}
	return &Hardware{n}, nil
}

// An Entry is an entry of the table of tags.
type Entry struct {
	Valid      bool
	Generation uint32 // 0: it was never registered
	Job        uint32
	Node       int
	Rights     Right
	Size       uint64
	Whole      bool // it is as its owner wrote it
	region     region
}

// Entry returns an entry of the node's own table.
func (n *Hardware) Entry(number int) Entry {
	e := n.own.entry(number)
	state := e.load(entState)
	r := region{e.load(entKey), e.load(entStart), e.load(entSize), e.load(entRights)}
	return Entry{
		Valid: state&entValid != 0, Generation: uint32(state >> entGenShift), Job: uint32(r.key), Node: int(uint16(r.key >> 32)),
		Rights: Right(r.rights) &^ inJob, Size: r.size, Whole: e.load(entSeal) == r.seal(), region: r,
	}
}

// Memory returns n bytes at an offset of the memory registered under a number, or nil if they are
// not accessible. Hold and Drop keep it from being released meanwhile.
func (n *Hardware) Memory(number int, offset, size uint64) []byte {
	e := n.Entry(number)
	s := service{nic: n.NIC, order: &Order{Node: n.rank, Tag: Tag(number)}, memory: e.region}
	return s.near(e.region.start+offset, size)
}

// Word returns an aligned word of memory of the job registered under a number, or nil if there is
// none.
func (n *Hardware) Word(number int, offset uint64) *uint64 {
	r := n.Entry(number).region
	if r.rights&inJob == 0 || r.start%wordBytes != 0 {
		return nil
	}
	return wordAt(n.f.Memory(r.start, r.size), offset)
}

// Hold counts a transfer in the memory under a tag, and reports whether it is still registered.
func (n *Hardware) Hold(t Tag) bool { return n.own.hold(t) == 0 }

// Drop ends Hold.
func (n *Hardware) Drop(t Tag) { n.own.drop(t) }

// Queue returns the writer of the node's own queue of notices, as a sender's NIC has it.
func (n *Hardware) Queue() *ring.SharedWriter { return n.queue(n.rank) }

// Text returns a notice in the form that it has in its line.
func (n *Notice) Text() []byte {
	text := n.text()
	return text[:]
}

// Job returns the job that the node belongs to.
func (n *Hardware) Job() uint32 { return uint32(n.key) }

// Ranks returns the number of nodes of the job.
func (n *Hardware) Ranks() int { return n.ranks }

// Closed reports whether the process has closed its NIC.
func (n *Hardware) Closed() bool { return n.closed.Load() }

// Complete writes the completion of an order of an injection port.
func (n *Hardware) Complete(port int, why Reason) { n.ports[port].complete(why) }

// CountSent counts a packet that leaves by a network port, from an injection port.
func (n *Hardware) CountSent(port, exit int) { n.ports[port].sent[exit]++ }

// CountRefused counts an order of this node that was refused, or one that arrived.
func (n *Hardware) CountRefused(r Reason, arrived bool) {
	counters := n.own.tables[regRefused:]
	if arrived {
		counters = n.own.public[pubRefused:]
	}
	atomic.AddUint64(&counters[r], 1)
}

// Torus returns the places of the job's nodes.
func (n *Hardware) Torus() *Torus { return n.torus }
