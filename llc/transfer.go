package llc

import (
	"time"

	"rhinet/internal/invariants"
	"rhinet/internal/strided"
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// A state is a point in the life of a transfer: a message that needs more than
// its own packets. The machines are a table, machine.go, and are drawn where their actions
// are: eager.go (synchronous), rendezvous.go, split.go, stream.go.
type state uint8

const (
	idle state = iota

	sendQueued         // synchronous message that has not all gone
	sendUnacknowledged // synchronous message: the receiver has not said that it matched
	sendExposing       // waits for its segment before it is offered
	sendReady          // the offer waits for its way
	sendOffered        // the receiver's turn
	sendSharing        // claims and pushes chunks from the back
	sendWaiting        // nothing left to push: the receiver finishes
	sendStreaming      // Data packets are on their way or queued
	sendClosing        // over; the translator still owes answers

	recvInviting  // the receive waits for a message; its buffer is being exposed
	recvInvited   // the sender knows of it
	recvRevoking  // the receive has ended; the claim word is being taken back
	recvRevoked   // the sender had claimed: it has to report
	recvPulling   // pulls alone, piece by piece
	recvSharing   // claims and pulls chunks from the front
	recvAwaiting  // all claimed; the sender still pushes its chunks
	recvStreaming // takes Data packets
	recvClosing   // over; the translator still owes answers

	numStates
)

var stateNames = [numStates]string{
	"Idle", "Queued", "Unacknowledged", "Exposing", "Ready", "Offered", "Sharing", "Waiting", "Streaming", "Closing",
	"Inviting", "Invited", "Revoking", "Revoked", "Pulling", "Sharing", "Awaiting", "Streaming", "Closing",
}

// follows holds, for each state, a bit for each that may come after it.
var follows = [numStates]uint{
	idle: 1<<sendQueued | 1<<sendExposing | 1<<sendReady | 1<<recvInviting | 1<<recvPulling | 1<<recvSharing | 1<<recvStreaming,

	sendQueued:         1<<sendUnacknowledged | 1<<sendClosing,
	sendUnacknowledged: 1 << sendClosing,
	sendExposing:       1<<sendReady | 1<<sendClosing,
	sendReady:          1<<sendOffered | 1<<sendClosing,
	sendOffered:        1<<sendSharing | 1<<sendStreaming | 1<<sendClosing,
	sendSharing:        1<<sendWaiting | 1<<sendStreaming | 1<<sendClosing,
	sendWaiting:        1<<sendStreaming | 1<<sendClosing,
	sendStreaming:      1 << sendClosing,

	recvInviting:  1<<recvInvited | 1<<recvSharing | 1<<recvClosing,
	recvInvited:   1<<recvSharing | 1<<recvRevoking | 1<<recvClosing,
	recvRevoking:  1<<recvRevoked | 1<<recvClosing,
	recvRevoked:   1 << recvClosing,
	recvPulling:   1<<recvStreaming | 1<<recvClosing,
	recvSharing:   1<<recvAwaiting | 1<<recvPulling | 1<<recvStreaming | 1<<recvClosing,
	recvAwaiting:  1<<recvPulling | 1<<recvStreaming | 1<<recvClosing,
	recvStreaming: 1 << recvClosing,
}

func (s state) String() string { return stateNames[s] }

func (s state) sending() bool { return s < recvInviting }

// A transfer is one message that both sides must agree on.
type transfer struct {
	id    uint32
	state state
	r     *Request
	p     *peer
	next  *transfer // in the free list, or in the copier's line

	size    uint64     // of the message
	tag     int32      // of the message
	remote  uint32     // the other side's id
	theirs  ir.Segment // the other side's memory
	segment ir.Segment // own memory
	n       int        // bytes to move: what fits the receiver's buffer
	off     int        // bytes moved; pulling: where the next piece begins
	end     int        // pulling: where to stop
	unit    int        // pulling, sharing: bytes of a piece
	parts   uint32     // streaming: packets so far
	acked   bool       // synchronous message: matched before it had all gone
	err     error      // why it failed
	copy    []byte     // for a noncontiguous message: sending, all of it; receiving, the piece under way
	spread  []byte     // memory of a message in blocks that the NIC reaches
	move    strided.Move
	list    listing

	owed   owed // answers that have not come
	queued bool // the piece has not started: in the copier's line
	piece  piece
	split  split

	deferred bool          // sharing: has not begun to push
	slow     bool          // pulling: it was slow
	aside    bool          // sending: leaves what the receiver can move, see halves.go
	timed    bool          // sharing: the copies are timed
	took     time.Duration // they took so far

	standby   bool   // its receive waits for a message, see early.go
	over      bool   // that receive has ended: it completes when the invitation is closed
	early     bool   // sending: shares the work before the receiver is known to have matched
	elsewhere bool   // sending: another receive than the one that it was invited for has matched
	leaving   bool   // sending: will report what it has claimed, when nothing of that is under way
	line      uint32 // offered: number of the message in the packet ring; invited: number of the message that it is for
}

// transfers is the table of transfers. An id is an index and a count of the
// index's uses, so that an old id is recognised.
type transfers struct {
	table  []*transfer
	free   *transfer
	active int
	owed   int // answers that have not come to any of them
	limit  int
}

// newTransfer returns a transfer in state idle, or nil if there are too many.
func (e *Engine) newTransfer(p *peer, r *Request) *transfer {
	ts := &e.transfers
	t := ts.free
	if t != nil {
		ts.free, t.next = t.next, nil
	} else {
		if len(ts.table) >= ts.limit {
			return nil
		}
		t = &transfer{id: uint32(len(ts.table))}
		ts.table = append(ts.table, t)
	}
	// The count skips 0, so no id is 0.
	uses := t.id>>indexBits + 1
	if uses == 1<<(32-indexBits) {
		uses = 1
	}
	t.id = t.id&(1<<indexBits-1) | uses<<indexBits
	t.p, t.r = p, r
	ts.active++
	return t
}

// release ends a transfer whose request is done and that owes nothing.
func (e *Engine) release(t *transfer) {
	if invariants.Enabled {
		invariants.Check(t.owed == 0 && t.r == nil && !t.queued, "llc: transfer released while in use")
	}
	if t.copy != nil {
		e.keepCopy(t.copy)
	}
	id, mine, their := t.id, t.list.mine, t.list.their
	*t = transfer{} // in place: with values it would be built aside and copied
	t.id, t.next = id, e.transfers.free
	t.list.mine, t.list.their = mine, their
	e.transfers.free = t
	e.transfers.active--
	if invariants.Enabled {
		invariants.Check(e.pulling >= 0 && (e.pulling == 0 || e.transfers.active > 0), "llc: more or fewer bytes to pull than transfers have")
	}
}

// lookup returns the transfer with an id, or nil.
func (e *Engine) lookup(id uint32) *transfer {
	if i := int(id & (1<<indexBits - 1)); i < len(e.transfers.table) {
		if t := e.transfers.table[i]; t.id == id && t.state != idle {
			return t
		}
	}
	return nil
}

// become changes the state of a transfer.
func (e *Engine) become(t *transfer, to state) {
	if invariants.Enabled {
		invariants.Check(follows[t.state]&(1<<to) != 0, badMove)
	}
	if e.trace != nil {
		e.trace(Transition{int(t.p.number), t.machine(to), t.id, t.state.String(), to.String()})
	}
	was := t.state
	t.state, t.deferred = to, false
	switch {
	case to == recvInvited:
		e.invited++
	case was == recvInvited:
		e.invited--
	}
	switch {
	case to == recvSharing:
		e.pulling += t.n
	case was == recvSharing: // once, and with the same n
		e.pulling -= t.n
		e.resume()
	case to == sendOffered:
		t.p.offered += t.size
	case was == sendOffered && to != sendSharing || was == sendSharing:
		t.p.offered -= t.size
	}
}

func (t *transfer) machine(to state) string {
	if to.sending() {
		return "send"
	}
	return "receive"
}

// owed is a set of answers that the translator owes to one transfer, at most
// one for each purpose. The purpose is the high half of a command's token. A copy is owed from when it waits for its
// turn until all its ports have answered.
type owed uint64

const (
	forExpose owed = 1 << iota
	forCopy
	forSwap
	forPort   // the first of mostPorts, each for a part of a copy
	anyPort   = (1<<mostPorts - 1) * forPort
	borrowing = forExpose | forCopy // hold the request's buffer
)

// owe notes that an answer will come, and returns its token.
func (e *Engine) owe(t *transfer, purpose owed) uint64 {
	t.owed |= purpose
	e.transfers.owed++
	return uint64(t.id) | uint64(purpose)<<32
}

// Owed reports whether the translator owes answers: a driver whose program is about
// to compute takes those that are there, so that the other side can go on.
func (e *Engine) Owed() bool { return e.transfers.owed != 0 }

// expose asks for a segment of the request's buffer, and before it for one of the list of its layout if the
// other side needs that.
func (e *Engine) expose(t *transfer) {
	if t.list.exposing = t.move.Mine.List != nil && !t.list.alike; t.list.exposing {
		e.exposeMemory(t, t.list.mine)
		return
	}
	e.exposeMemory(t, t.memory(0, t.n))
}

func (e *Engine) exposeMemory(t *transfer, b []byte) {
	e.segments++
	c := e.emit()
	c.Op = ir.Expose
	c.Peer = t.p.number
	c.Data = b
	c.Token = e.owe(t, forExpose)
}

// keepSegment takes a segment, or learns that there is none: then the message is
// offered for streaming, or pulled alone.
func (e *Engine) keepSegment(t *transfer, ev *ir.Event) error {
	if ev.Kind == ir.Exposed && ev.Segment != 0 {
		t.segment = ev.Segment
	} else {
		e.segments--
	}
	return nil
}

// conceal withdraws the segment, if there is one, and that of the list.
func (e *Engine) conceal(t *transfer) {
	for _, s := range [...]*ir.Segment{&t.segment, &t.list.segment} {
		if *s == 0 {
			continue
		}
		e.segments--
		c := e.emit()
		c.Op = ir.Conceal
		c.Peer = t.p.number
		c.Segment = *s
		*s = 0
	}
}

// close ends a transfer: err is why it failed, or nil. The request is done as
// soon as the translator no longer holds its buffer.
func (e *Engine) close(t *transfer, err error) {
	t.err = err
	if t.state.sending() {
		e.become(t, sendClosing)
	} else {
		e.become(t, recvClosing)
	}
	e.closing(t)
}

// closing takes the steps that the answers still owed allow.
func (e *Engine) closing(t *transfer) {
	e.conceal(t)
	if t.standby && t.owed&borrowing == 0 {
		e.dismissed(t)
	}
	if t.owed&borrowing == 0 && t.r != nil {
		r := t.r
		t.r = nil
		switch {
		case t.err != nil:
			e.fail(r, t.err)
		case t.state.sending():
			e.sent(r)
		default:
			e.received(r, t.p.number, t.tag, t.size)
		}
	}
	if t.owed == 0 {
		t.p.nic.words.give(&t.split)
		e.release(t)
	}
}

// closeOn goes on closing with an answer that came.
func (e *Engine) closeOn(t *transfer, _ *ir.Event) error {
	e.closing(t)
	return nil
}

// closeExposed goes on closing, and gives back the segment that came too late.
func (e *Engine) closeExposed(t *transfer, ev *ir.Event) error {
	_ = e.keepSegment(t, ev)
	return e.closeOn(t, ev)
}

// finish tells the sender that its message has been received, or given up.
func (e *Engine) finish(t *transfer, err error) {
	h := header(wire.FIN, uint64(t.remote))
	if t.slow && err == nil {
		h.Flags = wire.Slow
	}
	if err != nil {
		h.Flags = wire.Failed
		if t.split.invited && !t.split.part {
			t.p.late++
		}
	}
	e.control(t.p, h, nil)
	e.close(t, err)
}
