package ib

import (
	"encoding/binary"
	"fmt"
	"sync"
)

// A Link is the connection of this process with another one of the job, which the
// subnet manager has made, with a reliable queue pair at either side. Its messages go to the
// striding receive queue of the other process, its requests to the regions that every process
// has from the beginning, or that it registers in [JobDomain]. Any goroutine may use
// Do, Swap and Transfer.
type Link struct {
	mu   sync.Mutex // held by whoever must not see it reconnected
	qp   *QP
	rank int // of the other side
}

// NewLink makes a connection with another process beside the one that the subnet manager has made,
// up to INIT: the other process makes its side, both learn the number of the other's, and Join it.
// Requests by it reach what those by the first one do.
func (h *HCA) NewLink(rank int) (*Link, error) {
	if _, err := h.Link(rank); err != nil {
		return nil, err
	}
	q, err := h.CreateQP(QPConfig{Service: RC, Domain: jobDomain, Send: h.linkCQ, Receive: h.striding()})
	if err != nil {
		return nil, err
	}
	if err := q.Modify(INIT, Attributes{Access: RemoteWrite | RemoteRead | RemoteAtomic}); err != nil {
		return nil, err
	}
	return &Link{qp: q, rank: rank}, nil
}

// Number returns the number of the own queue pair.
func (l *Link) Number() QPN { return l.qp.Number() }

// Join connects the own queue pair of a link that NewLink has made with that of the other side, and
// brings it to RTS.
func (l *Link) Join(n QPN) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.qp.Modify(RTR, Attributes{LID: LID(l.rank + 1), QPN: n}); err != nil {
		return err
	}
	return l.qp.Modify(RTS, Attributes{})
}

// Leave gives the own queue pair of such a link up: requests by it are refused from then on.
func (l *Link) Leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.qp.Destroy()
}

// striding is the receive queue of all links.
func (h *HCA) striding() *ReceiveQueue {
	return &ReceiveQueue{hca: h, index: stridingQueue, cq: h.linkCQ, shared: true}
}

// JobDomain is the protection domain of links.
const JobDomain = jobDomain

// Link returns the connection with a process, which may be this one.
func (h *HCA) Link(rank int) (*Link, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed.Load():
		return nil, ErrClosed
	case uint(rank) >= uint(len(h.links)):
		return nil, fmt.Errorf("ib: rank %d; the job has ranks 0 to %d", rank, len(h.links)-1)
	}
	if h.links[rank] == nil {
		q := h.handle(rank, linkQPN(rank), QPConfig{Service: RC, Domain: jobDomain, Send: h.linkCQ, Receive: h.striding()})
		h.links[rank] = &Link{qp: q, rank: rank}
	}
	return h.links[rank], nil
}

// Do carries out a request, and returns once it has completed. One that fails would leave
// the queue pair in ERR: the connection is made anew at once, ERR to RTS in one
// step, since the other side must not find it unready.
func (l *Link) Do(w *WorkRequest) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.qp.hca
	if h.closed.Load() {
		return ErrClosed
	}
	if s := l.qp.State(); s != RTS {
		return fmt.Errorf("%w: %v", ErrState, s)
	}
	c := Completion{ID: w.ID, Op: w.Op}
	var at adapter
	if c.Status, c.Reason, c.Bytes, c.cause = l.qp.execute(w, &at); c.Status != Success {
		h.count(c.Reason, &at)
		changeState(l.qp.entry, RTS)
	}
	return c.Err(l.rank)
}

// Transfer is RDMA READ or RDMA WRITE between b and a region of the other process,
// from an offset of a zero-based region on. b is registered for the call.
func (l *Link) Transfer(op Opcode, k Key, offset uint64, b []byte) error {
	h := l.qp.hca
	own, err := h.Hold(jobDomain, b, LocalWrite)
	if err != nil {
		return err
	}
	err = l.Do(&WorkRequest{Op: op, Local: b, Key: own, Address: offset, Remote: k})
	if gone := h.Deregister(own); err == nil {
		err = gone
	}
	return err
}

