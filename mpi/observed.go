package mpi

import (
	"context"
	"strings"

	"rhinet/internal/layout"
	"rhinet/internal/observe"
	"rhinet/llc"
	"rhinet/llc/port"
)

// An observed is the transport of a rank that records its calls for the launcher. A
// rank that is not observed uses its transport directly. Transfers that are part of a
// call with another name count only as messages.
type observed struct {
	Transport
	to   *observe.Rank
	comm observe.CommID // the communicator of its messages; 0: not known
}

// observed returns the transport of j, one that records its calls if j is observed.
func (j *Job) observed() Transport {
	if j.Observe == nil {
		return j.Transport
	}
	o := observed{Transport: j.Transport, to: j.Observe}
	if p, ok := j.Transport.(*port.Port); ok {
		if c := p.Counting(); c != nil {
			return &counted{*c, uncounted{o}}
		}
	}
	return &o
}

// A counted is the transport of a rank whose port counts most calls itself. uncounted
// has the other calls.
type counted struct {
	port.Counting
	uncounted
}

// uncounted has the calls that a port does not count. It keeps them a level below
// counted, where they are not ambiguous.
type uncounted struct{ observed }

func (c *counted) TrySend(key llc.Key, dst, tag int, buf []byte) bool {
	return c.observed.TrySend(key, dst, tag, buf)
}

func (c *counted) Start(r *llc.Request, send bool) { c.observed.Start(r, send) }
func (c *counted) Wait(r *llc.Request)             { c.observed.Wait(r) }
func (c *counted) Test(r *llc.Request) bool        { return c.observed.Test(r) }
func (c *counted) Failure() error                  { return c.Port.Failure() }
func (c *counted) WaitAny(call string, rs []*llc.Request, over func() bool) int {
	return c.observed.WaitAny(call, rs, over)
}
func (c *counted) WaitContext(ctx context.Context, r *llc.Request) error {
	return c.observed.WaitContext(ctx, r)
}

// observe has the calls on c counted for it, if the job is observed.
func (c *core) observe() {
	c.seen = unexpected(c.t, c.id.pointToPoint())
	if !c.private {
		show(c.t, c.id.pointToPoint())
	}
	if to := c.w.Observe; to != nil {
		c.counted = to.Comm(c.name, c.id.pointToPoint())
		for i, id := range c.ids {
			to.Foreign(c.counted, c.global(i), id.pointToPoint())
		}
		c.t = countedFor(c.counted, c.t)
	}
}

// rename gives c another name, also in what the launcher reads.
func (c *core) rename(name string) {
	c.name = name
	if to := c.w.Observe; to != nil {
		to.Rename(c.counted, name)
	}
}

// countedFor returns t, counting for a communicator if it counts.
func countedFor(comm observe.CommID, t Transport) Transport {
	switch o := t.(type) {
	case *observed:
		return &observed{o.Transport, o.to, comm}
	case *counted:
		return &counted{o.Counting, uncounted{observed{o.Port, o.to, comm}}}
	case *recorded:
		return &recorded{countedFor(comm, o.Transport), o.k}
	}
	return t
}

// sent describes a call that sends a message.
func (o *observed) sent(ctx uint16, dst, tag, bytes int) observe.Transfer {
	comm := o.comm
	if comm == 0 {
		comm = o.to.CommOf(ctx) // in virtual time all communicators have one transport
	}
	return observe.Transfer{Flags: observe.Sends, Comm: comm, Context: ctx, Peer: dst, Tag: tag, Bytes: bytes}
}

// took describes a call that has received a message in a context.
func (o *observed) took(ctx uint16, st *llc.Status) observe.Transfer {
	if st.Err != nil {
		return observe.Transfer{Peer: llc.AnyPeer}
	}
	return observe.Transfer{Flags: observe.Receives, Comm: o.to.CommOf(ctx), Context: ctx, Peer: st.Source, Tag: st.Tag, Bytes: int(st.Bytes)}
}

func (o *observed) Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error {
	m, call := o.to.Begin(), observe.Send
	if mode == llc.Synchronous {
		call = observe.Ssend
	}
	err := o.Transport.Send(key, dst, tag, mode, buf)
	t := o.sent(key.Context(), dst, tag, len(buf))
	o.to.End(m, call, &t)
	return err
}

func (o *observed) Recv(key llc.Key, src, tag int, buf []byte) (llc.Status, error) {
	m := o.to.Begin()
	st, err := o.Transport.Recv(key, src, tag, buf)
	t := observe.Transfer{Flags: observe.Receives, Comm: o.comm, Context: key.Context(), Peer: st.Source, Tag: st.Tag, Bytes: int(st.Bytes)}
	if err != nil {
		t = observe.Transfer{Peer: src}
	}
	o.to.End(m, observe.Recv, &t)
	return st, err
}

func (o *observed) RecvFor(call string, key llc.Key, src, tag int, buf []byte) (llc.Status, error) {
	st, err := o.Transport.RecvFor(call, key, src, tag, buf)
	t := o.took(key.Context(), &st)
	o.arrived(&t)
	return st, err
}

