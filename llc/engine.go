package llc

import (
	"math"
	"math/bits"

	"rhinet/internal/invariants"
	"rhinet/llc/ir"
	"rhinet/llc/match"
	"rhinet/llc/wire"
)

// A Config describes an engine and its NICs.
type Config struct {
	Self  int // number of this peer
	Peers int // of the job, this one included
	Caps  ir.Caps
	// Others are the NICs beside that of Caps, if there are several, and Via returns which of them reaches a
	// peer: 0 is that of Caps, i is Others[i-1].
	Others []ir.Caps
	Via    func(peer int) int
	// Oversubscribed says that peers share processors, so that the copies of sender and receiver do not run
	// at the same time.
	Oversubscribed bool
	// RingMemory limits the memory, in bytes, of the packet rings that this peer hands out for a NIC; 0: all
	// rings of the NIC (llc, section 4.3). A peer that asks when none is left stays on the shared ring.
	RingMemory int
	// Ports is how many injection ports the NIC of Caps has (ir.Injector); 0 is one.
	Ports int
	Trace func(Transition) // called at each change of state of a machine; nil in production
}

// A Transition is one change of state of one machine, for transcripts.
type Transition struct {
	Peer    int    // the other side
	Machine string // protocol, and side
	ID      uint32 // of the transfer; 0 if there is one such machine per peer
	From    string
	To      string
}

// An Engine is the protocol engine of one peer (llc, section 2). It is driven by one goroutine at a time,
// which calls in turn:
//
//	Send, Recv, Cancel    user commands
//	Step                  one event of the translator
//	Retry                 when the translator has no event
//	Take                  what the translator must do now
//
// All commands that Take returns must be posted before the next call of Step or Retry, and before the buffer
// of a finished request is touched.
// or Retry, and before a buffer of a request that is done is touched.
type Engine struct {
	cmds    []ir.Command // commands not yet taken: cmds[:n]
	n       int
	bodies  [][wire.ControlBytes]byte // payloads of control packets among them
	scratch [wire.ControlBytes]byte   // payload of a control packet being made
	peers   []peer
	table   *match.Table[Request, message]

	nics           []nic
	eager          uint64 // the largest of nics
	oversubscribed bool
	machines       *[numStates][numCauses]action
	self           int
	trace          func(Transition)

	inFlight []*peer     // peers with a packet on its way to their shared ring
	posted   int         // how many of these have been taken
	landed   []*peer     // the array that packets in flight will use next
	blocked  []*peer     // peers with something to send and no room
	roomier  bool        // the latest Tail reported progress of the reader
	runnable []*peer     // the array that blocked will use next
	pulling  int         // bytes of the shared transfers to this rank
	deferred []*transfer // shared transfers that push once nothing is pulled
	fresh    int         // looks that find nothing until those of them begin that have not tried yet
	inviting int         // length of a receive from which on its sender is invited
	invited  int         // receives whose sender is invited
	copies   copier      // of the first NIC
	segments int         // own registrations in force or asked for

	doneQ   *Request
	doneEnd *Request
	ended   uint64 // requests with Notify set that are done
	silent  bool   // Completed lists no request

	transfers transfers
	doubt     error // why receives from anyone fail; nil while all peers live
	queued    int   // packets, or entries of packets, in the peers' queues
	pool      pool
	stage     stage // payloads of noncontiguous messages, in packets among the commands
}

// New returns an engine at rest. It panics if cfg contradicts itself.
func New(cfg Config) *Engine {
	if cfg.Self < 0 || cfg.Self >= cfg.Peers || cfg.Peers > ir.MaxPeers || cfg.RingMemory < 0 || cfg.Ports < 0 || (cfg.Via == nil) != (cfg.Others == nil) {
		panic(badConfig)
	}
	e := &Engine{
		cmds:  make([]ir.Command, firstCommands),
		peers: make([]peer, cfg.Peers),
		table: match.New[Request, message](cfg.Peers),
		nics:  make([]nic, 1+len(cfg.Others)),
		self:  cfg.Self, oversubscribed: cfg.Oversubscribed,
		machines: &machines,
		trace:    cfg.Trace,
	}
	for i, c := range append([]ir.Caps{cfg.Caps}, cfg.Others...) {
		e.nics[i].init(&c, cfg.Peers, cfg.RingMemory)
		if cfg.Oversubscribed {
			e.nics[i].written = min(e.nics[i].written, mostWrittenOversubscribed)
		}
		if e.nics[i].copies = &e.copies; i == 0 {
			e.copies.init(&c, cfg.Ports)
		} else {
			e.nics[i].copies = new(copier)
			e.nics[i].copies.beside(&c)
		}
		e.eager = max(e.eager, e.nics[i].eager)
	}
	for i := range e.peers {
		p := &e.peers[i]
		p.number, p.nic = int32(i), &e.nics[0]
		if cfg.Via != nil {
			p.nic = &e.nics[cfg.Via(i)]
		}
	}
	e.peers[e.self].via = noRoute
	e.inviting = never
	for i := range e.nics {
		e.inviting = min(e.inviting, e.nics[i].invitable())
	}
	e.transfers.limit = mostTransfers
	e.pool.init(bits.Len64(e.eager))
	return e
}