// Swap is CMP_SWAP on a control word of the other process, and returns what the
// word held.
func (l *Link) Swap(word, old, now uint64) (uint64, error) {
	var b [8]byte
	h := l.qp.hca
	own, err := h.Hold(jobDomain, b[:], LocalWrite)
	if err != nil {
		return 0, err
	}
	address := min(word, 1<<60) * 8
	err = l.Do(&WorkRequest{Op: CompareAndSwap, Local: b[:], Key: own, Address: address, Remote: linkKey(regionControl), Compare: old, Swap: now})
	if gone := h.Deregister(own); err == nil {
		err = gone
	}
	return binary.NativeEndian.Uint64(b[:]), err
}

// A route is RDMA WRITE with inline data by a link, with what its requests are
// checked against looked up ahead: the own queue pair, that of the other side and
// the region there. Each of the three lines has a word that changes with it; they are
// read-mostly, so that looking again before each request costs next to nothing, and
// nothing goes by an entry that has been withdrawn.
type route struct {
	link           *Link
	region         int
	own, peer, mem *uint64
	ownWas         uint64
	peerWas        uint64
	memWas         uint64
}

// find looks the way up to all of a region of the job's. A refusal leaves r as it is.
func (r *route) find(l *Link, region int, need Access) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.qp
	if q.hca.closed.Load() {
		return ErrClosed
	}
	f := route{link: l, region: region, own: &q.entry[qpState], ownWas: q.entry.load(qpState)}
	if stateOf(f.ownWas) != RTS {
		return fmt.Errorf("%w: %v", ErrState, stateOf(f.ownWas))
	}
	var p responder
	why := q.hca.reach(&p, q)
	if why == 0 {
		e := p.at.region(region)
		f.peer, f.peerWas = &p.entry[qpState], p.entry.load(qpState)
		f.mem, f.memWas = &e[mrState], e.load(mrState)
		t := target{at: p.at, rank: p.rank, key: linkKey(region)}
		why = q.hca.aim(&t, &p, need, 0, 0)
	}
	if why != 0 {
		return l.refuse(why, 0)
	}
	*r = f
	return nil
}

// refuse counts a request that was refused, and is its error.
func (l *Link) refuse(why Reason, bytes int) error {
	h := l.qp.hca
	at := adapterOf(h.f, l.rank)
	h.count(why, &at)
	return &Failure{Write, l.rank, reasons[why].status, why, bytes, nil}
}

// good reports whether what was looked up still holds.
func (r *route) good() bool {
	return load(r.own) == r.ownWas && load(r.peer) == r.peerWas && load(r.mem) == r.memWas
}

// renew looks the way up again if need be.
func (r *route) renew(need Access) error {
	if r.good() && !r.link.qp.hca.closed.Load() {
		return nil
	}
	return r.find(r.link, r.region, need)
}

// Resolve returns where datagrams go that the adapter of another rank takes under a
// Q_Key: its port, and the first queue pair of that kind that is ready. It is what service ID
// resolution tells. Our choice: the tables say it without asking the process.
func (h *HCA) Resolve(rank int, qkey uint32) (LID, QPN, bool) {
	a, r, ok := h.at(LID(rank + 1))
	if !ok || r != rank {
		return 0, 0, false
	}
	for i := h.f.Ranks(); i < QPs; i++ {
		e := a.qp(i)
		state := e.load(qpState)
		if state&qpInUse == 0 {
			break
		}
		if Service(state>>8) == UD && stateOf(state) < numStates && does[stateOf(state)].receive && uint32(e.load(qpPeer)) == qkey {
			return LID(rank + 1), QPN(e.load(qpNumber)) & qpnMask, true
		}
	}
	return 0, 0, false
}

// Left reports whether a process has had the adapter of a rank and closed it.
func (h *HCA) Left(rank int) bool {
	a, r, ok := h.at(LID(rank + 1))
	return ok && r == rank && stateOf(a.qp(rank).load(qpState)) == SQD
}
