package dimmnet2

// issue carries out a command that has been stored into the request-issue register.
func (n *NIC) issue(at Address, b []byte) error {
	if len(b) != BOTFBytes && len(b) != CommandBytes {
		return n.refuse(Refusal{What: "store", At: at, Rank: n.rank, Reason: WrongWidth})
	}
	c, ok := ParseCommand(b)
	j := job{rank: n.rank}
	switch {
	case c.Op == 0 || c.Op >= numOps:
		j.why = NoCommand
	case !ok:
		j.why = WrongWidth
	default:
		j = n.run(&c)
		n.own.tables[regSent]++
	}
	if j.why != 0 {
		return n.refuse(Refusal{What: "store", At: at, Op: c.Op, Rank: j.rank, Moved: j.moved, Reason: j.why})
	}
	return nil
}

// Issue stores a command into this process's request-issue register.
func (n *NIC) Issue(c *Command) error { return n.Store(RegIssue.At(n.Process()), c.Bytes()) }

// A job is the progress of a command.
type job struct {
	rank  int    // the rank that refused it
	moved int    // bytes of its packets that were received
	why   Reason // the first refusal
}

// run carries a command out.
func (n *NIC) run(c *Command) job {
	switch c.Op {
	case OpBOTF:
		return n.botf(c)
	case OpWrite, OpRead:
		return job{rank: n.rank, why: n.access(c)}
	case OpRemoteRead:
		return n.remoteRead(c)
	case OpPull:
		return n.pull(c)
	}
	return n.send(c)
}

// botf sends the packet in a Write Window (section 7).
func (n *NIC) botf(c *Command) job {
	j := job{rank: n.rank}
	image, why := n.writeWindow(c.Window, c.Lines*LineBytes)
	if why != 0 {
		j.why = why
		return j
	}
	p, ok := ParsePacket(image)
	if !ok {
		j.why = BadImage
		return j
	}
	n.emit(&j, &p)
	return j
}

// emit fills in the fields of a packet that the host cannot choose, and delivers it. Each packet of
// a command is delivered independently of the others, and the first refusal is that of the command.
func (n *NIC) emit(j *job, p *Packet) {
	p.Group, p.From = n.own.pgid(), n.rank
	rank, why := n.deliver(p)
	if why.Arrived() {
		n.share(rank).countRefused(why)
	}
	switch {
	case why == 0:
		j.moved += len(p.Data)
	case j.why == 0:
		j.rank, j.why = rank, why
	}
}

// writeWindow returns the first bytes of a Write Window of the board.
func (n *NIC) writeWindow(i, size int) ([]byte, Reason) {
	switch {
	case i/ownWrite != n.Process():
		return nil, NotYours
	case size > WindowBytes:
		return nil, WrongLength
	}
	return n.own.written[i%ownWrite*WindowBytes:][:size], 0
}

// prefetchWindow returns the place of the first bytes of a Prefetch Window of the board, relative
// to the process's windows.
func (n *NIC) prefetchWindow(i, size int) (at uint32, why Reason) {
	switch {
	case i/ownPrefetch != n.Process():
		return 0, NotYours
	case size > WindowBytes:
		return 0, WrongLength
	}
	return uint32(i % ownPrefetch * WindowBytes), 0
}

// access moves data between a window and this process's SO-DIMM: class (1).
func (n *NIC) access(c *Command) Reason {
	v := &n.local
	var written []byte
	var at uint32
	var why Reason
	if c.Op == OpWrite {
		written, why = n.writeWindow(c.Window, c.Length)
	} else {
		at, why = n.prefetchWindow(c.Window, c.Length)
	}
	if why == 0 {
		why = n.command(v, c, c.Local)
	}
	switch {
	case why != 0:
		return why
	case !v.within(n.own, n.rank):
		return OutOfReach
	case c.Op == OpWrite:
		v.scatter(n.own, n.rank, 0, written)
		return 0
	}
	right := n.own.right(int(at / WindowBytes))
	if !acquire(right, n.rank) {
		n.own.countRefused(Held)
		return Held
	}
	v.gather(n.own, n.rank, 0, n.own.window[at:][:c.Length])
	release(right)
	return 0
}

// remoteRead moves SO-DIMM data of another process to a Prefetch Window: class (2)(b).
func (n *NIC) remoteRead(c *Command) job {
	at, why := n.prefetchWindow(c.Window, c.Length)
	if why == 0 {
		why = n.command(&n.local, c, c.Remote)
	}
	if why != 0 {
		return job{rank: n.rank, why: why}
	}
	return n.request(c, InPW, at)
}

// pull moves such data to this process's SO-DIMM: class (3)(b).
func (n *NIC) pull(c *Command) job {
	why := n.command(&n.local, c, c.Remote)
	if _, ok := n.own.dimm(n.rank, uint64(c.Local), c.Length); why == 0 && !ok {
		why = OutOfReach
	}
	if why != 0 {
		return job{rank: n.rank, why: why}
	}
	return n.request(c, InDIMM, c.Local)
}

// request requests the remote vector of a command, in as many packets as necessary.
func (n *NIC) request(c *Command, memory Memory, reply uint32) job {
	j, v := job{rank: n.rank}, &n.local
	for from := 0; ; from += PacketBytes {
		size := min(c.Length-from, PacketBytes)
		p := Packet{
			Op: PacketRead, Memory: InDIMM, Quiet: true, Node: c.Node, Process: c.Process, Address: v.from(from),
			Request: Request{size, v.pattern, v.element, memory, reply + uint32(from)}, Data: v.argument(from, size, n.ask[:]),
		}
		if n.emit(&j, &p); from+size == c.Length {
			return j
		}
	}
}

// mostSent is the maximum number of bytes that a command can send: those of one received packet, or
// the largest length in a command.
var mostSent = [numOps]int{OpSend: WindowBytes, OpIPUSH: PacketBytes, OpPush: 1<<24 - 1}

// send sends data of this process's SO-DIMM to another process: class (3).
func (n *NIC) send(c *Command) job {
	j, v := job{rank: n.rank}, &n.local
	switch j.why = n.command(v, c, c.Local); {
	case j.why != 0:
		return j
	case c.Length > mostSent[c.Op]:
		j.why = WrongLength
		return j
	case !v.within(n.own, n.rank):
		j.why = OutOfReach
		return j
	}
	for from := 0; ; from += PacketBytes {
		size := min(c.Length-from, PacketBytes)
		last := from+size == c.Length
		p := Packet{
			Op: PacketWrite, Memory: InDIMM, Quiet: c.Flags&Quiet != 0 || !last, Node: c.Node, Process: c.Process,
			Address: c.Remote + uint32(from), Data: n.scratch[:size],
		}
		switch c.Op {
		case OpSend:
			p.Memory = InPW
		case OpIPUSH:
			p.Op, p.Memory = PacketIPUSH, InPW
		}
		v.gather(n.own, n.rank, from, p.Data)
		if n.emit(&j, &p); last {
			return j
		}
	}
}
