package timed

import (
	"fmt"
	"sync"
	"sync/atomic"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/vtime"
)

// A Node is one rank's clock and its connection to the other ranks. Any goroutine may call its
// methods.
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
	local          chan struct{} // receives when the turn comes back; nil: the service is in another process
	calls          chan struct{} // with local: rings the service
	// Others, if set, reports whether the rank may have goroutines that will call although nothing
	// arrives. It is set before the first call.
	Others func() bool

	mu       sync.Mutex
	back     sync.Cond // the rank has the turn again
	wanted   int       // goroutines that wait for the turn
	front    sync.Cond // signalled when wanted becomes 0
	away     bool      // the rank does not have the turn
	closed   bool
	now      vtime.Time
	horizon  vtime.Time // nothing arrives before that time
	out      int        // bytes written to the mailbox, out
	in, end  int        // of the bytes in the mailbox, in: the part that has not been read
	credits  []int32    // by peer
	refused  []bool     // by peer: a packet was refused, and there has been no room since
	starved  int        // number of such peers
	armed    bool       // a sleep follows
	patient  int        // calls that wait, and will sleep if they find nothing
	rung     bool       // something has arrived since Arm
	idle     vtime.Time // time for which the rank has waited since its last activity
	computed vtime.Time
	called   vtime.Time
	record   record
}

// A Kind is the kind of a Message.
type Kind uint8

// The kinds of messages.
const (
	Packet Kind = iota + 1 // Peer, Head, Data
	Done                   // Token: a transfer is complete
	Gone                   // Peer has left
	Spread                 // a packet of Peer to a set: Head[0] is the set, Head[1] the place; Data
	Met                    // all members of a set have arrived: Head[0]
	Passed                 // a code is passed, in sequence Head[0] that began at Head[2]; Data is the marks of the members at the previous place
)

// A Message is an event that a node has received. Data is valid until the next call of Next.
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

// Config returns the rank's configuration.
func (n *Node) Config() Config { return n.cfg }

// enter locks the node and waits until the rank has the turn. It reports whether the rank has it;
// in a closed node it does not.
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

// Compute advances the clock by the time d of a computation.
func (n *Node) Compute(d vtime.Time) {
	n.enter()
	n.idle = 0
	n.now += d
	n.computed += d
	n.mu.Unlock()
}

// Miss advances the clock by the cost of a call that finds nothing and does not wait.
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

// Patient says that one more call (or, with -1, one less) will sleep if it finds nothing. Then
// Sleep returns when something has arrived, so Next need not ask the service.
func (n *Node) Patient(calls int) {
	n.mu.Lock()
	n.patient += calls
	n.mu.Unlock()
}

// Send sends a packet to peer, and reports whether it may: if peer has not taken enough earlier
// packets, it may not. further says that the packet belongs to the same message as the one before.
func (n *Node) Send(peer int, head *[3]uint64, data []byte, further bool) bool {
	defer n.mu.Unlock()
	if !n.enter() {
		return true // the node is closed, and the packet is dropped
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

// Pull simulates a transfer of the given number of bytes from peer's memory to this rank, without
// peer's processor; Push one in the other direction. Next returns token when the transfer is
// complete. The caller moves the bytes.
func (n *Node) Pull(peer, bytes int, token uint64) { n.transfer(opPull, peer, bytes, token) }

// Push is like Pull in the other direction.
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

// Next returns the next event that has arrived until now, in the order of arrival.
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

// find returns the next record that concerns the caller.
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

// receiving returns the remaining cost of a packet that has arrived: a receive is prepared during
// the wait before it.
func (n *Node) receiving(bytes int, further bool) vtime.Time {
	c := &n.cfg.Costs.Receive
	d := c.Of(bytes, further)
	if !further {
		d -= min(n.idle, c.Message)
	}
	return d
}

// peek reads the next record, which must exist, and returns its size.
func (n *Node) peek() int {
	long, err := n.record.get(n.box.in[n.in:n.end], n.ranks)
	if err != nil {
		panic(err) // the memory that keeps the job's time is corrupt
	}
	return long
}

// refill adds the returned credits. Their records come first.
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

// Flush hands what this rank has posted to the service. It reaches others also if the rank's process ends before the
// virtual time in which it does.
func (n *Node) Flush() {
	defer n.mu.Unlock()
	if n.enter() && n.out > 0 {
		n.giveTurn(askFlush, 0)
	}
}

// Close leaves the job: the rank gets no more events.
func (n *Node) Close() {
	defer n.mu.Unlock()
	if !n.enter() {
		return
	}
	n.closed = true
	n.give(askLeave)
}

// alert requests the attention of a rank. The first reason is kept.
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
