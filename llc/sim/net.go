package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// A Net is a network of NICs in memory. With a source of chance it uses all the freedom that the contract of
// ir.Translator leaves: packets of different rings and answers come in any order, each may take its time
// while others pass it and while there is nothing else to give, and a command is carried out when it is
// posted, when it is answered, or between. Only a Busy comes at once, before all other events. Without
// chance, or once Fair is set, answers come before packets, and packets in order of ring number.
type Net struct {
	Caps   ir.Caps
	Shared int // packets that a shared ring holds
	Ports  int // injection ports, 0: one
	// Refuse, if set, is asked for each command that may be refused, and returns why it is; Busy likewise for
	// Shared commands.
	Refuse func(from int, cmd *ir.Command) error
	Busy   func(from int, cmd *ir.Command) bool
	// Fault, if set, decides for each packet what becomes of it.
	Fault func(from int, cmd *ir.Command) Fate
	// Hold is the percentage of packets and answers that are held back.
	Hold int
	// LateBusy breaks the contract, to see that runs notice: a Busy comes like any other answer.
	LateBusy bool
	// Fair ends chance: from then on nothing is held, refused or spoilt.
	Fair bool
	// Fates counts, by kind of packet, what has become of packets.
	Fates [wire.NumKinds][Delay + 1]int
	// Forges, if set, reports whether a peer is known to send what the protocol forbids: then engines may ask
	// nonsense of its memory.
	Forges func(peer int) bool
	// Spoil, if set, is called in place of Poll, and breaks the contract on purpose. next is what Poll would
	// do.
	Spoil func(at int, ev *ir.Event, next func(*ir.Event) bool) bool
	// Broken lists what engines did that no correct engine does.
	Broken []string

	rng    *rand.Rand
	nics   []nic
	opened map[[2]int]ir.Ring // by writer and reader
	now    int                // Polls so far
	list   []choice           // for the next Poll
}

// A Fate is what becomes of a packet.
type Fate int

// The fates.
const (
	Deliver Fate = iota
	Drop         // it is lost
	Repeat       // it arrives twice
	Delay        // it arrives after the next packet in the same ring
)

// A nic is the memory of one peer.
type nic struct {
	dead    bool
	shared  []packet
	rings   []ringMemory
	watched []int // rings in order of Watch
	words   []uint64
	exports []export // segment i+1
	exposed int      // exports in force
	busy    []ir.Event
	answers []answer
	ended   map[int32]bool // peers whose end has been reported here
	last    *ringMemory    // its first packet was delivered by the latest Poll
	lent    []byte         // payload of that packet
}

type packet struct {
	from    int32
	header  ir.Header
	data    []byte
	delayed bool // the next one overtakes it
	lost    bool // it takes its place in the ring and is never seen
	due     int  // time from which it can be seen
}

// ringMemory is one packet ring: positions as its reader computes them.
type ringMemory struct {
	used     bool
	writer   int32
	packets  []packet
	written  uint64 // lines placed
	next     uint64 // data position after them
	consumed uint64
	freed    uint64 // data position after those consumed
}

type export struct {
	data    []byte
	inForce bool
}

// answer is an event that is due; a late command is carried out when its answer is given.
type answer struct {
	ev   ir.Event
	cmd  ir.Command
	late bool
	due  int // time from which it can be given
}

// NewNet returns a network of so many peers. rng may be nil.
func NewNet(peers int, caps ir.Caps, shared int, rng *rand.Rand) *Net {
	n := &Net{Caps: caps, Shared: shared, rng: rng, nics: make([]nic, peers), opened: map[[2]int]ir.Ring{}}
	for i := range n.nics {
		n.nics[i].rings = make([]ringMemory, caps.Rings)
		n.nics[i].words = make([]uint64, caps.Words)
	}
	return n
}

func (n *Net) broken(format string, args ...any) {
	n.Broken = append(n.Broken, fmt.Sprintf(format, args...))
}

func (n *Net) chance(percent int) bool {
	return n.rng != nil && !n.Fair && n.rng.IntN(100) < percent
}

// holdPolls is the largest number of Polls of each peer for which something is held.
const holdPolls = 30

// due draws the time from which something can be given.
func (n *Net) due() int {
	if n.Hold == 0 || !n.chance(n.Hold) {
		return 0
	}
	return n.now + n.rng.IntN(holdPolls*len(n.nics))
}

// shown reports whether something is not held any more.
func (n *Net) shown(due int) bool { return due <= n.now || n.Fair }

// Held reports whether something is on its way that no Poll gives yet.
func (n *Net) Held() bool {
	held := func(ring []packet) bool {
		return slices.ContainsFunc(ring, func(p packet) bool { return !n.shown(p.due) })
	}
	for i := range n.nics {
		c := &n.nics[i]
		if c.dead {
			continue
		}
		if held(c.shared) || slices.ContainsFunc(c.answers, func(a answer) bool { return !n.shown(a.due) }) {
			return true
		}
		for _, w := range c.watched {
			if held(c.rings[w].packets) {
				return true
			}
		}
	}
	return false
}

// Kill stops a peer. Its memory stays. Announce reports the death to the others.
func (n *Net) Kill(peer int) { n.nics[peer].dead = true }

// Announce makes an event that reports the death of one peer to another.
func (n *Net) Announce(to, dead int) {
	err := fmt.Errorf("process ended: %w", ir.ErrPeerGone)
	n.answer(to, ir.Event{Kind: ir.Failed, Peer: int32(dead), Err: err})
}

