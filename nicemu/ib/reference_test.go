package ib

import (
	"encoding/binary"

	"rhinet/nicemu/fabric"
)

// The reference implementation is the adapter written again to be read, one step after the other,
// without tables, shared memory or threads: it does what the specification and the package comments
// say about a request. TestReference gives both the same operations.

type refRegion struct {
	owner  int
	domain Domain
	access Access
	mem    []byte // its contents in the reference implementation
	base   uint64 // address of its first byte for other ranks
	own    uint64 // and for its owner
	gone   bool
}

type refReceive struct {
	id     uint64
	region *refRegion
	at, n  int
}

type refQueue struct {
	domain   Domain
	cq       *refCQ
	receives []refReceive
}

type refCQ struct{ list []Completion }

type refQP struct {
	owner   int
	service Service
	domain  Domain
	number  QPN
	state   State
	access  Access
	qkey    uint32
	lid     LID
	peer    QPN
	cq      *refCQ
	queue   *refQueue
	shared  bool
	work    []WorkRequest
}

// A reference is all adapters of a job.
type reference struct {
	regions map[Key]*refRegion // by owner and key: see key
	qps     []*refQP
}

// refKey makes a rank's key unique among ranks.
func refKey(rank int, k Key) Key { return k | Key(rank)<<31 }

// region returns the region that a key of a rank names, or why there is none. For a key of a used
// place in the table, a region that is gone cannot be told from one that was never there.
func (m *reference) region(rank int, k Key) (*refRegion, Reason) {
	r, why := m.regions[refKey(rank, k)], NoRegion
	for old := range m.regions {
		if old>>31 == Key(rank) && old&indexMask == k&indexMask {
			why = Stale
		}
	}
	if r == nil || r.gone {
		return nil, why
	}
	return r, 0
}

// A trip is a request in progress; each step may end it with a reason.
type trip struct {
	*reference
	q      *refQP
	w      *WorkRequest
	local  []byte
	target *refQP
	region *refRegion
	at     uint64
	moved  int
	status Status
}

// steps are the steps of a request of a reliable connection, in order.
var steps = []struct {
	name string
	do   func(*trip) Reason
}{
	{"own memory", (*trip).ownMemory},
	{"length", (*trip).length},
	{"responder", (*trip).responder},
	{"rights", (*trip).rights},
	{"transfer", (*trip).transfer},
	{"receive", (*trip).receive},
}

func (x *trip) ownMemory() Reason {
	x.status = LocalProtection
	if x.w.Inline {
		x.local = x.w.copied[:x.w.size]
		return 0
	}
	if len(x.w.Local) == 0 {
		return 0
	}
	r, why := x.reference.region(x.q.owner, x.w.Key)
	need := Access(0)
	if operations[x.w.Op].reads {
		need = LocalWrite
	}
	at := fabric.Address(x.w.Local)
	switch {
	case why != 0:
		return why
	case r.domain != x.q.domain:
		return WrongDomain
	case r.access&need != need:
		return NoRight
	case at < r.own || at+uint64(len(x.w.Local)) > r.own+uint64(len(r.mem)):
		return BeyondRegion
	}
	x.local = r.mem[at-r.own:][:len(x.w.Local)]
	return 0
}

func (x *trip) length() Reason {
	if x.status = LocalLength; operations[x.w.Op].atomic && len(x.local) != 8 {
		return TooLong
	}
	x.status = Success
	return 0
}

func (x *trip) responder() Reason {
	for _, p := range x.qps {
		if p.number != x.q.peer || LID(p.owner+1) != x.q.lid || p.service == UD {
			continue
		}
		x.target = p
		switch {
		case p.state != RTR && p.state != RTS && p.state != SQD:
			return NotReady
		case p.lid != LID(x.q.owner+1) || p.peer != x.q.number:
			return OtherPeer
		}
		return 0
	}
	return NoQP
}

func (x *trip) rights() Reason {
	op := operations[x.w.Op]
	if !op.remote || len(x.local) == 0 {
		return 0
	}
	if x.target.access&op.need != op.need {
		return NoRight
	}
	r, why := x.reference.region(x.target.owner, x.w.Remote)
	switch {
	case why != 0:
		return why
	case r.domain != x.target.domain:
		return WrongDomain
	case r.access&op.need != op.need:
		return NoRight
	}
	at, n := x.w.Address, uint64(len(x.local))
	if at < r.base || at-r.base > uint64(len(r.mem)) || n > uint64(len(r.mem))-(at-r.base) {
		return BeyondRegion
	}
	x.region, x.at = r, at-r.base
	if op.atomic && (r.own+x.at)%8 != 0 {
		return Misaligned
	}
	return 0
}

