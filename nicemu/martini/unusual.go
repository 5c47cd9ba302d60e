package martini

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// This file handles requests that the fast path does not begin: the Window or the memory is not
// valid, a page is not where it was last, or the request or packet is one for firmware. If a
// stepped machine is attached (package stepped), the machine runs the request from its kick on, and
// its firmware handles each exception (martini, section 10). Otherwise, as between processes, the
// code below does what the machine would: it moves data as the hardware does, packet by packet and
// page by page, until something stops the request.

// A Stepper is a stepped model of the controller, on the same tables and the same memory.
type Stepper interface {
	// Run carries out the request in a Window, kicked by writing value to double word dw, to its
	// end, including contflag, completion flag and counters. Any number of goroutines may call it.
	// An error says that the request has not ended.
	Run(window, dw int, value uint64) (Outcome, error)

	// RunAOTF does the same for a write to the AOTF area.
	RunAOTF(address uint32, value uint64) (Outcome, error)
}

// An Outcome is how a request has ended on a stepped machine.
type Outcome struct {
	Reason Reason // why it was refused, or 0
	Left   uint64 // bytes of it that did not arrive
}

// FallBack has the fast path of this NIC leave unusual cases to s; nil ends that. It is called
// while no request is in progress.
//
// Packets of a [Channel], a [Mailbox] or a [FlagWriter] are single lines that other nodes poll,
// written through a translation made in advance; s gets only a packet without payload, which is
// sent when that translation is made. [Window.Swap] is never left to s.
func (n *Hardware) FallBack(s Stepper) { n.stepper = s }

// ended turns the end of a request on the stepped machine into the result of the fast path.
func (r Refusal) ended(o Outcome, err error) error {
	if err != nil {
		return fmt.Errorf("martini: %s of %d bytes, node %d: %w", r.Op, r.Bytes, r.Node, err)
	}
	if o.Reason == 0 {
		return nil
	}
	r.Reason = o.Reason
	r.Moved = max(0, r.Bytes-int(o.Left))
	return &r
}

// unusual takes over from kick and kickBotf. r is the refusal to report, without its reason. If the
// kernel keeps processes apart, that is no exception of the NIC, and the request is refused as a
// whole.
func (w *Window) unusual(r Refusal, dw int, value uint64) error {
	if r.Reason == NoAccess {
		return w.settle(r, 0)
	}
	if s := w.nic.stepper; s != nil {
		o, err := s.Run(w.id, dw, value)
		return r.ended(o, err)
	}
	r.Reason = 0
	if dw == DWBotf {
		return w.unusualImage(r, value)
	}
	command, target := Command(w.page[DWCommand]), Target(w.page[DWTarget])
	op, flag := command.Op(), command.Flag()
	if r.Reason = w.admit(op, flag); r.Reason == SpecialRequest {
		return w.special(op, r)
	}
	if r.Reason == 0 && uint(r.Node) >= uint(w.nic.ranks) {
		r.Reason = NoNode
	}
	if r.Reason != 0 {
		r.local = true
		w.cont()
		return w.nic.refuse(r)
	}
	key := w.key() & winOwner
	x := trip{n: w.nic, own: key, local: w.page[DWLocal], size: command.Bytes()}
	x.to.rank, x.to.key = r.Node, makeKey(uint32(key), target.PID())
	switch {
	case r.Segment == VPushSegment:
		x.kickVPush(&r, op == CommandPush, flag != 0)
		flag = 0 // no ack
	case op == CommandPush:
		x.push(&r)
	default:
		x.pull(&r)
	}
	return w.settle(r, flag)
}

// ahead sends a header without payload to a segment of a node, if a stepped machine is attached: if
// the header is refused, later packets would be too.
func (w *Window) ahead(rank int, seg Segment) error {
	s := w.nic.stepper
	if s == nil {
		return nil
	}
	p := Packet{Type: PacketPush, PID: rank, Node: rank, Segment: seg}
	w.image(&p)
	o, err := s.Run(w.id, DWBotf, 0)
	return Refusal{Op: opBotf, Node: rank, Segment: seg}.ended(o, err)
}

