package contract

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"sync"

	"rhinet/llc/ir"
)

// A ledger records both ends of every packet of a network within one process.
type ledger struct {
	mu     sync.Mutex
	nodes  []node
	pairs  map[pairKey]*pair
	flags  map[flagKey]*raisedFlag
	codes  map[codeKey]uint64 // place of the code that each peer executed last
	sleeps [][]uint64         // scratch of each peer's Raise
	seed   maphash.Seed
}

// A node is one peer as the other peers see it.
type node struct {
	posting int     // posts of packets to it that run now
	from    []*pair // all ways to it
	sleep   uint64  // number of its current or latest sleep: from the end of Arm to Disarm
	armed   bool
	must    cause  // what must ring in this sleep
	last    uint64 // its latest sleep of which rung is known
	rung    bool
}

// A cause is what a peer has done for which it must ring; without what, nothing. It is put into words only for a
// breach: ranks that share a processor ring often, and allocate nothing by that.
type cause struct {
	what string
	peer int
}

func (c cause) String() string { return fmt.Sprintf("%s of peer %d", c.what, c.peer) }

type pairKey struct {
	from, to int32
	ring     ir.Ring
}

// A pair is one way of packets. Records are counted from 0.
type pair struct {
	pairKey
	records []record // of packets posted and not arrived
	head    int      // the oldest of records
	arrived uint64
	ready   uint64 // records below are visible
	freeing uint64 // number of records whose space may be free
	freed   uint64 // number of records whose space is free for certain
}

// A record is a packet that was posted.
type record struct {
	header ir.Header
	sum    uint64
}

type codeKey struct{ peer, sequence int }

type flagKey struct {
	peer, flagArray int
	turn            uint32
}

type raisedFlag struct {
	seq, mark uint32
	data      [ir.FlagBytes]byte
	n         int
}

func newLedger(peers int) *ledger {
	return &ledger{
		nodes: make([]node, peers), pairs: map[pairKey]*pair{}, flags: map[flagKey]*raisedFlag{}, codes: map[codeKey]uint64{}, sleeps: make([][]uint64, peers),
		seed: maphash.MakeSeed(),
	}
}

func (l *ledger) pair(from, to int32, ring ir.Ring) *pair {
	k := pairKey{from, to, ring}
	p := l.pairs[k]
	if p == nil {
		p = &pair{pairKey: k}
		l.pairs[k] = p
		l.nodes[to].from = append(l.nodes[to].from, p)
	}
	return p
}

// ringOf returns the ring of a command that sends a packet.
func ringOf(cmd *ir.Command) ir.Ring {
	if cmd.Op == ir.Shared {
		return ir.NoRing
	}
	return cmd.Ring
}

// begin notes that a packet is posted, and returns the number of its receiver's sleep, 0 if the receiver is
// awake.
func (l *ledger) begin(from int, cmd *ir.Command) uint64 {
	r := record{cmd.Header, maphash.Bytes(l.seed, cmd.Payload(nil))}
	r.header.Length = uint32(cmd.PayloadBytes())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.nodes[cmd.Peer].posting++
	p := l.pair(int32(from), cmd.Peer, ringOf(cmd))
	if p.head > 64 && 2*p.head > len(p.records) {
		p.records, p.head = append(p.records[:0], p.records[p.head:]...), 0
	}
	p.records = append(p.records, r)
	return l.asleep(cmd.Peer)
}

// posted returns how many packets were posted.
func (p *pair) posted() uint64 { return p.arrived + uint64(len(p.records)-p.head) }

// finish notes that Post has returned.
func (l *ledger) finish(from int, cmd *ir.Command) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.nodes[cmd.Peer].posting--
	if p := l.pair(int32(from), cmd.Peer, ringOf(cmd)); cmd.Op == ir.Packet {
		p.ready = p.posted()
	}
}

// went notes that the latest packet to a shared ring was not refused.
func (l *ledger) went(from int, to int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.pair(int32(from), to, ir.NoRing)
	p.ready = p.posted()
}

// refused takes back the latest packet to a shared ring, and reports whether it had not arrived.
func (l *ledger) refused(from int, to int32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.pair(int32(from), to, ir.NoRing)
	if len(p.records) == p.head {
		return false
	}
	p.records = p.records[:len(p.records)-1]
	return true
}

// arrive compares a packet with the next one posted, and describes what is wrong.
func (l *ledger) arrive(at int, ev *ir.Event, sum uint64) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.pair(ev.Peer, int32(at), ev.Ring)
	if p.head == len(p.records) {
		return "nobody posted it, or it has arrived before"
	}
	r := p.records[p.head]
	p.head++
	p.arrived++
	if p.head == len(p.records) {
		p.records, p.head = p.records[:0], 0
	}
	switch {
	case r.header != ev.Header:
		return fmt.Sprintf("packet %d was posted with header %+v and has %+v", p.arrived-1, r.header, ev.Header)
	case r.sum != sum:
		return fmt.Sprintf("the %d bytes of packet %d are not those posted", len(ev.Data), p.arrived-1)
	}
	return ""
}