func (x *trip) transfer() Reason {
	op := operations[x.w.Op]
	if x.moved = len(x.local); !op.remote || x.region == nil {
		return 0
	}
	there := x.region.mem[x.at:][:len(x.local)]
	switch {
	case op.atomic:
		old := binary.NativeEndian.Uint64(there)
		if x.w.Op == FetchAndAdd {
			binary.NativeEndian.PutUint64(there, old+x.w.Swap)
		} else if old == x.w.Compare {
			binary.NativeEndian.PutUint64(there, x.w.Swap)
		}
		binary.NativeEndian.PutUint64(x.local, old)
	case op.reads:
		copy(x.local, there)
	default:
		copy(there, x.local)
	}
	return 0
}

func (x *trip) receive() Reason {
	op := operations[x.w.Op]
	if op.receive == opNone {
		return 0
	}
	c := Completion{Op: op.receive, Bytes: len(x.local), QPN: x.target.number, Immediate: x.w.Immediate, HasImm: op.immediate}
	data := x.local
	if op.remote {
		data = nil
	}
	why := x.target.queue.take(c, data)
	if why != 0 {
		x.moved = 0
	}
	return why
}

// take puts a message into the next receive.
func (q *refQueue) take(c Completion, data []byte) Reason {
	if q == nil || len(q.receives) == 0 {
		return NoReceive
	}
	r := q.receives[0]
	if len(data) > r.n {
		return TooLong
	}
	q.receives = q.receives[1:]
	c.ID = r.id
	var why Reason
	if r.region.gone {
		why = Stale
		c.Status, c.Reason = LocalProtection, why
	} else {
		copy(r.region.mem[r.at:], data)
	}
	q.cq.list = append(q.cq.list, c)
	return why
}

// datagram is a request of an unreliable datagram queue pair.
func (m *reference) datagram(q *refQP, w *WorkRequest, local []byte, gid GID) {
	for _, p := range m.qps {
		if p.service != UD || p.number != w.QPN || LID(p.owner+1) != w.LID || p.state != RTR && p.state != RTS && p.state != SQD || p.qkey != w.QKey {
			continue
		}
		header := make([]byte, headerBytes)
		binary.BigEndian.PutUint64(header[8:], gid[0])
		binary.BigEndian.PutUint64(header[16:], gid[1])
		op := operations[w.Op]
		p.queue.take(Completion{Op: op.receive, Bytes: len(local) + headerBytes, QPN: p.number, Immediate: w.Immediate, HasImm: op.immediate, Source: LID(q.owner + 1), SourceQPN: q.number}, append(header, local...))
	}
}

// run carries out posted requests.
func (m *reference) run(q *refQP, gid GID) {
	for len(q.work) > 0 && (q.state == RTS || q.state == ERR) {
		w := &q.work[0]
		q.work = q.work[1:]
		c := Completion{ID: w.ID, Op: w.Op, QPN: q.number}
		if q.state == ERR {
			c.Status, c.Reason = Flushed, InError
			q.cq.list = append(q.cq.list, c)
			continue
		}
		x := &trip{reference: m, q: q, w: w}
		for _, s := range steps {
			if q.service == UD && s.name == "responder" {
				m.datagram(q, w, x.local, gid)
				x.moved = len(x.local)
				break
			}
			if c.Reason = s.do(x); c.Reason != 0 {
				if c.Status = x.status; c.Status == Success {
					c.Status = reasons[c.Reason].status
				}
				break
			}
		}
		c.Bytes = x.moved
		if c.Reason != 0 {
			c.Bytes = 0
		}
		if c.Reason != 0 || !w.Silent {
			q.cq.list = append(q.cq.list, c)
		}
		if c.Reason != 0 {
			m.fail(q, gid)
		}
	}
}

// fail enters ERR.
func (m *reference) fail(q *refQP, gid GID) {
	if was := q.state; was == RTS { // the request that failed is in the middle of run
		q.state = ERR
		q.flush()
		return
	}
	q.state = ERR
	m.run(q, gid)
	q.flush()
}

func (q *refQP) flush() {
	if q.queue == nil || q.shared {
		return
	}
	for _, r := range q.queue.receives {
		q.queue.cq.list = append(q.queue.cq.list, Completion{ID: r.id, Op: Receive, Status: Flushed, Reason: InError, QPN: q.number})
	}
	q.queue.receives = nil
}