func (o *observed) TrySend(key llc.Key, dst, tag int, buf []byte) bool {
	at := o.to.Now()
	ok := o.Transport.TrySend(key, dst, tag, buf)
	if ok {
		t := o.sent(key.Context(), dst, tag, len(buf))
		o.to.Point(at, observe.Send, &t)
	}
	return ok
}

func (o *observed) Start(r *llc.Request, send bool) {
	m, at := o.to.Begin(), int64(0)
	call, t := observe.Irecv, observe.Transfer{Comm: o.comm, Peer: r.Peer, Context: r.Context, Tag: r.Tag}
	r.Seen = llc.SeenRecv
	if send {
		r.Seen = llc.SeenSend
		call, t = observe.Isend, o.sent(r.Context, r.Peer, r.Tag, r.Bytes())
		if r.Mode == llc.Synchronous {
			call = observe.Issend
		}
	}
	part := r.Label != ""
	if part && send {
		at = o.to.Now()
		if call := messagesOf(r.Label); r.Collective != nil && call != "" {
			o.to.Add(call, t.Bytes)
		}
		o.to.Point(at, call, &t)
	}
	o.Transport.Start(r, send)
	if part {
		o.to.Drop(m)
	} else {
		o.to.End(m, call, &t)
	}
}

func (o *observed) Isend(s *port.Spares, key llc.Key, dst, tag int, buf []byte) (*llc.Request, bool) {
	m := o.to.Begin()
	r, gone := o.Transport.Isend(s, key, dst, tag, buf)
	if r != nil {
		r.Seen = llc.SeenSend
		t := o.sent(key.Context(), dst, tag, len(buf))
		o.to.End(m, observe.Isend, &t)
	} else {
		o.to.Drop(m)
	}
	return r, gone
}

func (o *observed) Irecv(s *port.Spares, key llc.Key, src, tag int, buf []byte) *llc.Request {
	m := o.to.Begin()
	r := o.Transport.Irecv(s, key, src, tag, buf)
	if r != nil {
		r.Seen = llc.SeenRecv
		o.to.End(m, observe.Irecv, &observe.Transfer{Comm: o.comm, Peer: src, Context: key.Context(), Tag: tag})
	} else {
		o.to.Drop(m)
	}
	return r
}

// arrival describes the completion of r: nothing if it is a send, or not complete.
func (o *observed) arrival(r *llc.Request) observe.Transfer {
	t := observe.Transfer{Comm: o.comm, Peer: r.Peer, Context: r.Context}
	if r.Seen == llc.SeenRecv && r.Done() {
		t = o.took(r.Context, &r.Status)
		r.Seen = llc.Unseen
	}
	return t
}

// waited ends a wait for r that began at m.
func (o *observed) waited(m observe.Mark, r *llc.Request) {
	t := o.arrival(r)
	switch {
	case r.Label == "":
		o.to.End(m, observe.WaitOne, &t)
	case r.Collective != nil || countsItself(r.Label):
		o.to.Drop(m)
		if completesMany(r.Label) {
			o.to.Add(r.Label, t.Bytes)
		}
		o.arrived(&t)
	default:
		if r.Seen == llc.SeenSend {
			t.Bytes = r.Bytes()
		}
		o.to.End(m, o.to.Named(r.Label), &t)
	}
}

// countsItself reports whether a wait with a label is part of a call that counts itself.
func countsItself(label string) bool {
	return label == "Sendrecv" || label == "SendrecvReplace" || completesMany(label) || llc.Serves(label) || strings.Contains(label, " ")
}

// completesMany reports whether a wait with a label is for one of several requests that a call may complete.
func completesMany(label string) bool {
	switch label {
	case "WaitAll", "WaitAllStatus", "WaitAny", "WaitSome", "TestAll", "TestAny", "TestSome":
		return true
	}
	return false
}

// arrived records what has arrived in a part of a call.
func (o *observed) arrived(t *observe.Transfer) {
	if t.Flags != 0 {
		o.to.Point(o.to.Now(), observe.Irecv, t)
	}
}

func (o *observed) Wait(r *llc.Request) {
	m := o.to.Begin()
	o.Transport.Wait(r)
	o.waited(m, r)
}

func (o *observed) WaitContext(ctx context.Context, r *llc.Request) error {
	m := o.to.Begin()
	err := o.Transport.WaitContext(ctx, r)
	o.waited(m, r)
	return err
}

func (o *observed) WaitAll(first *llc.Request) {
	m := o.to.Begin()
	o.Transport.WaitAll(first)
	all := observe.Transfer{Peer: llc.AnyPeer}
	for r := first; r != nil; r = r.Link {
		t := o.arrival(r)
		all.Bytes += t.Bytes
		o.arrived(&t)
	}
	o.to.End(m, observe.WaitAll, &all)
}