// freeing notes that the space of the packet taken last from a way may be free.
func (l *ledger) freeing(at int, from way) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pair(from.peer, int32(at), from.ring).freeing++
}

// free notes that this space is free.
func (l *ledger) free(at int, from way) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pair(from.peer, int32(at), from.ring).freed++
}

// freed returns how many packets the reader of a way has freed at least.
func (l *ledger) freed(from int, to way) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pair(int32(from), to.peer, to.ring).freed
}

// freeable returns how many packets it has freed at most.
func (l *ledger) freeable(from int, to way) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pair(int32(from), to.peer, to.ring).freeing
}

// A visiblePacket is one that the next Poll of its reader can see, if nothing hides it. It is described only if
// that Poll misses it: tests that count allocations run under a monitor.
type visiblePacket struct {
	number uint64
	from   int32
	ring   ir.Ring
}

func (v visiblePacket) String() string {
	return fmt.Sprintf("packet %d of peer %d in ring %d", v.number, v.from, int32(v.ring))
}

// visible returns a packet that the next Poll of m can see.
func (l *ledger) visible(m *monitor) (v visiblePacket, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := &l.nodes[m.self]
	if n.posting != 0 {
		return v, false // in a shared ring the next packet may not be complete
	}
	for _, p := range n.from {
		writer, watched := m.watched[p.ring]
		if p.arrived < p.ready && !m.ended[p.from] && !m.caps[p.from].Late && (p.ring == ir.NoRing || watched && writer == p.from) {
			return visiblePacket{p.arrived, p.from, p.ring}, true
		}
	}
	return v, false
}

// arm notes that a peer is about to sleep; disarm notes that it no longer is, and returns what must have rung
// since.
func (l *ledger) arm(self int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := &l.nodes[self]
	n.armed, n.must = true, cause{}
	n.sleep++
}

func (l *ledger) disarm(self int) cause {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := &l.nodes[self]
	n.armed = false
	return n.must
}

// slept notes whether the bell has rung in the latest sleep.
func (l *ledger) slept(self int, rung bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := &l.nodes[self]
	n.last, n.rung = n.sleep, rung
}

// sleep returns the number of a peer's sleep, 0 if it is awake.
func (l *ledger) sleep(peer int32) uint64 {
	if uint(peer) >= uint(len(l.nodes)) {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asleep(peer)
}

func (l *ledger) asleep(peer int32) uint64 {
	if n := &l.nodes[peer]; n.armed {
		return n.sleep
	}
	return 0
}

// ring notes that sleep s of a peer must end with a ring because of what peer by has done, if it has not
// ended yet.
func (l *ledger) ring(peer int32, s uint64, by int, what string) {
	if s == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := &l.nodes[peer]; n.armed && n.sleep == s && n.must.what == "" {
		n.must = cause{what, by}
	}
}

// sleepers notes which of peers sleep, before something becomes visible to them; rang notes that it has
// become visible.
func (l *ledger) sleepers(self int, peers []int) {
	sleeps := l.sleeps[self][:0]
	for _, p := range peers {
		sleeps = append(sleeps, l.sleep(int32(p)))
	}
	l.sleeps[self] = sleeps
}

func (l *ledger) rang(self int, peers []int, what string) {
	for i, p := range peers {
		l.ring(int32(p), l.sleeps[self][i], self, what)
	}
}

// executed notes a code that is about to be executed.
func (l *ledger) executed(self, sequence int, place uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.codes[codeKey{self, sequence}] = place
}

// reached returns the place of the code that a peer has executed last.
func (l *ledger) reached(peer, sequence int) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.codes[codeKey{peer, sequence}]
}

// deaf reports whether sleep s of a peer ended without a ring.
func (l *ledger) deaf(peer int32, s uint64) bool {
	if s == 0 {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	n := &l.nodes[peer]
	return n.last == s && !n.rung
}

// raise notes a flag that is about to be raised.
func (l *ledger) raise(self, flagArray int, seq, mark uint32, data []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := flagKey{self, flagArray, seq % ir.FlagTurns}
	f := l.flags[k]
	if f == nil {
		f = new(raisedFlag)
		l.flags[k] = f
	}
	f.seq, f.mark, f.n = seq, mark, copy(f.data[:], data)
}

// raised reports whether a flag with these bytes may be up.
func (l *ledger) raised(peer, flagArray int, seq, mark uint32, data []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.flags[flagKey{peer, flagArray, seq % ir.FlagTurns}]
	if f == nil || f.seq != seq {
		return f != nil && int32(f.seq-seq) > 0 // overwritten since
	}
	n := min(f.n, len(data))
	return f.mark == mark && bytes.Equal(f.data[:n], data[:n])
}
