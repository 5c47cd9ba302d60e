package stepped

import "rhinet/nicemu/martini"

// A target is one end of a transfer, in the order of the fixed priority (martini, section 7.3): the
// first of the two ends is master.
type target uint8

const (
	pci target = iota
	dimm
	sram
	buffers   // send and receive buffers
	registers // of the requester
	targets
)

// A requester has its own request FIFO.
type requester uint8

const (
	fromInitiator requester = iota
	fromReplier
	fromRBend
	fromCPU
	requesters
)

const (
	requestDepth = 8 // of each request FIFO (unstated)
	burst        = 512
)

type transferKind uint8

const (
	fetchPayload transferKind = iota // host memory to a packet
	storePayload                     // a packet to host memory, through J-joint
	storeWord                        // a register to host memory
	readTable                        // NIC SDRAM to SRAM
)

// A transfer is one DMA request.
type transfer struct {
	master, slave target
	kind          transferKind
	frame         martini.Frame
	off, size     int
	done          int
	packet        *packet
	at            int // in the payload
	word          uint64
	what          Write // of a word, or of nothing
	joint         joint
}

// An engine moves the data of one master.
type engine struct {
	now   transfer
	turn  requester
	burst int // bytes moved in this step
	bus   tenure
}

// dmac is the DMA controller: a request FIFO for each requester, an arbiter (round robin; our
// choice) and a transfer engine for each master. Transfers without a common target run
// concurrently.
type dmac struct {
	queues  [requesters]fifo[transfer]
	queued  int // total number in the queues
	engines [3]engine
	slaves  [targets]bool // in use by an engine
	served  uint64        // transfers of firmware that have ended
	joined  [MTU]byte     // output of J-joint
}

func (n *node) full(by requester) bool { return n.queues[by].len() >= requestDepth }

func (n *node) ask(by requester, t transfer) {
	n.queues[by].put(t)
	n.queued++
}

// actDMAC steps the engine of one master.
func (n *node) actDMAC(i int) Cond {
	e := &n.engines[i]
	e.burst = 0
	switch n.regs[PCIDMAC+Module(i)].state {
	case IDLE:
		for range requesters {
			e.turn = (e.turn + 1) % requesters
			if q := &n.queues[e.turn]; q.len() > 0 && q.head().master == target(i) {
				return Packet
			}
		}
	case MREQ:
		// The master may be the slave of another engine.
		if n.slaves[i] {
			return Stay
		}
		if !n.seize(i) {
			return Stay
		}
		n.slaves[i] = true
		e.now = n.queues[e.turn].take()
		n.queued--
		return Begun
	case SREQ:
		if s := e.now.slave; s < buffers {
			if n.slaves[s] {
				return Stay
			}
			n.slaves[s] = true
		}
		return Granted
	case DATA:
		t := &e.now
		if !n.holds(e) {
			return Stay
		}
		e.burst = min(burst, t.size-t.done)
		n.move(t, e.burst)
		if t.done += e.burst; t.done < t.size {
			n.passBus(e)
			return Stay
		}
		n.slaves[i] = false
		if t.slave < buffers {
			n.slaves[t.slave] = false
		}
		n.yieldBus(e)
		n.ended(t, e.turn)
		return Done
	}
	return Stay
}

// move transfers one burst.
func (n *node) move(t *transfer, size int) {
	switch t.kind {
	case fetchPayload:
		t.frame.Read(t.packet.payload[t.at+t.done:t.at+t.done+size], t.off+t.done)
		t.packet.have += size
	case storePayload:
		// The output of J-joint goes to memory in one burst, since a process may poll its end.
		from, to := t.joint.written(t.done, t.size), t.joint.written(t.done+size, t.size)
		t.joint.pass(n.joined[:t.size], t.done, t.packet.payload[t.at+t.done:t.at+t.done+size])
		t.frame.Write(t.off+from, n.joined[from:to])
		t.packet.drained += size
	case storeWord:
		t.frame.Store(t.off, t.word)
	case readTable:
	}
}

func (n *node) ended(t *transfer, by requester) {
	if t.kind != readTable {
		t.frame.Drop()
	}
	if by == fromCPU {
		n.served++
	}
	n.wrote(t.what)
	*t = transfer{}
}
