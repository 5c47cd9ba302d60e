package timed

import (
	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/vtime"
)

const lineBytes = 128

// A job is a parcel.
type job struct {
	Parcel
	header cenju4.Parcel
	to     []int
	cuts   cenju4.Cutter
	begun  bool
	at     uint64 // bytes that have left
	read   uint64 // the last line that was read for the previous packet
	age    int
}

// A node is a Sender, a Receiver, and memory.
type node struct {
	m         *Machine
	number    int
	src       vtime.Source
	queue     vtime.Ring[*job]
	rhm       bool // busy
	registers []*job
	turn      int
	age       int
	spm       bool       // busy with a packet
	job       *job       // the parcel of that packet
	flight    flight     // that packet
	waiting   bool       // its first data has arrived, and it has not left
	ready     vtime.Time // when all its data is read
	link      vtime.Time // when the link to the network becomes free
	used      vtime.Time // total time of use of the link
	seen      vtime.Source
	receiver  receiver
}

const (
	opHeader  = iota // RHM has read a header
	opFirst          // the first data of a packet has arrived
	opRead           // all data of a packet has arrived
	opFree           // the link to the network is free
	opWritten        // the Receiver has written a packet
	opTailed         // a whole packet has arrived at the Receiver
)

// Act handles an event.
func (n *node) Act(op int, arg uint64) {
	switch op {
	case opHeader:
		n.store()
	case opFirst:
		n.waiting = true
		n.leave()
	case opRead:
		n.spm = false
		n.choose()
	case opFree:
		n.leave()
	default:
		n.receiver.act(op, arg)
	}
}

// post queues a parcel.
func (n *node) post(j *job) {
	n.queue.Push(j)
	n.fetch()
}

// fetch has RHM read the next header, if a register is free for it.
func (n *node) fetch() {
	if n.rhm || n.queue.Len() == 0 || len(n.registers) >= n.m.n.registers {
		return
	}
	n.rhm = true
	n.src.After(n.m.n.rhm, n, opHeader, 0)
}

// store puts a parcel into a header register; a synchronization is sent at once.
func (n *node) store() {
	j := n.queue.Pop()
	n.rhm = false
	n.age++
	j.age = n.age
	if j.header.Type == cenju4.Synchronization {
		n.m.network.come(n.src.Kernel().Now()+n.m.n.spm, 0, n.number, j.Sid)
	} else {
		n.registers = append(n.registers, j)
		n.choose()
	}
	n.fetch()
}

// sendable is called when a FIFO memory of the first switch is free.
func (n *node) sendable() {
	n.leave()
	n.choose()
}

// choose has SPM take a register with a packet that can go, in turn, but not before an older one to
// the same node.
func (n *node) choose() {
	if n.spm {
		return
	}
	for i := range n.registers {
		k := (n.turn + i) % len(n.registers)
		j := n.registers[k]
		if n.overtakes(j) || !n.m.network.room(0, n.number, j, true) {
			continue
		}
		n.turn = k + 1
		n.begin(j, k)
		return
	}
}

func (n *node) overtakes(j *job) bool {
	for _, other := range n.registers {
		if other.age < j.age && meets(other.to, j.to) {
			return true
		}
	}
	return false
}

func meets(a, b []int) bool {
	if len(a) == 1 && len(b) == 1 {
		return a[0] == b[0]
	}
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}

// begin cuts the next packet of a parcel and requests its data.
func (n *node) begin(j *job, register int) {
	n.spm, n.job = true, j
	cut, _ := j.cuts.Next(!j.begun)
	wait, all := n.m.reads(j, cut)
	j.begun = true
	j.at += uint64(cut.Bytes)
	last := j.at >= uint64(j.header.Length) || !j.data()
	n.flight = flight{job: j, bytes: cut.Bytes, last: last, takes: max(n.m.n.onLink(cut.Bytes), all-wait)}
	if last {
		n.registers = append(n.registers[:register], n.registers[register+1:]...)
		n.turn = register
		n.fetch()
	}
	now := n.src.Kernel().Now()
	n.ready = now + n.m.n.spm + all
	n.src.At(now+n.m.n.spm+wait, n, opFirst, 0)
}

// leave moves the packet whose data is arriving into the network, if the link is free and there is
// room. SPM becomes free for the next one when all data is read.
func (n *node) leave() {
	if !n.waiting {
		return
	}
	now := n.src.Kernel().Now()
	if n.link > now || !n.m.network.room(0, n.number, n.job, false) {
		return // tried again when that changes
	}
	n.waiting = false
	n.link = now + n.flight.takes
	n.used += n.flight.takes
	n.seen.Busy(now, n.link)
	n.m.packets++
	n.m.bytes += uint64(n.flight.bytes)
	n.src.At(n.link, n, opFree, 0)
	n.m.network.enter(0, n.number, n.flight, now)
	n.src.At(max(now, n.ready), n, opRead, 0)
}

// reads returns the times until the first data of a packet, and all of it, have been read: one
// request after the other. A line that was read before is clean, and all lines are if the source
// has been flushed.
func (m *Machine) reads(j *job, cut cenju4.Cut) (wait, all vtime.Time) {
	src := j.header.Words[0]&(1<<38-1) + j.at
	for i := range uint64(cut.Coherent + cut.NonCoherent) {
		line := src/lineBytes + i
		t := m.n.dirty
		switch {
		case cut.NonCoherent > 0 && i == 0:
			t = m.n.read
		case j.Flushed || j.begun && line == j.read:
			t = max(m.n.inquiry, m.n.read)
		}
		if i == 0 {
			wait = t
		}
		all += t + m.n.line
	}
	if lines := cut.Coherent + cut.NonCoherent; lines > 0 {
		j.read = src/lineBytes + uint64(lines) - 1
	}
	return wait, all
}