// emit returns the next command to fill. Fields that its Op does not use keep old values.
func (e *Engine) emit() *ir.Command {
	if e.n == len(e.cmds) {
		e.cmds = append(e.cmds, make([]ir.Command, len(e.cmds))...)
	}
	c := &e.cmds[e.n]
	e.n++
	return c
}

// Take returns what the translator must do now, in this order (llc, section 2: the output of the engine). The
// slice is valid until the next call into the engine.
func (e *Engine) Take() []ir.Command {
	n := e.n
	e.n, e.stage.used = 0, 0
	e.posted = len(e.inFlight)
	return e.cmds[:n]
}

// Send starts a send. A small message to a peer with a ring of its own is done
// on return. It panics if r.Peer is not a peer, or r.Tag not a tag (llc, section
// 3.1; MPI 4.1, section 3.4).
func (e *Engine) Send(r *Request) {
	p := &e.peers[r.Peer]
	if r.Mode == Standard {
		if slot, ok := e.Direct(r.Peer, r.Tag, len(r.Buf)); ok {
			c := e.emit()
			c.Op = ir.Packet
			c.Peer = p.number
			c.Ring = p.ring
			h := &c.Header // field by field: a literal would be built aside and copied
			h.Kind, h.Flags, h.Context, h.Tag = wire.Eager, 0, r.Context, int32(r.Tag)
			h.Length, h.Word = uint32(len(r.Buf)), uint64(len(r.Buf))|uint64(r.Type)<<32
			c.Data = r.Buf
			c.Slot = slot
			c.Pos = p.data.Next()
			r.Status.Err = nil
			r.done = true
			if r.Notify {
				e.notify(r)
			}
			return
		}
	}
	e.start(p, r)
}

// Recv starts a receive. If a message waits for it, it may be done on return.
// r.Peer is a peer or AnyPeer, r.Tag a tag or AnyTag (llc, section 3.1; MPI 4.1,
// section 3.2.4).
func (e *Engine) Recv(r *Request) {
	if invariants.Enabled {
		e.checkWanted(r.Peer, r.Tag)
		r.pend()
	}
	if r.done = false; r.entry.Owner == nil {
		r.entry.Owner = r
	}
	var p *peer
	again := false
	if r.Peer >= 0 {
		p = &e.peers[r.Peer]
		if again = p.series.takes(r); again && e.table.Append(&p.series.row, &r.entry) {
			return
		}
	}
	if m := e.table.Post(&r.entry, r.Context, int32(r.Peer), int32(r.Tag)); m != nil {
		e.accept(r, m)
	} else if p == nil && e.doubt != nil {
		e.table.Withdraw(&r.entry)
		e.fail(r, e.doubt)
	} else if p != nil && p.end != nil {
		e.table.Withdraw(&r.entry)
		e.fail(r, p.end)
	} else if again {
		e.proceed(p, r)
	} else if p != nil && r.Peer != e.self { // own messages do not come by packets
		p.series.begin(r)
	}
}

// checkWanted panics unless src and tag may be those of a receive.
func (e *Engine) checkWanted(src, tag int) {
	invariants.Check(src == AnyPeer || uint(src) < uint(len(e.peers)), badPeer)
	invariants.Check(tag == AnyTag || uint(tag) <= math.MaxInt32, badTag)
}

// Cancel takes back a receive that no message has matched yet and reports whether it could: then r is done
// with ErrCancelled. If it could not, see [Engine.Revoke]. Sends cannot be cancelled (MPI 4.1, section
// 3.8.4).
func (e *Engine) Cancel(r *Request) bool {
	if r.early {
		if e.Revoke(r); r.early {
			return false
		}
	}
	if !e.table.Withdraw(&r.entry) {
		return false
	}
	e.fail(r, ErrCancelled)
	return true
}

// Probe reports whether a message waits that a receive with these arguments would take, and describes it
// (MPI 4.1, section 3.8.1). The message stays; another receive may take it first.
func (e *Engine) Probe(ctx uint16, src, tag int) (Status, bool) {
	if invariants.Enabled {
		e.checkWanted(src, tag)
	}
	m := e.table.Find(ctx, int32(src), int32(tag))
	if m == nil {
		return Status{}, false
	}
	return Status{Source: int(m.peer), Tag: int(m.tag), Bytes: int64(m.size)}, true
}

// Kept returns how many messages wait for a receive.
func (e *Engine) Kept() int { return e.table.Messages() }

