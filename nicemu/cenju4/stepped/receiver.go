package stepped

import "rhinet/nicemu/cenju4"

// A receiver takes the packets that arrive at a node, one at a time.
type receiver struct {
	node    *node
	state   State
	blocked bool
	fifo    *packet // the network FIFO
	tlb     tlb
	packet  *packet
	address cenju4.Address // target of the parcel's data
	old     uint64
	wrote   int // bytes of the packet that have been written
}

func (r *receiver) busy() bool { return r.state != Idle || r.fifo != nil }

func (r *receiver) step() {
	switch r.state {
	case Idle:
		if r.fifo != nil && !r.blocked {
			r.packet, r.fifo = r.fifo, nil
			r.node.machine.network.moving--
			r.take()
		}
	case Limits:
		r.limits()
	case Translate:
		r.translate()
	case Miss:
		r.tlb.fill(r.at())
		r.become(Translate)
	case Write:
		r.write()
	case Append:
		r.append()
	case Update:
		r.update()
	case Reply:
		r.reply()
	case Tell:
		r.tellAll()
	}
}

// take selects the first state for a packet.
func (r *receiver) take() {
	k := r.packet
	_, cid, _ := k.home.hw.Destination(int(k.header.Dest))
	switch {
	case k.refusal[r.node]:
		r.end()
	case k.header.Type == cenju4.Singlecast && !k.reply && cid != r.node.hw.Cid():
		r.refuse(cenju4.NoTask)
	case isMessage(k.header.Protocol):
		r.become(Append)
	case k.first:
		r.become(Limits)
	case r.atHand():
		r.keep()
		r.become(Tell)
	default:
		r.begin()
		r.become(Translate)
	}
}

// end ends the work on a packet of a parcel that was refused.
func (r *receiver) end() {
	k := r.packet
	if k.last {
		if answered(k.header.Protocol) {
			k.home.rhm.under--
		}
		k.settle()
	}
	r.become(Idle)
}

func (r *receiver) refuse(why cenju4.Reason) {
	k := r.packet
	home := r.node == k.home
	r.node.hw.CountRefused(why, !home)
	if !home {
		k.home.hw.CountRefused(why, false)
	}
	k.refuse(r.node.number, why)
	if k.job.refusal == nil {
		k.job.refusal = map[*node]bool{}
	}
	k.job.refusal[r.node] = true
	r.end()
}

// begin determines the target of this packet's data.
func (r *receiver) begin() {
	k := r.packet
	p := &k.header
	r.wrote = 0
	r.address = cenju4.Address(p.Words[1])
	switch i, register := addressRegister(p.Protocol); {
	case register:
		r.address = r.node.hw.Register(i)
	case p.Protocol == cenju4.Swap || p.Protocol == cenju4.CompSwap || p.Protocol == cenju4.RemoteRead:
		r.address = cenju4.Address(p.Words[0])
	}
}

// limits checks everything that the parcel accesses at this node, at its first packet.
func (r *receiver) limits() {
	r.begin()
	k := r.packet
	p := &k.header
	if k.reply {
		r.answer()
		return
	}
	need := cenju4.MayWrite
	switch {
	case p.Protocol == cenju4.RemoteRead:
		need = cenju4.MayRead
	case isWord(p.Protocol):
		need = cenju4.MayUpdate
	}
	_, register := addressRegister(p.Protocol)
	why := limits(r.node.hw, r.address, uint64(p.Length), need)
	if register && r.address%wordBytes != 0 && !inOneWord(uint64(r.address), p.Length) {
		why = cenju4.Misplaced
	}
	switch {
	case why != 0:
		r.refuse(why)
	case p.Protocol == cenju4.RemoteRead:
		r.become(Reply)
	default:
		r.become(Translate)
	}
}

// at returns the address of the next byte of the packet to write.
func (r *receiver) at() cenju4.Address {
	return r.address + cenju4.Address(r.packet.place+r.wrote)
}

func (r *receiver) translate() {
	k := r.packet
	if len(k.data) > 0 || isWord(k.header.Protocol) {
		if _, _, ok := r.tlb.look(r.at()); !ok {
			r.become(Miss)
			return
		}
	}
	if isWord(k.header.Protocol) && !k.reply {
		r.become(Update)
		return
	}
	r.become(Write)
}