// unusualImage is unusual for a packet image of BOTF.
func (w *Window) unusualImage(r Refusal, size uint64) error {
	h := Flits(w.page[DWImage : DWImage+headerFlits])
	n, key := w.nic, w.key()
	flag := h.Flag()
	switch {
	case key&winValid == 0:
		r.Reason = InvalidWindow
	case size > MaxImage || flag > CompletionFlags:
		r.Reason = WrongLength
	case uint(r.Node) >= uint(n.ranks):
		r.Reason = NoNode
	}
	if r.Reason != 0 {
		r.local = true
		w.cont()
		return n.refuse(r)
	}
	x := trip{n: n, own: key & winOwner, local: h[flitLocal], size: size}
	x.to.rank, x.to.key = r.Node, makeKey(uint32(key), h.PID())
	switch kind := h.Kind(); kind {
	case PacketPush:
		if r.Segment == VPushSegment {
			x.vpush(&r, flag != 0, w.payload()[:size])
			flag = 0
		} else if x.lookUp(&r) {
			x.deliver(&r, w.payload()[:size])
		}
	case PacketPullRequest:
		x.size = h.Length()
		r.Bytes = int(x.size)
		if r.Segment == VPushSegment {
			x.vpush(&r, false, nil)
		} else {
			x.pull(&r)
		}
	case PacketAck, PacketPullResponse:
		if r.Reason = x.to.plain(n, r.Node, x.to.key, h[flitLocal], 0); r.Reason == 0 && x.to.va+size < x.to.va {
			r.Reason = WrongLength
		}
		if r.Reason == 0 {
			x.deliver(&r, w.payload()[:size])
		}
	default:
		return w.firmware(r, kind, x.to.key, size, flag)
	}
	return w.settle(r, flag)
}

// unusualAOTF is unusual for a write to the AOTF area. r has a reason if there is no header.
func (n *NIC) unusualAOTF(r Refusal, address uint32, v uint64) error {
	if s := n.stepper; s != nil && r.Reason != NoAccess {
		o, err := s.RunAOTF(address, v)
		return r.ended(o, err)
	}
	if r.Reason != 0 {
		return n.refuse(r)
	}
	f := Flits{flitTarget: n.own.header(int(address >> aotfPageShift % AOTFHeaders)).load(hdrTarget)}
	x := trip{n: n, size: 8}
	x.to.rank, x.to.key = r.Node, f.Key()
	b := n.aotf.double[:]
	binary.NativeEndian.PutUint64(b, v)
	if r.Segment == VPushSegment {
		x.vpush(&r, false, b) // refused, because it requests no ack
	} else if x.lookUp(&r) && x.deliver(&r, b) {
		return nil
	}
	return n.refuse(r)
}

// firmware is the handler of packets that the hardware does not know (martini, section 10.8,
// FLIT3), at the node where they arrive.
func (w *Window) firmware(r Refusal, kind uint8, key, size uint64, flag int) error {
	h := w.page[DWImage:]
	switch kind {
	case PacketSwap:
		if size != 16 {
			r.Reason = WrongLength
			break
		}
		var seen uint64
		seen, r.Reason = w.nic.swap(r.Node, key, r.Offset, w.page[DWPayload], w.page[DWPayload+1])
		if r.Reason == 0 && flag != 0 {
			w.cont()
			atomic.StoreUint64(&w.flags[flag], seen)
			return nil
		}
	case PacketLockRequest, PacketLockReserve:
		r.Reason = w.nic.lockPacket(r.Node, key, kind, h, int(size))
	default:
		r.Reason = SpecialPacket
	}
	return w.settle(r, 0)
}

