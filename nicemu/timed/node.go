package timed

import (
	"fmt"
	"sync"
	"sync/atomic"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/vtime"
)

// A Node is one rank's clock and its way to the others. Its methods may be
// called by any goroutine.
type Node struct {
	fabric         *fabric.Fabric
	rank           int
	ranks          int
	cfg            Config
	box            mailbox
	bell           fabric.Signal // of the service
	asleep         *uint64
	alerts         *uint64
	given, awaited *uint64
	local          chan struct{} // the turn comes back; nil: the service is in another process
	calls          chan struct{} // of the service, then
	// Others, if set, tells whether the rank may have goroutines that will call
	// though nothing arrives. It is set before the first call.
	Others func() bool

	mu       sync.Mutex
	back     sync.Cond // the rank has the turn again
	wanted   int       // goroutines that wait for that
	front    sync.Cond // there are none
	away     bool      // it has not
	closed   bool
	now      vtime.Time
	horizon  vtime.Time // before that nothing arrives
	out      int        // bytes in the mailbox, out
	in, end  int        // of those in the mailbox, in, the part that has not been looked at
	credits  []int32    // by peer
	refused  []bool     // by peer: a packet was refused, and no room has come since
	starved  int        // how many peers are such
	armed    bool       // a sleep comes next
	patient  int        // calls that wait, and will sleep if nothing is there
	rung     bool       // something has come since Arm
	idle     vtime.Time // that the rank has waited since it last did anything
	computed vtime.Time
	called   vtime.Time
	record   record
}

// A Kind says what a node has found.
type Kind uint8

// What a node finds.
const (
	Packet Kind = iota + 1 // Peer, Head, Data
	Done                   // Token: a transfer is over
	Gone                   // Peer has left
	Spread                 // a packet of Peer to a set: Head[0] is the set, Head[1] the place; Data
	Met                    // all members of a set have come: Head[0]
	Passed                 // a code is passed, in sequence Head[0] that began at Head[2]; Data is the marks of the members at the place before
)

// A Message is what a node has found. Data holds until the next call of Next.
type Message struct {
	Kind  Kind
	Peer  int
	Token uint64
	Head  [3]uint64
	Data  []byte
}

// Open connects a rank to the service of its job.
func Open(f *fabric.Fabric, rank int) (*Node, error) {
	if rank < 0 || rank >= f.Ranks() {
		return nil, fmt.Errorf("timed: rank %d; the job has ranks 0 to %d", rank, f.Ranks()-1)
	}
	n := &Node{fabric: f, rank: rank, ranks: f.Ranks(), box: openMailbox(f, rank), credits: make([]int32, f.Ranks()), refused: make([]bool, f.Ranks())}
	var err error
	if n.cfg, err = n.box.config(); err != nil {
		return nil, err
	}
	n.back.L, n.front.L = &n.mu, &n.mu
	first := f.Words(0, fabric.Rings)
	n.bell, n.asleep, n.alerts = fabric.SignalAt(&first[wordBell]), &first[wordAsleep], &first[wordAlerts]
	n.given, n.awaited = &first[wordGiven], &first[wordAwaited]
	for i := range n.credits {
		n.credits[i] = int32(n.cfg.Window)
	}
	return n, nil
}

// Config returns what the rank was told.
func (n *Node) Config() Config { return n.cfg }

// enter locks the node and sees to it that the rank has the turn. It reports
// whether it has; a node that is closed never has it again.
func (n *Node) enter() bool {
	n.mu.Lock()
	if n.away {
		n.wanted++
		for n.away {
			n.alert(n.rank, called)
			n.back.Wait()
		}
		if n.wanted--; n.wanted == 0 {
			n.front.Broadcast()
		}
	}
	return !n.closed
}

// Now returns the rank's clock.
func (n *Node) Now() vtime.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.now
}

// Compute has the rank compute for so long.
func (n *Node) Compute(d vtime.Time) {
	n.enter()
	n.idle = 0
	n.now += d
	n.computed += d
	n.mu.Unlock()
}

// Miss has time pass in a call that found nothing and does not wait.
func (n *Node) Miss() {
	n.enter()
	n.charge(n.cfg.Costs.Poll)
	n.mu.Unlock()
}

func (n *Node) charge(d vtime.Time) {
	n.idle = 0
	n.now += d
	n.called += d
}

// Patient says that one more call (or, with -1, one call less) will sleep if it finds nothing. What
// has come is then found by Sleep, and Next need not ask for it.
func (n *Node) Patient(calls int) {
	n.mu.Lock()
	n.patient += calls
	n.mu.Unlock()
}

