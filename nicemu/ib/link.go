package ib

import (
	"encoding/binary"
	"fmt"
	"sync"
)

// A Link is the connection of this process to another one of the job, which the subnet manager has
// made, with a reliable queue pair at either side. Its messages go to the striding receive queue of
// the other process, its requests to the regions that every process has from the beginning, or
// registers in [JobDomain]. Any goroutine may use Do, Swap and Transfer.
type Link struct {
	mu   sync.Mutex // held by code that must not run during a reconnection
	qp   *QP
	rank int // of the other side
}

// NewLink makes another connection to a process, besides that of the subnet manager, up to INIT.
// The other process makes its side too; then both exchange the numbers of their queue pairs, and
// Join them. Its requests have the same rights as those of the first connection.
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

// Number returns the number of this side's queue pair.
func (l *Link) Number() QPN { return l.qp.Number() }

// Join connects this side's queue pair of a link from NewLink to that of the other side, and brings
// it to RTS.
func (l *Link) Join(n QPN) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.qp.Modify(RTR, Attributes{LID: LID(l.rank + 1), QPN: n}); err != nil {
		return err
	}
	return l.qp.Modify(RTS, Attributes{})
}

// Leave destroys this side's queue pair of such a link: later requests are refused.
func (l *Link) Leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.qp.Destroy()
}

// striding returns the receive queue of all links.
func (h *HCA) striding() *ReceiveQueue {
	return &ReceiveQueue{hca: h, index: stridingQueue, cq: h.linkCQ, shared: true}
}

// JobDomain is the protection domain of links.
const JobDomain = jobDomain

// Link returns the connection to a process, which may be this one.
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

// Do carries out a request, and returns once it has completed. A failed request would leave the
// queue pair in ERR, so the connection is remade at once, from ERR to RTS in one step, since the
// other side must not find it unready.
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

// Transfer is RDMA READ or RDMA WRITE between b and a zero-based region of the other process, from
// an offset on. b is registered for the call.
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

// Swap is CMP_SWAP on a control word of the other process, and returns its old value.
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

// A route is RDMA WRITE with inline data over a link, with the lines for its checks looked up in
// advance: this side's queue pair, that of the other side and the region there. Each of the three
// lines has a word that changes with it. They are rarely written, so that checking them before each
// request costs next to nothing, and a request never uses an entry that has been withdrawn.
type route struct {
	link           *Link
	region         int
	own, peer, mem *uint64
	ownWas         uint64
	peerWas        uint64
	memWas         uint64
}

// find looks up the lines for one of the job's regions. A refusal leaves r unchanged.
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

// refuse counts a refused request, and returns its error.
func (l *Link) refuse(why Reason, bytes int) error {
	h := l.qp.hca
	at := adapterOf(h.f, l.rank)
	h.count(why, &at)
	return &Failure{Write, l.rank, reasons[why].status, why, bytes, nil}
}

// good reports whether the looked-up lines are still valid.
func (r *route) good() bool {
	return load(r.own) == r.ownWas && load(r.peer) == r.peerWas && load(r.mem) == r.memWas
}

// renew looks the lines up again if necessary.
func (r *route) renew(need Access) error {
	if r.good() && !r.link.qp.hca.closed.Load() {
		return nil
	}
	return r.find(r.link, r.region, need)
}

// Resolve returns the target of datagrams with a Q_Key to the adapter of another rank: its port,
// and the first queue pair that takes them. That is the result of service ID resolution. Our
// choice: it is read from the tables, without asking the process.
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

// Left reports whether a process has opened the adapter of a rank and closed it.
func (h *HCA) Left(rank int) bool {
	a, r, ok := h.at(LID(rank + 1))
	return ok && r == rank && stateOf(a.qp(rank).load(qpState)) == SQD
}
