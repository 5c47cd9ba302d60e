package timed

import (
	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/vtime"
)

// A receiver takes packets, one after the other.
type receiver struct {
	node  *node
	fifo  vtime.Ring[flight]
	taken int // used places of the FIFO memory
	busy  bool
	seen  vtime.Source
}

func (r *receiver) room() bool { return r.taken < r.node.m.n.fifo }

// enter takes a packet with the time of its head: it has arrived completely when its tail has.
func (r *receiver) enter(f flight) {
	r.taken++
	r.fifo.Push(f)
	r.node.src.At(f.head+f.takes, r.node, opTailed, 0)
}

func (r *receiver) act(op int, _ uint64) {
	now := r.node.src.Kernel().Now()
	if op == opWritten {
		f := r.fifo.Pop()
		r.taken--
		r.busy = false
		net := r.node.m.network
		net.serve(net.form.Stages()-1, r.node.number)
		if f.last {
			r.node.m.arrived(r.node.number, f.job)
		}
	}
	if f := r.first(); f != nil && !r.busy && f.head+f.takes <= now {
		r.busy = true
		written := now + r.node.m.writes(f)
		r.seen.Busy(now, written)
		r.node.src.At(written, r.node, opWritten, 0)
	}
}

func (r *receiver) first() *flight {
	if r.fifo.Len() == 0 {
		return nil
	}
	return r.fifo.At(0)
}

// writes returns the time of a packet at the Receiver: whole lines are written directly, and for a
// part of a line the rest must be read.
func (m *Machine) writes(f *flight) vtime.Time {
	words := m.n.line * vtime.Time((f.bytes+7)/8) / (lineBytes / 8)
	t := m.n.packet + words
	if f.bytes%lineBytes != 0 || f.job.header.Protocol == cenju4.AtomicAdd {
		t += m.n.partial
	}
	return t
}
