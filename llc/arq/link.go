package arq

import "rhinet/internal/invariants"

// Window is how many packets may be in flight or lost from one end to the other.
const Window = 64

// kept is the number of buffers for packets that wait, and for the packet that Next has returned.
const kept = 2 * Window

// Tunables. Times are in nanoseconds.
const (
	// first is the deadline before the round-trip time is known; least and most bound later ones. A peer that
	// computes, or waits for a processor, acknowledges late: a needless retransmission costs little, and
	// happens less often each time.
	first = 2e6
	least = 3e5
	most  = 200e6
	// firstFlight is how many packets may be in flight at first.
	firstFlight = 8
	// overtaken is how many packets that were sent later must have come for a packet to count as lost.
	overtaken = 3
	// ackEvery is how many packets come before they are acknowledged in a datagram of its own.
	ackEvery = 4
)

// A packet is one that was sent and is not acknowledged.
type packet struct {
	datagram []byte // room for the header, and the bytes
	sent     int64  // time of the latest transmission
	order    uint64 // number of that transmission
	again    bool   // it has been retransmitted
	flying   bool   // in flight: it has gone, and is neither lost nor acknowledged
	done     bool   // acknowledged out of order
}

// A Link is one end of a pair: all that goes to the peer, and all that comes from it. It is used by one
// goroutine at a time.
type Link struct {
	self, peer uint32
	bytes      int // largest packet

	// Sending. Numbers wrap around.
	packets  []packet // by number modulo Window; allocated with the first
	base     uint32   // the oldest not acknowledged
	fresh    uint32   // the first never sent
	next     uint32   // of the next packet
	flying   int      // packets in flight
	limit    int      // how many packets may be in flight
	slow     int      // limit above which it grows slowly
	grown    int      // packets acknowledged since the limit grew last, above slow
	recover  uint32   // the limit is halved once for all losses before this number
	order    uint64   // of the latest transmission
	newest   uint64   // the latest transmission known to have come
	deadline int64    // when what is in flight counts as lost, 0: nothing is
	trip     int64    // round-trip time, smoothed; 0: unknown
	spread   int64    // variation of trip
	patience int64    // time until the deadline

	// Receiving.
	early  [][]byte // packets that wait for Next, by number modulo kept; allocated with the first
	wanted uint32   // number of the next packet for Next
	ack    uint32   // the first that is missing
	mask   uint64   // a bit for each number behind it, set if it is there
	owed   int      // packets that have come since the last acknowledgement went
	urgent bool     // what came shows that the peer needs an acknowledgement

	reply [HeaderBytes]byte // a datagram without a packet
	sends Counts
}

// Counts are numbers of datagrams of one end.
type Counts struct {
	Packets  uint64 // sent, each once
	Again    uint64 // retransmitted
	Replies  uint64 // sent without a packet
	Expired  uint64 // deadlines that have passed
	Refused  uint64 // received damaged, not for this end, or impossible for the peer
	Repeated uint64 // received again
}

// New returns the end of peer self of the pair with another, for packets of at most so many bytes. The first
// packet has the number start, at both ends.
func New(self, peer, bytes int, start uint32) *Link {
	return &Link{
		self: uint32(self), peer: uint32(peer), bytes: bytes,
		base: start, fresh: start, next: start, recover: start, wanted: start, ack: start,
		limit: firstFlight, slow: Window, patience: first,
	}
}

// Counts returns what the end has counted.
func (l *Link) Counts() Counts { return l.sends }

// Unacknowledged returns how many packets were sent and are not acknowledged.
func (l *Link) Unacknowledged() int { return int(l.next - l.base) }

// Owes reports whether an acknowledgement must still go.
func (l *Link) Owes() bool { return l.owed > 0 || l.urgent }

// Deadline returns when Expire is to be called, 0 if nothing is in flight.
func (l *Link) Deadline() int64 { return l.deadline }

// Slot returns room for the next packet, or nil while Window packets are not acknowledged. Send sends it.
func (l *Link) Slot() []byte {
	if l.next-l.base == Window {
		return nil
	}
	if l.packets == nil {
		l.packets = make([]packet, Window)
		all := make([]byte, Window*(HeaderBytes+l.bytes))
		for i := range l.packets {
			at := i * (HeaderBytes + l.bytes)
			l.packets[i].datagram = all[at : at : at+HeaderBytes+l.bytes]
		}
	}
	return l.packet(l.next).datagram[HeaderBytes : HeaderBytes+l.bytes]
}

// Send sends the first n bytes of what Slot has returned.
func (l *Link) Send(n int) {
	invariants.Check(l.packets != nil && l.next-l.base < Window && n <= l.bytes, "arq: Send without a Slot, or of more than it has")
	p := l.packet(l.next)
	*p = packet{datagram: p.datagram[:HeaderBytes+n]}
	l.next++
	l.sends.Packets++
}

func (l *Link) packet(n uint32) *packet { return &l.packets[n%Window] }

// Due returns the next datagram to send, valid until the next call, or nil: first packets that are lost, then
// new ones, and if there is neither, an acknowledgement that cannot wait. With idle nothing more has come,
// and then no acknowledgement waits.
func (l *Link) Due(now int64, idle bool) []byte {
	if p, n := l.choose(); p != nil {
		l.launch(p, now)
		return l.seal(p.datagram, n, true)
	}
	if l.urgent || l.owed >= ackEvery || idle && l.owed > 0 {
		l.sends.Replies++
		return l.seal(l.reply[:], l.next, false)
	}
	return nil
}

// choose returns the packet that goes next, if one may go.
func (l *Link) choose() (*packet, uint32) {
	if l.flying >= l.limit {
		return nil, 0
	}
	if l.flying < int(l.fresh-l.base) {
		for n := l.base; n != l.fresh; n++ {
			if p := l.packet(n); !p.flying && !p.done {
				return p, n
			}
		}
	}
	if l.fresh != l.next {
		l.fresh++
		return l.packet(l.fresh - 1), l.fresh - 1
	}
	return nil, 0
}

// launch notes that a packet goes.
func (l *Link) launch(p *packet, now int64) {
	if p.again = p.order != 0; p.again {
		l.sends.Again++
	}
	l.order++
	p.order, p.sent, p.flying = l.order, now, true
	l.flying++
	if l.deadline == 0 {
		l.deadline = now + l.patience
	}
}

// seal makes a datagram, which acknowledges all that has come.
func (l *Link) seal(b []byte, n uint32, packet bool) []byte {
	h := header{number: n, ack: l.ack, mask: l.mask, packet: packet}
	h.seal(b, l.self, l.peer)
	l.owed, l.urgent = 0, false
	return b
}

// Expire counts everything in flight as lost if the deadline has passed.
func (l *Link) Expire(now int64) {
	if l.deadline == 0 || now < l.deadline {
		return
	}
	for n := l.base; n != l.fresh; n++ {
		l.packet(n).flying = false
	}
	l.sends.Expired++
	l.slow, l.limit, l.grown, l.recover = max(l.limit/2, 2), 1, 0, l.next
	l.flying, l.deadline, l.patience = 0, 0, min(2*l.patience, most)
}

// Abandon drops all that was sent and is not acknowledged. Nothing may be sent any more.
func (l *Link) Abandon() {
	for n := l.base; n != l.next; n++ {
		l.packet(n).flying = false
	}
	l.base, l.fresh = l.next, l.next
	l.flying, l.deadline = 0, 0
}
