package llc

import (
	"math"
	"math/bits"

	"rhinet/llc/ir"
)

// The copy engine, the second resource of the schedule queue: the NIC carries
// out limit Pulls and Pushes at a time. A transfer wants one piece moved at a
// time. It is moved by one command after the other, each of at most a quantum,
// and between two of them the transfer goes to the end of the line, so that
// transfers take turns.
//
// Where a copy keeps the processor until it has ended, small messages go first:
// after a command no other begins before the driver has seen that nothing has
// arrived (Retry), or has taken so many events that the transfers must have
// their turn.
//
//	      a command begins                 Retry, or patience events
//	Open ------------------> Taken (1, 2 ...) ----------------------> Open
//
// A NIC with several injection ports carries out a command at each (llc, section 5). A quantum is that of all
// ports together: a command is a part of it, and a piece is moved by as many commands at the same time as
// there are ports, the next one by the port that answers first. No port waits for another one, so the piece
// has moved when the last command has ended; if one is refused, the whole piece is.
//
// A small message so waits for one quantum at most, and for less while the
// program waits for small ones (Attend): then the quanta are brief.

// A service is a rule by which transfers share the copy engine.
type service struct {
	name      string
	copies    int                // minimum of the Pulls and Pushes that the NIC carries out at a time
	ports     int                // minimum of its injection ports; commands go by all ports, or by one if this is 0
	quantum   func(*ir.Caps) int // largest command in bytes
	brief     int                // divides a quantum for an attentive driver; 1: no change
	attention int                // commands that are brief after Attend
	patience  int                // events between two commands at most; 0: commands do not wait for events
}

// services are the rules, the most demanding of the NIC first.
var services = [...]service{
	{name: "at once", copies: 2, quantum: func(*ir.Caps) int { return math.MaxInt }, brief: 1},
	{name: "several ports", ports: 2, quantum: unitOrQuantum, brief: briefShare, attention: attention, patience: patience},
	{name: "small first", quantum: unitOrQuantum, brief: briefShare, attention: attention, patience: patience},
}

// serviceFor returns the rule for a NIC with so many ports.
func serviceFor(c *ir.Caps, ports int) *service {
	i := 0
	for c.Copies < services[i].copies || ports < services[i].ports {
		i++
	}
	return &services[i]
}

// Service returns the name of the rule by which transfers share the copy engine of a NIC with so many injection ports.
func Service(c ir.Caps, ports int) string { return serviceFor(&c, ports).name }

// unitOrQuantum is what the NIC recommends as one part of a transfer.
func unitOrQuantum(c *ir.Caps) int {
	if c.SplitUnit > 0 {
		return c.SplitUnit
	}
	return usualQuantum
}

// A piece is what a transfer wants moved: the bytes from lo to hi. Those before at
// have moved, or are of commands under way.
type piece struct {
	op     ir.Op
	lo, hi int
	at     int
	failed bool // a command was refused
	err    error
}

type copier struct {
	*service
	limit, running int
	ports          int       // that commands use
	busy           owed      // ports with a command under way, if there are several
	head, tail     *transfer // transfers whose piece waits
	turn           int       // 0: open; otherwise 1 and the events taken since a command began
	small, large   int       // bytes of a brief quantum, and of another
	attentive      int       // number of coming commands that are brief
}

// beside initializes the copier of a NIC beside the first one: the NIC moves bytes by itself, whatever the
// driver does, so nothing waits for its copies.
func (c *copier) beside(caps *ir.Caps) {
	c.service, c.limit, c.ports = &services[0], max(caps.Copies, 1), 1
	c.large = c.quantum(caps)
	c.small = c.large
}

func (c *copier) init(caps *ir.Caps, ports int) {
	c.service, c.limit, c.ports = serviceFor(caps, ports), max(caps.Copies, 1), 1
	if c.service.ports > 0 {
		c.ports = min(ports, mostPorts)
		c.limit = c.ports
	}
	c.large = partOf(c.quantum(caps), c.ports)
	c.small = c.large
	if c.brief > 1 {
		c.small = max(min(c.large/c.brief, mostBrief), 1)
	}
}

// Attend says that the program waits for a message of at most n bytes. If that is
// a small one, copies are brief from now on, for a while.
func (e *Engine) Attend(n int) {
	if c := &e.copies; uint64(n) > e.nics[0].offered {
		c.attentive = 0
	} else {
		c.attentive = c.attention * c.ports
	}
}

// Leaves reports whether a copy that may begin now is better left to the next wait for a small message,
// because the program has just had such a wait. It says so a few times only: after that there seems to be no
// such wait.
func (e *Engine) Leaves() bool {
	c := &e.copies
	if c.attentive == 0 || !c.due() {
		return false
	}
	c.attentive--
	return true
}

// copy moves a piece of a transfer now, or when its turn comes.
func (e *Engine) copy(t *transfer, op ir.Op, lo, hi int) {
	t.piece = piece{op: op, lo: lo, hi: hi, at: lo}
	e.lineUp(t)
}

