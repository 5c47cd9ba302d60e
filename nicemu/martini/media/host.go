package media

import (
	"rhinet/nicemu/martini/timed"
	"rhinet/nicemu/vtime"
)

// A job is an operation that a rank has posted.
type job struct {
	kind   jobKind
	dst    int
	bytes  int // including frame and envelope
	slots  int // slots of a message in the ring of its receiver
	posted int // bytes for which a request has been posted
	open   int // posted requests that are not complete
	to     vtime.Actor
	op     int
	arg    uint64
}

type jobKind uint8

const (
	jobMessage jobKind = iota
	jobPull
	jobPush
	jobTail // reads the tail of the ring at the receiver: pm-messaging, section 1.4.8
)

// A part is one request of a job to the NIC.
type part struct {
	timed.Transfer
	h    *host
	j    *job
	kind jobKind // of j, which may be complete before
	left int     // number of stages to come
	hold int     // number of these for which the sender's next message waits, if this is the last part of a message
}

// A host is the layer at one rank.
//
//	posted by the rank --> queue --room at the receiver, and a Window--> requests --> done
type host struct {
	m      *Medium
	rank   int
	node   *timed.Node
	queue  vtime.Ring[*job]
	busy   []bool // by Window: contflag is not set yet
	next   int    // Window that is used next
	unseen int    // PUSHes of messages with acks outstanding, if the layer waits for acks
	peers  []peer
	come   vtime.Ring[int] // with one ring: sizes in bytes of the messages that have arrived and are not released
	parts  []*part         // unused
	left   bool            // the rank takes no more messages
}

func (h *host) start(m *Medium, rank int) {
	h.m, h.rank, h.node = m, rank, m.sys.Node(rank)
	h.busy, h.peers = make([]bool, m.s.windows), make([]peer, len(m.hosts))
}

// add queues a job.
func (h *host) add(j *job) {
	h.queue.Push(j)
	h.pump()
}

// pump posts as many requests as possible.
func (h *host) pump() {
	for !h.busy[h.next] {
		i := h.choose()
		if i < 0 {
			return
		}
		h.post(i)
	}
}

// choose returns the index in the queue of the first job that can continue, or -1. Messages to one
// rank keep their order.
func (h *host) choose() int {
	for i := range h.queue.Len() {
		j := *h.queue.At(i)
		p := &h.peers[j.dst]
		switch {
		case j.kind != jobMessage:
			return i
		case p.blocked || !h.acked(p):
			p.blocked = true
		case j.posted > 0 || h.room(p, j):
			h.unblock()
			return i
		default:
			p.blocked = true
			if t := h.ask(j.dst); t != nil {
				h.unblock()
				h.queue.Push(t)
				return h.queue.Len() - 1
			}
		}
	}
	h.unblock()
	return -1
}

func (h *host) unblock() {
	for i := range h.queue.Len() {
		h.peers[(*h.queue.At(i)).dst].blocked = false
	}
}

// acked reports whether the acks for which the next PUSH must wait have arrived (pm-messaging,
// section 1.4.9).
func (h *host) acked(p *peer) bool {
	switch h.m.s.throttle {
	case throttleAll:
		return h.unseen == 0
	case throttlePeer:
		return p.unseen == 0
	}
	return true
}

// mostPart is the longest request of remote memory access; longer transfers use several, one after
// the other.
const mostPart = 32 << 10

// post posts the next request of the job at index i of the queue.
func (h *host) post(i int) {
	j := *h.queue.At(i)
	p := &h.peers[j.dst]
	x := h.part(j)
	x.kind = j.kind
	most := mostPart
	switch j.kind {
	case jobMessage:
		x.Kind, most = timed.Push, j.bytes
		switch {
		case h.m.s.layer.ring:
			x.Kind = timed.VPush
		case h.m.s.throttle != throttleOff:
			most = slot
			x.Ack = true
			h.unseen++
			p.unseen++
		}
		if j.posted == 0 {
			p.head += j.slots
		}
	case jobPull, jobTail:
		x.Kind = timed.Pull
	case jobPush:
		x.Kind, x.Ack = timed.Push, true
	}
	x.To, x.Bytes, x.Window = j.dst, min(j.bytes-j.posted, most), h.next
	if x.left = 2; x.Ack {
		x.left = 3
	}
	j.posted += x.Bytes
	j.open++
	if j.kind == jobMessage && j.posted == j.bytes {
		x.hold = x.left - 1
	}
	switch {
	case j.posted == j.bytes:
		h.queue.Remove(i)
	case j.kind != jobMessage: // others may go in between
		h.queue.Push(h.queue.Remove(i))
	}
	h.busy[h.next] = true
	h.next = (h.next + 1) % len(h.busy)
	if err := h.node.Post(&x.Transfer); err != nil {
		panic(err) // sizes and nodes come from the model
	}
}

func (h *host) part(j *job) *part {
	x := new(part)
	if n := len(h.parts); n > 0 {
		x, h.parts = h.parts[n-1], h.parts[:n-1]
	}
	*x = part{h: h, j: j}
	x.Watcher = x
	return x
}

// Progress implements timed.Watcher.
func (x *part) Progress(_ *timed.Transfer, s timed.Stage) {
	h := x.h
	switch s {
	case timed.Free:
		h.busy[x.Window] = false
		x.release()
	case timed.Acked:
		x.release()
		if x.kind == jobMessage {
			h.unseen--
			h.peers[x.To].unseen--
		} else {
			h.over(x.j)
		}
	case timed.Delivered:
		if x.kind != jobPush {
			h.over(x.j)
		}
	default:
		return
	}
	if x.left--; x.left == 0 {
		h.parts = append(h.parts, x)
	}
	h.pump()
}

// release lets the sender continue when everything for which its next message waits has happened.
func (x *part) release() {
	if x.hold > 0 {
		if x.hold--; x.hold == 0 {
			x.h.m.free(x.h.rank, x.To)
		}
	}
}

// over counts a completed request of a job.
func (h *host) over(j *job) {
	if j.open--; j.open > 0 || j.posted < j.bytes {
		return
	}
	to, op, arg := j.to, j.op, j.arg
	switch j.kind {
	case jobMessage:
		h.m.hosts[j.dst].arrived(h.rank, j)
	case jobTail:
		h.learn(j.dst)
	}
	h.m.jobs = append(h.m.jobs, j)
	if to != nil {
		to.Act(op, arg)
	}
}
