package martini

import "sync/atomic"

// A route is BOTF with the header's translations made in advance: it holds the entries of RVATLB
// and PATLB for the target's I/O space, and the values of their state words. These lines are rarely
// written, so that checking them before each packet costs next to nothing, and a packet never uses
// an entry that has been withdrawn.
type route struct {
	nic            *NIC
	window         *Window
	rank           int
	sid            int
	cont           *uint64 // the Window's contflag
	key, seg, page *uint64 // PGIDTBL, segment and extent entries
	keyWas, segWas uint64
	pageWas        uint64
}

// find translates for a well-known segment of a node, as the Initiator does for a request of the
// Window, and as RFend and RBend do for its packet. This counts as a miss: if a stepped machine is
// attached, it gets a header first. A refusal leaves r unchanged.
func (r *route) find(n *NIC, w *Window, rank, sid int) error {
	seg := makeSegment(sid, ioGen)
	no := func(why Reason) error {
		return n.refuse(Refusal{Op: opBotf, Node: rank, Segment: seg, Reason: why, local: why == InvalidWindow})
	}
	t, ok := n.node(rank)
	if !ok {
		return no(NoNode)
	}
	if err := w.ahead(rank, seg); err != nil {
		return err
	}
	f := route{nic: n, window: w, rank: rank, sid: sid, cont: &w.flags[0], key: &w.entry[winKey]}
	if f.keyWas = atomic.LoadUint64(f.key); f.keyWas&winValid == 0 || n.closed.Load() {
		return no(InvalidWindow)
	}
	key := makeKey(uint32(f.keyWas), rank)
	s := t.segment(sid)
	f.seg, f.segWas = &s[entState], s.load(entState)
	size := s.load(entSize)
	va, hint, why := t.rva(key, seg, 0, size)
	if why != 0 {
		return no(why)
	}
	x := t.extent(hint)
	f.page, f.pageWas = &x[entState], x.load(entState)
	if why = n.pinned(t, rank, key, va, size, hint, true); why != 0 {
		return no(why)
	}
	*r = f
	return nil
}

// good reports whether the translations are still valid: in one branch, as they almost always are.
func (r *route) good() bool {
	return (atomic.LoadUint64(r.key)^r.keyWas)|
		(atomic.LoadUint64(r.seg)^r.segWas)|
		(atomic.LoadUint64(r.page)^r.pageWas) == 0
}

// renew translates again after good has returned false.
func (r *route) renew() error { return r.find(r.nic, r.window, r.rank, r.sid) }

// ready counts one request of the Window, and translates again if necessary.
func (r *route) ready() error {
	*r.cont++
	if r.good() {
		return nil
	}
	return r.renew()
}

// tooLong refuses a packet of n bytes. Nothing of it leaves the issuer, and PGID checks the Window
// before the length.
func (r *route) tooLong(n int) error {
	*r.cont++
	f := Refusal{Op: opPush, Node: r.rank, Segment: makeSegment(r.sid, ioGen), Bytes: n, Reason: WrongLength, local: true}
	if r.window.key()&winValid == 0 {
		f.Reason = InvalidWindow
	}
	return r.nic.refuse(f)
}