// lineUp has a transfer wait for its turn, which may be now.
func (e *Engine) lineUp(t *transfer) {
	t.owed |= forCopy
	c := t.p.nic.copies
	if c.head == nil && c.ports == 1 && c.turn == 0 && c.running < c.limit { // no other transfer waits
		e.launch(t)
		c.began()
		return
	}
	c.push(t)
	e.serve(c)
}

// began notes that commands have begun.
func (c *copier) began() {
	if c.patience > 0 {
		c.turn = 1
	}
}

// push puts a transfer at the end of the line.
func (c *copier) push(t *transfer) {
	t.queued, t.next = true, nil
	if c.head == nil {
		c.head = t
	} else {
		c.tail.next = t
	}
	c.tail = t
}

// due reports whether a command may begin that waits for the driver.
func (c *copier) due() bool { return c.head != nil && c.running < c.limit }

// Began reports whether the latest Step or Retry has begun a copy that keeps the processor: a driver that
// only looks leaves the next copy to another call.
func (e *Engine) Began() bool { return e.copies.turn == 1 }

// serve begins the commands that may begin, and reports whether there was any.
func (e *Engine) serve(c *copier) (any bool) {
	for c.due() && c.turn == 0 {
		t := c.head
		if c.head = t.next; c.head == nil {
			c.tail = nil
		}
		t.queued, t.next = false, nil
		e.launch(t)
		any = true
	}
	if any {
		c.began()
	}
	return any
}

// launch begins the next command of a transfer's piece, at a port that is free.
func (e *Engine) launch(t *transfer) {
	c, p, port := t.p.nic.copies, &t.piece, 0
	if c.ports > 1 {
		port = bits.TrailingZeros64(uint64(^c.busy))
		c.busy |= 1 << port
	}
	most := c.large
	if c.attentive > 0 {
		c.attentive--
		most = c.small
	}
	c.running++
	cmd := e.emit()
	cmd.Port = uint8(port)
	cmd.Peer, cmd.Timed = t.p.number, t.timed
	if t.list.theirs != 0 {
		e.readList(t, cmd) // the piece waits for the list
		return
	}
	cmd.Op = p.op
	cmd.Segment = t.theirs
	cmd.Offset = uint64(p.at)
	end := p.at + min(most, p.hi-p.at)
	cmd.Data = t.memory(p.at, end)
	cmd.Move = t.blocks(p.at, end)
	cmd.Token = e.owe(t, forPort<<port)
	if p.at = end; c.ports > 1 && end < p.hi {
		c.push(t)
	}
}

// ported takes the answer to a command, and reports whether it was the last of its piece. If one port has
// refused, the piece is refused: ev says so in the end, and no more of the piece is moved.
func (e *Engine) ported(t *transfer, purpose owed, ev *ir.Event) (last bool) {
	c, p := t.p.nic.copies, &t.piece
	t.took += ev.Took
	c.busy &^= purpose / forPort
	if ev.Kind == ir.Failed && !p.failed {
		p.failed, p.err = true, ev.Err
	}
	if p.failed || t.stops() {
		e.unqueue(t)
	}
	if last = t.owed&anyPort == 0 && !t.queued; last {
		t.owed &^= forCopy
	}
	if last && p.failed {
		ev.Kind, ev.Err = ir.Failed, p.err
	}
	e.copied(c)
	return last
}

// stops reports whether no more of a transfer is to be moved.
func (t *transfer) stops() bool { return t.leaving || t.state == sendClosing || t.state == recvClosing }

// partOf returns the bytes of a quantum that go by each of so many ports: whole pages, or lines if they are fewer.
func partOf(quantum, ports int) int {
	if ports == 1 {
		return quantum
	}
	share, unit := (quantum+ports-1)/ports, ir.LineBytes
	if share >= pageBytes {
		unit = pageBytes
	}
	return (share + unit - 1) / unit * unit
}

// copied notes that a command has ended, and begins the next of the same NIC.
func (e *Engine) copied(c *copier) {
	c.running--
	e.serve(c)
}

// goesOn has the rest of a transfer's piece moved, and reports whether there is any; there is none if the
// transfer has ended meanwhile.
func (e *Engine) goesOn(t *transfer) bool {
	p := &t.piece
	if p.at == p.hi || t.stops() {
		return false
	}
	e.lineUp(t)
	return true
}

// passed counts an event that was taken while transfers waited.
func (e *Engine) passed() {
	if c := &e.copies; c.turn != 0 {
		if c.turn++; c.turn > c.patience {
			e.open()
		}
	}
}

// open lets the next command begin, and reports whether there was one.
func (e *Engine) open() bool {
	e.copies.turn = 0
	return e.serve(&e.copies)
}

// unqueue takes back the piece of a transfer that has not started.
func (e *Engine) unqueue(t *transfer) {
	if !t.queued {
		return
	}
	c := t.p.nic.copies
	var prev *transfer
	for q := c.head; q != t; q = q.next {
		prev = q
	}
	if prev == nil {
		c.head = t.next
	} else {
		prev.next = t.next
	}
	if c.tail == t {
		c.tail = prev
	}
	t.queued, t.next = false, nil
	if t.owed&anyPort == 0 {
		t.owed &^= forCopy
	}
}