// Word returns a claim word in the control area of a peer.
func (n *Net) Word(peer, i int) *uint64 { return &n.nics[peer].words[i] }

// Exposed returns how many segments of a peer are in force.
func (n *Net) Exposed(peer int) int { return n.nics[peer].exposed }

func (n *Net) answer(to int, ev ir.Event) {
	n.nics[to].answers = append(n.nics[to].answers, answer{ev: ev, due: n.due()})
}

// Poll fills ev with an event for a peer, like Poll of ir.Translator.
func (n *Net) Poll(peer int, ev *ir.Event) bool {
	if n.Spoil != nil {
		return n.Spoil(peer, ev, func(ev *ir.Event) bool { return n.next(peer, ev) })
	}
	return n.next(peer, ev)
}

func (n *Net) next(peer int, ev *ir.Event) bool {
	c := &n.nics[peer]
	n.consume(c)
	n.skip(c)
	if len(c.busy) > 0 {
		*ev = c.busy[0]
		c.busy = c.busy[1:]
		return true
	}
	n.now++
	total := n.choices(c)
	if len(total) == 0 {
		return false
	}
	pick := 0
	if n.rng != nil && !n.Fair {
		pick = n.rng.IntN(len(total))
	}
	n.give(peer, total[pick], ev)
	return true
}

// A choice is something that a Poll may give: an answer, the first packet of the shared ring, or that of a
// watched ring.
type choice struct {
	from  int // fromAnswers, fromShared, fromRing
	index int
}

const (
	fromAnswers = iota
	fromShared
	fromRing
)

// choices lists what a Poll may give.
func (n *Net) choices(c *nic) []choice {
	list := n.list[:0]
	for i := range c.answers {
		if n.shown(c.answers[i].due) && !(n.Ports > 1 && c.behind(i)) {
			list = append(list, choice{fromAnswers, i})
		}
	}
	if len(c.shared) > 0 && n.shown(c.shared[0].due) {
		list = append(list, choice{fromShared, 0})
	}
	for _, w := range c.watched {
		r := &c.rings[w]
		for len(r.packets) > 0 && r.packets[0].lost {
			n.free(r)
		}
		if len(r.packets) > 0 && n.shown(r.packets[0].due) {
			list = append(list, choice{fromRing, w})
		}
	}
	n.list = list
	return list
}

// behind reports whether an answer is to a command that has not been carried out, behind another one of its
// port that has not been carried out either.
func (c *nic) behind(i int) bool {
	return c.answers[i].late && c.waits(c.answers[:i], &c.answers[i].cmd)
}

// waits reports whether a command of the port of cmd is among those that have not been carried out.
func (c *nic) waits(answers []answer, cmd *ir.Command) bool {
	moves := func(op ir.Op) bool { return op == ir.Pull || op == ir.Push }
	return moves(cmd.Op) && slices.ContainsFunc(answers, func(a answer) bool { return a.late && moves(a.cmd.Op) && a.cmd.Port == cmd.Port })
}

// give takes a choice.
func (n *Net) give(peer int, pick choice, ev *ir.Event) {
	c := &n.nics[peer]
	switch i := pick.index; pick.from {
	case fromAnswers:
		a := c.answers[i]
		c.answers = append(c.answers[:i], c.answers[i+1:]...)
		if a.late {
			a.ev = n.carryOut(peer, &a.cmd)
		}
		*ev = a.ev
		if ev.Kind == ir.Failed && ev.Token == 0 {
			n.end(c, ev.Peer)
		}
	case fromShared:
		p := c.shared[0]
		c.shared = c.shared[1:]
		n.deliver(c, ev, &p, ir.NoRing)
	case fromRing:
		c.last = &c.rings[i]
		n.deliver(c, ev, &c.last.packets[0], ir.Ring(i))
	}
}

// end drops the tails of a peer: nothing comes after its end.
func (n *Net) end(c *nic, peer int32) {
	if c.ended == nil {
		c.ended = map[int32]bool{}
	}
	c.ended[peer] = true
	c.answers = slices.DeleteFunc(c.answers, func(a answer) bool { return a.ev.Kind == ir.Tail && a.ev.Peer == peer })
}

// skip drops packets of peers whose end has been reported.
func (n *Net) skip(c *nic) {
	if c.ended == nil {
		return
	}
	c.shared = slices.DeleteFunc(c.shared, func(p packet) bool { return c.ended[p.from] })
	c.watched = slices.DeleteFunc(c.watched, func(w int) bool { return c.rings[w].used && c.ended[c.rings[w].writer] })
}

func (n *Net) deliver(c *nic, ev *ir.Event, p *packet, ring ir.Ring) {
	*ev = ir.Event{Kind: ir.Arrived, Peer: p.from, Ring: ring, Header: p.header, Data: p.data}
	c.lent = p.data
}

// consume frees the packet that the latest Poll gave, and spoils the view of it.
func (n *Net) consume(c *nic) {
	for i := range c.lent {
		c.lent[i] = 0xdb
	}
	c.lent = nil
	if c.last != nil {
		n.free(c.last)
		c.last = nil
	}
}

// free frees the first packet of a ring.
func (n *Net) free(r *ringMemory) {
	p := r.packets[0]
	r.packets = r.packets[1:]
	r.consumed++
	_, r.freed = n.Caps.Place(r.freed, len(p.data))
}
