package stepped

import "rhinet/nicemu/martini"

// defaultHandlers returns the handlers of the firmware (martini, sections 10.7 to 10.9).
func defaultHandlers() map[exception]Handler {
	return map[exception]Handler{
		{Initiator, IDLE}: (*Firmware).specialRequest,
		{Initiator, PGID}: (*Firmware).violation,
		{Initiator, IPA2}: (*Firmware).initiatorMiss,
		{Initiator, CHK1}: resumeIn(Initiator, CHK1),
		{Replier, IPA2}:   (*Firmware).replierMiss,
		{Replier, CHK1}:   resumeIn(Replier, CHK1),
		{Replier, ACK}:    (*Firmware).ackReached,
		{RFend, IDLE}:     resumeIn(RFend, IDLE),
		{RFend, FLIT1}:    (*Firmware).controlPacket,
		{RFend, FLIT3}:    (*Firmware).unknownPacket,
		{RFend, RVA}:      (*Firmware).rvaMiss,
		{RBend, IPA2}:     (*Firmware).rbendMiss,
		{RBend, WAIT}:     resumeIn(RBend, WAIT),
	}
}

// resumeIn handles a timeout: the module that this one waits for is still working, so it goes on
// waiting.
func resumeIn(mod Module, s State) Handler {
	return func(f *Firmware) bool {
		f.Resume(mod, s)
		return true
	}
}

// specialRequest handles a call of the firmware, for a primitive that it has or not.
func (f *Firmware) specialRequest() bool {
	f.Spend(Handling)
	why := martini.SpecialRequest
	switch command := uint8(f.n.requests.head().words[martini.DWCommand]); command {
	case martini.CommandLockInit, martini.CommandLock, martini.CommandUnlock:
		why = f.call(command)
	}
	if why != 0 {
		f.cancel(why)
	} else {
		f.done(&f.n.ini)
	}
	return true
}

// done ends the request that the Initiator holds, as CONT does.
func (f *Firmware) done(x *outgoing) {
	f.storeWord(f.n.nic.ContFrame(x.window), x.serial, x.dealtWith())
	f.n.popRequest()
	f.Resume(Initiator, IDLE)
}

func (f *Firmware) violation() bool {
	f.Spend(Handling)
	f.cancel(f.n.impossible(&f.n.ini))
	return true
}

// present looks a PATLB miss up in the page table, and replaces the entry.
func (f *Firmware) present(key, va uint64, size int, seg martini.Segment) bool {
	f.readTable()
	off := int(va % pageBytes)
	frame, ok := f.n.nic.Frame(key, va/pageBytes, off, min(size, pageBytes-off))
	if !ok || seg != 0 && !f.n.nic.Known(seg) {
		return false
	}
	f.Tick(busWrite)
	f.n.patlb.replace(key, va/pageBytes, frame)
	return true
}

// want returns the number of bytes that the outgoing request looks up at once.
func (x *outgoing) want() int {
	rest := uint64(MTU)
	if x.open != nil {
		rest = uint64(x.room)
	}
	return int(min(rest, x.left))
}

// unsent returns the number of bytes of the request that are not in a complete packet.
func (x *outgoing) unsent() uint64 {
	if x.open == nil {
		return x.left
	}
	return x.left + uint64(x.open.size-x.room)
}

func (f *Firmware) initiatorMiss() bool {
	f.Spend(Handling)
	x := &f.n.ini
	switch {
	case !f.present(x.key, x.va, x.want(), 0):
		f.cancel(martini.NotPinned)
	case f.software:
		f.finish(x)
	default:
		f.Resume(Initiator, IPA)
	}
	return true
}