// Send sends a packet to peer, and reports whether it may: if peer has not taken
// enough of those before, it may not. further says that the packet goes on with the
// message of the one before.
func (n *Node) Send(peer int, head *[3]uint64, data []byte, further bool) bool {
	defer n.mu.Unlock()
	if !n.enter() {
		return true // nobody hears of it
	}
	if n.credits[peer] == 0 {
		if !n.refused[peer] {
			n.refused[peer] = true
			n.starved++
		}
		return false
	}
	n.credits[peer]--
	c := &n.cfg.Costs
	n.charge(c.Send.Of(len(data), further))
	op := opPacket
	if further {
		op = opFurther
	}
	n.post(op, peer, head, data)
	n.charge(c.Post)
	return true
}

// Pull has the time pass that so many bytes take from peer's memory to here,
// without its processor; Push, from here to there. Next finds token when it is
// over. The bytes are moved by the caller.
func (n *Node) Pull(peer, bytes int, token uint64) { n.transfer(opPull, peer, bytes, token) }

// Push is described with Pull.
func (n *Node) Push(peer, bytes int, token uint64) { n.transfer(opPush, peer, bytes, token) }

func (n *Node) transfer(op uint8, peer, bytes int, token uint64) {
	if n.enter() {
		n.charge(n.cfg.Costs.Transfer)
		n.post(op, peer, &[3]uint64{token, uint64(bytes)}, nil)
	}
	n.mu.Unlock()
}

// post puts a record into the mailbox.
func (n *Node) post(op uint8, peer int, words *[3]uint64, data []byte) {
	if n.out+size(len(data)) > areaBytes {
		n.giveTurn(askFlush, 0)
	}
	r := &n.record
	r.op, r.peer, r.at, r.word, r.data = op, peer, n.now, *words, data
	n.out += r.put(n.box.out[n.out:])
	r.data = nil
	if n.cfg.Lax && op != opTaken {
		n.giveTurn(askFlush, 0)
	}
}

// Next finds what has come until now, in the order of its coming.
func (n *Node) Next(m *Message) bool {
	defer n.mu.Unlock()
	if !n.enter() {
		return false
	}
	if n.in == n.end && (n.cfg.Lax || n.now >= n.horizon && !n.armed && n.patient == 0) {
		n.giveTurn(askUntil, 0)
	}
	return n.find(m)
}

// find takes the next record that says something to the caller.
func (n *Node) find(m *Message) bool {
	r := &n.record
	for n.in < n.end {
		n.in += n.peek()
		switch r.op {
		case opPacket, opFurther:
			n.charge(n.receiving(len(r.data), r.op == opFurther))
			*m = Message{Kind: Packet, Peer: r.peer, Head: r.word, Data: r.data}
			n.post(opTaken, r.peer, &[3]uint64{}, nil)
			return true
		case opDone:
			*m = Message{Kind: Done, Peer: r.peer, Token: r.word[0]}
			return true
		case opGone:
			*m = Message{Kind: Gone, Peer: r.peer}
			return true
		case opSpread:
			n.charge(n.spreadCost(r.peer, len(r.data)))
			*m = Message{Kind: Spread, Peer: r.peer, Head: r.word, Data: r.data}
			return true
		case opMeet:
			n.charge(n.receiving(0, false))
			*m = Message{Kind: Met, Peer: r.peer, Head: r.word}
			return true
		case opCode:
			*m = Message{Kind: Passed, Peer: r.peer, Head: r.word, Data: r.data}
			return true
		}
	}
	return false
}

// receiving returns what is left to do for a packet that has come, after a wait in which
// its receive was prepared.
func (n *Node) receiving(bytes int, further bool) vtime.Time {
	c := &n.cfg.Costs.Receive
	d := c.Of(bytes, further)
	if !further {
		d -= min(n.idle, c.Message)
	}
	return d
}

// peek reads the next record, which is there, and returns its bytes.
func (n *Node) peek() int {
	long, err := n.record.get(n.box.in[n.in:n.end], n.ranks)
	if err != nil {
		panic(err) // what keeps the time of the job is no more
	}
	return long
}

// refill takes the room for packets that the rank has again. Those records come
// first.
func (n *Node) refill() {
	for n.in < n.end {
		long := n.peek()
		if n.record.op != opCredit {
			return
		}
		n.in += long
		peer := n.record.peer
		n.credits[peer] += int32(n.record.word[0])
		if n.refused[peer] {
			n.refused[peer] = false
			n.starved--
		}
	}
}

// Close leaves: nothing is sent to the rank any more.
func (n *Node) Close() {
	defer n.mu.Unlock()
	if !n.enter() {
		return
	}
	n.closed = true
	n.give(askLeave)
}

// alert asks for the attention of a rank. The first reason counts.
func (n *Node) alert(rank int, why uint64) {
	w := n.fabric.Words(rank, fabric.Rings)
	atomic.CompareAndSwapUint64(&w[wordAttention], 0, why)
	atomic.AddUint64(n.alerts, 1)
	n.ring()
}

// ring wakes the service.
func (n *Node) ring() {
	n.bell.Add()
	if n.calls != nil {
		call(n.calls)
		return
	}
	if atomic.LoadUint64(n.asleep) != 0 {
		n.bell.Wake()
	}
}