// Unmatched returns how many messages wait for a receive in a context: those of src, or if there are none, or
// src is AnyPeer, of all peers. first is the earliest of them.
func (e *Engine) Unmatched(ctx uint16, src int) (n int, first Status) {
	n, m := e.table.Waiting(ctx, int32(src))
	if m == nil {
		if n, m = e.table.Waiting(ctx, match.Any); m == nil {
			return 0, first
		}
	}
	return n, Status{Source: int(m.peer), Tag: int(m.tag), Bytes: int64(m.size)}
}

// Show says that messages in a context are the program's, until it is opened again: see Elsewhere.
func (e *Engine) Show(ctx uint16) { e.table.Show(ctx) }

// Elsewhere describes a message that a receive with these arguments would take in another context that is shown, if
// there is one.
func (e *Engine) Elsewhere(ctx uint16, src, tag int) (Status, bool) {
	m := e.table.Elsewhere(ctx, int32(src), int32(tag))
	if m == nil {
		return Status{}, false
	}
	return Status{Source: int(m.peer), Tag: int(m.tag), Bytes: int64(m.size)}, true
}

// Match takes the message that Probe would find out of reach of other receives (MPI 4.1, section 3.8.2): from
// now on only a receive from its source finds it, in the context as, with the tag handle. The status has the
// tag that the message was sent with.
func (e *Engine) Match(ctx uint16, src, tag int, as uint16, handle int) (Status, bool) {
	m := e.table.Find(ctx, int32(src), int32(tag))
	if m == nil {
		return Status{}, false
	}
	e.table.Move(&m.entry, as, int32(handle))
	return Status{Source: int(m.peer), Tag: int(m.tag), Bytes: int64(m.size)}, true
}

// Unreceived calls visit for each message that waits for a receive, with the context in
// which it waits, in order of arrival within each context.
func (e *Engine) Unreceived(visit func(ctx uint16, m Status)) {
	e.table.EachMessage(func(m *message) {
		visit(m.entry.Context(), Status{Source: int(m.peer), Tag: int(m.tag), Bytes: int64(m.size)})
	})
}

// Addressed reports whether anything has been sent to a peer. Whatever is sent to it next arrives after that.
func (e *Engine) Addressed(peer int) bool { return e.peers[peer].out != outFresh }

// Idle reports whether this engine has nothing left to move: all that was posted has left, and no peer waits
// for its help.
func (e *Engine) Idle() bool {
	return e.n == 0 && e.queued == 0 && len(e.inFlight) == 0 && e.transfers.active == e.invited
}

// Silence turns the list of Completed off or on. With on, requests with Notify set that become done are only
// counted, and their Notify is cleared: a driver without waiting callers needs no list.
func (e *Engine) Silence(on bool) { e.silent = on }

// Ended returns how many requests with Notify set have become done.
func (e *Engine) Ended() uint64 { return e.ended }

// Completed returns the next request that is done and has Notify set, or nil.
// A request is returned once each time it becomes done, before it is reused
// (llc, section 3.3: the event queue), unless Silence was asked for.
func (e *Engine) Completed() *Request {
	r := e.doneQ
	if r != nil {
		e.doneQ, r.next = r.next, nil
	}
	return r
}

// complete returns a request to its owner.
func (e *Engine) complete(r *Request) {
	if r.early && !e.disinvite(r) {
		return
	}
	if invariants.Enabled {
		invariants.Check(r.pending, badComplete)
		r.pending = false
	}
	r.done = true
	if r.Notify {
		e.notify(r)
	}
}

// Wants reports whether Take has commands to return.
func (e *Engine) Wants() bool { return e.n != 0 }

// Telling reports whether Completed has a request to return.
func (e *Engine) Telling() bool { return e.doneQ != nil }

func (e *Engine) notify(r *Request) {
	if e.ended++; e.silent {
		r.Notify = false
	} else {
		e.list(r)
	}
}

func (e *Engine) list(r *Request) {
	if e.doneQ == nil {
		e.doneQ = r
	} else {
		e.doneEnd.next = r
	}
	e.doneEnd = r
}

// received completes a receive of a message of size bytes.
func (e *Engine) received(r *Request, src, tag int32, size uint64) {
	st := &r.Status
	st.Source, st.Tag, st.Bytes, st.Err = int(src), int(tag), int64(size), nil
	if size > uint64(len(r.Buf)) && size > uint64(r.Bytes()) {
		st.Err = &TruncatedError{int64(size), int64(r.Bytes())}
	}
	e.complete(r)
}

// receivedWhole is received for a message that fits.
func (e *Engine) receivedWhole(r *Request, src, tag int32, size int) {
	st := &r.Status
	st.Source, st.Tag, st.Bytes, st.Err = int(src), int(tag), int64(size), nil
	e.complete(r)
}

// fail completes a request with an error.
func (e *Engine) fail(r *Request, err error) {
	r.Status = Status{Source: r.Peer, Tag: r.Tag, Err: err}
	e.complete(r)
}

// sent completes a send.
func (e *Engine) sent(r *Request) {
	r.Status.Err = nil
	e.complete(r)
}