// settle ends a request: contflag, then the completion flag or the refusal.
func (w *Window) settle(r Refusal, flag int) error {
	done := w.cont()
	if r.Reason != 0 {
		return w.nic.refuse(r)
	}
	if flag != 0 {
		atomic.StoreUint64(&w.flags[flag], done)
	}
	return nil
}

// A trip is a request that is carried out in the way of the hardware.
type trip struct {
	n     *NIC
	own   uint64 // key of the issuer
	local uint64 // address of the issuer's memory
	size  uint64
	to    way // its va is known once RFend has looked it up
}

// lookUp is the RVA state of RFend for a first packet, which names the whole request.
func (x *trip) lookUp(r *Refusal) bool {
	t, ok := x.n.node(x.to.rank)
	if !ok {
		r.Reason = NoNode
		return false
	}
	x.to.t, x.to.seg = t, r.Segment
	x.to.va, x.to.hint, r.Reason = t.rva(x.to.key, r.Segment, r.Offset, x.size)
	return r.Reason == 0
}

// push sends the packets that the issuer's pinned memory fills: each packet is read as a whole
// before it is sent. At the target they are written page by page.
func (x *trip) push(r *Refusal) {
	have := x.here()
	if have < x.size {
		have -= have % MaxImage
	}
	if have == 0 && x.size > 0 {
		r.Reason, r.local = NotPinned, true
		return
	}
	if !x.lookUp(r) {
		return
	}
	n, why := x.there(have)
	if !x.move(r, n, true) {
		return
	}
	if r.Reason = why; why == 0 && have < x.size {
		r.Reason, r.local = NotPinned, true
	}
}

// pull sends the packets that the target's Replier can read, each as a whole. At the issuer they
// are written page by page.
func (x *trip) pull(r *Refusal) {
	if !x.lookUp(r) {
		return
	}
	have := x.here()
	n, why := x.there(x.size)
	if why != 0 {
		n -= n % MaxImage
	}
	if !x.move(r, min(n, have), false) {
		return
	}
	if r.Reason = why; have < n {
		r.Reason, r.local = NotPinned, true
	}
}

// deliver writes the payload of one packet, and reports whether all of it was written.
func (x *trip) deliver(r *Refusal, payload []byte) bool {
	n, why := x.there(uint64(len(payload)))
	if r.Moved, r.Reason, r.Cause = x.n.carry(&x.to, true, payload[:n]); r.Reason == 0 {
		r.Reason = why
	}
	return r.Reason == 0
}

// onPage returns how many of size bytes at address va are on the first page.
func onPage(va, size uint64) uint64 { return min(size, fabric.PageBytes-va%fabric.PageBytes) }

// here returns the length of the issuer's memory up to its first page that is not pinned.
func (x *trip) here() (n uint64) {
	for n < x.size {
		part := onPage(x.local+n, x.size-n)
		if _, ok := x.n.local(x.own, x.local+n, part); !ok {
			break
		}
		n += part
	}
	return n
}

// there returns the length of the pinned part of size bytes of the target's memory, and why it is
// not all.
func (x *trip) there(size uint64) (n uint64, why Reason) {
	for n < size {
		part := onPage(x.to.va+n, size-n)
		if why = x.n.pinned(x.to.t, x.to.rank, x.to.key, x.to.va+n, part, x.to.hint, true); why != 0 {
			break
		}
		n += part
	}
	return n, why
}

// move carries n bytes between the issuer's memory and the target's, and reports whether no memory
// was withdrawn meanwhile.
func (x *trip) move(r *Refusal, n uint64, write bool) bool {
	for to := x.to; n > 0; {
		part := onPage(x.local, n)
		mem, ok := x.n.local(x.own, x.local, part)
		if !ok {
			r.Reason, r.local = NotPinned, true
			return false
		}
		moved, why, cause := x.n.carry(&to, write, mem)
		if r.Moved += moved; why != 0 {
			r.Reason, r.Cause = why, cause
			return false
		}
		x.local, to.va, n = x.local+part, to.va+part, n-part
	}
	return true
}