// cancel drops the request that the Initiator holds, and its unfinished packet. contflag says that
// the request has been processed.
func (f *Firmware) cancel(why martini.Reason) {
	n, x := f.n, &f.n.ini
	left := x.unsent()
	if n.requests.head().botf {
		left = n.requests.head().size
	}
	f.dropOpen(x, &n.heads[0], fromInitiator)
	f.storeWord(n.nic.ContFrame(x.window), x.serial, x.dealtWith())
	n.learn(Refused{x.window, x.serial, why, true, left})
	n.popRequest()
	f.Resume(Initiator, IDLE)
}

// dropOpen removes an unfinished packet from the Header FIFO, after its header has been built and
// its DMA has ended.
func (f *Firmware) dropOpen(x *outgoing, q *headers, by requester) {
	if x.open == nil {
		return
	}
	p := x.open
	f.until(func() bool { return p.built && p.have >= p.size-x.room })
	q.queue.drop(func(o **packet) bool { return *o == p })
	f.n.m.free(p)
	x.open = nil
}

// finish does the rest of a PUSH in software: headers, DMA, contflag.
func (f *Firmware) finish(x *outgoing) {
	n, q := f.n, &f.n.heads[0]
	for x.left > 0 {
		if x.open == nil {
			f.until(func() bool { return !q.full() })
			x.room = int(min(MTU, x.left))
			x.open = n.m.packet(x.room)
			x.h[martini.FlitType] = martini.TypeFlit(x.h.kind(), x.h.flag(), x.left)
			x.open.h, x.open.built = x.h, true
			if uint64(x.room) == x.left {
				x.open.h[flitReturn] |= bitLast
			}
			q.queue.put(x.open)
			f.Tick(flits * busWrite)
			f.Spend(Alone)
		}
		if !f.present(x.key, x.va, x.want(), 0) {
			f.cancel(martini.NotPinned)
			return
		}
		if !n.translate(&x.piece, x.key, x.va, x.want(), 0) || n.fetch(fromCPU, x) == Withdrawn {
			continue
		}
		f.asked++
		f.until(f.hasAnswers)
	}
	f.done(x)
}

func (f *Firmware) replierMiss() bool {
	f.Spend(Handling)
	n, x := f.n, &f.n.reply
	if f.present(x.key, x.va, x.want(), x.seg) {
		f.Resume(Replier, IPA)
		return true
	}
	left := x.unsent()
	f.dropOpen(x, &n.heads[1], fromReplier)
	j := n.jobs.take()
	f.refuse(&j.h, n.gone(&j.h), left)
	f.Resume(Replier, IDLE)
	return true
}

// gone returns why the memory that a packet named is not there: its segment has been withdrawn, or
// its page is not pinned.
func (n *node) gone(h *header) martini.Reason {
	if k := h.kind(); k == martini.PacketPush || k == martini.PacketPullRequest {
		if h.segment() != VPushSegment && !n.nic.Known(h.segment()) {
			return martini.Stale
		}
	}
	return martini.NotPinned
}

// ackReached handles the Replier at its break point, where it stops before an ack (martini,
// sections 10.9, 11.3): it cannot be resumed to send it.
func (f *Firmware) ackReached() bool {
	n := f.n
	j := *n.jobs.head()
	if !j.ring {
		f.outbox.put(n.ackOf(&j.h, j.result)) // the ack of another packet, in software
	} else {
		f.advanceRing(&j.h)
		f.Clear(Replier)
	}
	n.jobs.take()
	f.Resume(Replier, IDLE)
	return true
}

// learn tells the issuer of a refused request, once for each request. A request that fails at its
// source may also fail at an earlier packet's target; a later call then corrects the entry.
func (n *node) learn(r Refused) {
	if r.Serial != 0 {
		for i := range n.known {
			if k := &n.known[i]; k.Window == r.Window && k.Serial == r.Serial {
				if r.Left > k.Left {
					*k = r
				}
				return
			}
		}
	}
	n.known[n.knownAt%len(n.known)] = r
	n.knownAt++
	n.nic.CountIssued(r.Reason)
	if n.m.o.Refused != nil {
		n.m.o.Refused(n.id, r)
	}
}