func (r *receiver) write() {
	k := r.packet
	for r.wrote < len(k.data) {
		page, offset, ok := r.tlb.look(r.at())
		if !ok { // data whose place in its page differs from the source's may cross a page here
			r.tlb.fill(r.at())
			continue
		}
		size := min(uint64(len(k.data)-r.wrote), page.Bytes-offset)
		copy(r.node.hw.Memory(page, offset, size), k.data[r.wrote:])
		r.wrote += int(size)
	}
	if !k.last {
		r.become(Idle)
		return
	}
	r.become(Tell)
}

func (r *receiver) append() {
	k := r.packet
	which := int(k.header.Protocol - cenju4.Message0)
	r.address = 0
	if why := r.node.hw.Append(k.home.number, which, k.data); why != 0 {
		r.refuse(why)
		return
	}
	r.become(Tell)
}

// update carries out an atomic operation.
func (r *receiver) update() {
	p := &r.packet.header
	page, offset, _ := r.tlb.look(r.at())
	word := r.node.hw.Word(page, offset)
	if word == nil {
		r.refuse(cenju4.Fault)
		return
	}
	r.old = *word
	switch p.Protocol {
	case cenju4.AtomicAdd:
		*word += p.Words[0]
		r.become(Tell)
		return
	case cenju4.Swap:
		*word = p.Words[1]
	case cenju4.CompSwap:
		if r.old == p.Words[1] {
			*word = p.Words[2]
		}
	}
	r.become(Reply)
}

// reply puts the header of the answer into the remote-read header queue, for the Sender.
func (r *receiver) reply() {
	k := r.packet
	p := &k.header
	a := cenju4.Parcel{Protocol: cenju4.RemoteDMA, Rrid: p.Rrid, Dest: uint16(k.home.number), Length: p.Length}
	switch p.Protocol {
	case cenju4.RemoteRead:
		a.Flags, a.Words = p.Flags&cenju4.NotOptimised, [3]uint64{p.Words[0], p.Words[1]}
	case cenju4.Swap:
		a.Flags, a.Words = cenju4.Inline, [3]uint64{r.old, p.Words[2]}
	case cenju4.CompSwap:
		a.Protocol, a.Words = cenju4.CompSwap, [3]uint64{r.old}
	}
	m := &r.node.rhm
	m.replies = append(m.replies, entry{r.node.hw.PushReply(&a), k.posted})
	m.most = max(m.most, len(m.replies))
	r.become(Tell)
}

// tellAll reports a parcel that has arrived: by log record and interrupt.
func (r *receiver) tellAll() {
	k := r.packet
	p := &k.header
	if k.reply {
		r.notice()
		return
	}
	if has(p, cenju4.Log) {
		r.node.hw.PutLog(cenju4.LogRecord{Protocol: p.Protocol, Source: k.home.number, Length: p.Length, Address: r.address})
	}
	if has(p, cenju4.Interrupt) {
		r.node.hw.Arrival()
	}
	if !answered(p.Protocol) {
		k.settle()
	}
	r.become(Idle)
}

// atHand reports whether an answer goes to lent memory.
func (r *receiver) atHand() bool {
	return r.packet.reply && cenju4.Address(r.packet.header.Words[1]).Segment() == cenju4.Lent
}

// keep copies data of an answer to lent memory.
func (r *receiver) keep() { copy(r.packet.lent[r.packet.place:], r.packet.data) }

// answer takes the first packet of an answer: its target was checked when the request was sent.
func (r *receiver) answer() {
	switch {
	case r.packet.header.Protocol == cenju4.CompSwap:
		r.become(Tell)
	case r.atHand():
		r.keep()
		r.become(Tell)
	default:
		r.become(Translate)
	}
}

// notice reports an answer, at its last packet.
func (r *receiver) notice() {
	k := r.packet
	if !k.last {
		r.become(Idle)
		return
	}
	p := &k.parcel
	switch p.Protocol {
	case cenju4.RemoteRead:
		r.node.hw.PutNotice(int(p.Rrid), cenju4.Notice{Value: cenju4.Sent, Kind: cenju4.ReadDone})
	case cenju4.CompSwap:
		old := k.header.Words[0]
		kind := cenju4.Differed
		if old == p.Words[1] {
			kind = cenju4.Compared
		}
		r.node.hw.PutNotice(int(p.Rrid), cenju4.Notice{Value: old, Kind: kind})
	}
	k.home.rhm.under--
	k.settle()
	r.become(Idle)
}

func (r *receiver) become(s State) {
	r.node.tell(Receiver, r.state, s)
	r.state = s
}