func (o *observed) WaitAny(call string, rs []*llc.Request, over func() bool) int {
	m, t := o.to.Begin(), observe.Transfer{Comm: o.comm, Peer: llc.AnyPeer}
	i := o.Transport.WaitAny(call, rs, over)
	if i >= 0 {
		t = o.arrival(rs[i])
	}
	o.to.End(m, o.to.Named(call), &t)
	return i
}

func (o *observed) Test(r *llc.Request) bool {
	m := o.to.Begin()
	done := o.Transport.Test(r)
	t := o.arrival(r)
	if r.Collective != nil {
		o.to.Drop(m)
		o.arrived(&t)
	} else {
		o.to.End(m, observe.Test, &t)
	}
	return done
}

// Failure returns why the network has been lost, see failure.
func (o *observed) Failure() error { return failure(o.Transport) }

// begin begins a call that the transport does not see as one.
func (w *world) begin() (m observe.Mark) {
	if w.Observe != nil {
		m = w.Observe.Begin()
	}
	return m
}

// end ends such a call on c.
func (c *core) end(m observe.Mark, call string) {
	if to := c.w.Observe; to != nil {
		to.Ended(m, call, c.counted)
	}
}

// drop ends what is part of such a call.
func (c *core) drop(m observe.Mark) {
	if to := c.w.Observe; to != nil {
		to.Drop(m)
	}
}

// A manyWait is a call that waits for several requests one after the other, and counts as one.
type manyWait struct {
	c *Comm // of one of them; nil: none is active
	m observe.Mark
}

// beginMany begins such a call.
func beginMany(reqs []*Request) (w manyWait) {
	for _, r := range reqs {
		if p := r.active(); p != nil && p.c != nil {
			return manyWait{p.c, p.c.w.begin()}
		}
	}
	return w
}

// end ends it. If its transport has counted it, this is the rest of it.
func (w manyWait) end(call string, counted bool) {
	switch {
	case w.c == nil || w.c.w.Observe == nil:
	case counted:
		w.c.w.Observe.Continued(w.m, call, w.c.counted)
	default:
		w.c.end(w.m, call)
	}
}

// An observedReach records accesses to the memory of a window.
type observedReach struct {
	reach
	c  *Comm
	to *observe.Rank
}

// observe has the accesses of w recorded, if the job is observed.
func (w *window) observe() {
	if to := w.c.w.Observe; to != nil {
		w.reach = &observedReach{w.reach, w.c, to}
	}
}

// unobserved returns the reach below those that record accesses and locks.
func unobserved(r reach) reach {
	if o, ok := r.(*observedReach); ok {
		r = o.reach
	}
	if s, ok := r.(*signed); ok {
		r = s.reach
	}
	return r
}

// accessed ends an access of so many bytes.
func (o *observedReach) accessed(m observe.Mark, call string, target, bytes int) {
	t := observe.Transfer{Flags: observe.Accesses, Peer: o.c.global(target), Bytes: bytes}
	o.to.End(m, o.to.Named(call), &t)
}

func (o *observedReach) put(target int, at uint64, data []byte) error {
	m := o.to.Begin()
	defer o.accessed(m, "Put", target, len(data))
	return o.reach.put(target, at, data)
}

func (o *observedReach) get(target int, at uint64, buf []byte) error {
	m := o.to.Begin()
	defer o.accessed(m, "Get", target, len(buf))
	return o.reach.get(target, at, buf)
}

func (o *observedReach) moveLayout(target int, at uint64, l *layout.Type, mem []byte, put bool) error {
	m, call := o.to.Begin(), "GetLayout"
	if put {
		call = "PutLayout"
	}
	defer o.accessed(m, call, target, len(mem))
	return o.reach.moveLayout(target, at, l, mem, put)
}

func (o *observedReach) updateLayout(target int, at uint64, l *layout.Type, u *update) error {
	m, call := o.to.Begin(), "AccumulateLayout"
	if u.old != nil {
		call = "GetAccumulateLayout"
	}
	defer o.accessed(m, call, target, u.bytes())
	return o.reach.updateLayout(target, at, l, u)
}

func (o *observedReach) update(target int, at uint64, u *update) error {
	call := "Accumulate"
	switch {
	case u.compare != nil:
		call = "CompareAndSwap"
	case u.old != nil && len(u.old) == u.e.size:
		call = "FetchAndOp"
	case u.old != nil:
		call = "GetAccumulate"
	}
	m := o.to.Begin()
	defer o.accessed(m, call, target, u.bytes())
	return o.reach.update(target, at, u)
}

func (o *observedReach) lock(call string, target int, exclusive bool) error {
	m := o.to.Begin()
	defer func() { o.to.End(m, o.to.Named(call), &observe.Transfer{Peer: o.c.global(target)}) }()
	return o.reach.lock(call, target, exclusive)
}

func (o *observedReach) unlock(target int, exclusive bool) error {
	m := o.to.Begin()
	defer func() { o.to.End(m, o.to.Named("Unlock"), &observe.Transfer{Peer: o.c.global(target)}) }()
	return o.reach.unlock(target, exclusive)
}
