package datagram

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"rhinet/llc/arq"
	"rhinet/llc/endpoint"
	"rhinet/llc/ir"
)

// packetBytes is the longest packet of the engine with its header.
const packetBytes = MaxDatagram - arq.HeaderBytes

// eager is the message size up to which packets go at once. Longer messages are streamed in the same packets,
// but only when their receiver wants them.
const eager = 16 << 10

// A Translator drives the datagrams of one rank.
type Translator struct {
	endpoint.Endpoint
	service Service
	caps    ir.Caps
	now     func() int64
	linger  time.Duration

	mu     sync.Mutex // the firmware uses what follows beside the rank
	links  []*arq.Link
	busy   []int32 // links with something unacknowledged, or that owe an acknowledgement
	listed []bool  // whether a link is in busy
	ready  []int32 // links in which packets wait
	// What was not acknowledged when outstanding looked last, and since when it is as much.
	unsettled int
	since     int64
	firmware
}

var (
	_ ir.Translator      = (*Translator)(nil)
	_ ir.Memory          = (*Translator)(nil)
	_ ir.FailureDetector = (*Translator)(nil)
)

// epoch is when the time of all ranks of this process begins.
var epoch = time.Now()

// errUnsupported answers a command that the Caps rule out.
var errUnsupported = errors.New("llc/datagram: the network has datagrams only")

// Open makes a translator of an endpoint and the service of its NIC, of the given name.
func Open(e endpoint.Endpoint, name string, s Service, f Faults) *Translator {
	n := e.Peers()
	t := &Translator{
		Endpoint: e, service: s, now: func() int64 { return int64(time.Since(epoch)) }, linger: Linger,
		links: make([]*arq.Link, n), listed: make([]bool, n), busy: make([]int32, 0, n), ready: make([]int32, 0, n),
		caps: ir.Caps{Name: name, Slots: 64, Bytes: 64 * MaxDatagram, Fragment: ir.MaxShared, Eager: eager, Late: true},
	}
	if f != (Faults{}) {
		t.service = newFaulty(s, f, e.Self(), n)
	}
	t.firmware.init()
	return t
}

// A packet of the engine fits a datagram.
const _ = uint(packetBytes - endpoint.MessageBytes - ir.MaxShared)

// Caps returns what the engine must know of the NIC.
func (t *Translator) Caps() ir.Caps { return t.caps }

// Hint does nothing: all packets come to one queue.
func (t *Translator) Hint(int) {}

// link returns the link to a peer.
func (t *Translator) link(peer int) *arq.Link {
	l := t.links[peer]
	if l == nil {
		l = arq.New(t.Self(), peer, packetBytes, 0)
		t.links[peer] = l
	}
	return l
}

// Post carries out cmd.
func (t *Translator) Post(cmd *ir.Command) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.NoPeer(cmd) {
		return
	}
	switch cmd.Op {
	case ir.Shared:
		t.shared(cmd)
	case ir.Packet, ir.Open, ir.Watch, ir.ReadTail, ir.Expose, ir.Conceal, ir.Pull, ir.Push, ir.Swap:
		t.Fail(cmd, errUnsupported)
		t.forget(int(cmd.Peer))
	default:
		panic(fmt.Sprintf("llc/datagram: no operation %d", cmd.Op))
	}
}

// forget stops retransmissions to a peer whose end was reported.
func (t *Translator) forget(peer int) {
	if t.Gone(peer) && t.links[peer] != nil {
		t.links[peer].Abandon()
	}
}

// shared sends a packet.
func (t *Translator) shared(cmd *ir.Command) {
	peer := int(cmd.Peer)
	if t.Gone(peer) {
		return
	}
	l := t.link(peer)
	b := l.Slot()
	if b == nil {
		t.Busy(cmd)
		return
	}
	t.PutHeader(b, &cmd.Header)
	clear(b[endpoint.MessageBytes-4 : endpoint.MessageBytes])
	l.Send(endpoint.MessageBytes + copy(b[endpoint.MessageBytes:], cmd.Data))
	t.pump(peer, t.now(), false)
}

// pump sends to a peer what is due, and lists the link as long as it must be looked after.
func (t *Translator) pump(peer int, now int64, idle bool) {
	l := t.links[peer]
	for b := l.Due(now, idle); b != nil; b = l.Due(now, idle) {
		t.service.Send(peer, b)
	}
	if !t.listed[peer] && (l.Owes() || l.Unacknowledged() > 0) {
		t.listed[peer] = true
		t.busy = append(t.busy, int32(peer))
		t.firmware.engage(t)
	}
}

// Poll gives the next answer, or if there is none the next packet.
func (t *Translator) Poll(ev *ir.Event) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Answered() {
		t.Next(ev)
		return true
	}
	for !t.stored(ev) {
		if !t.receive() {
			t.tend()
			return false
		}
	}
	return true
}

// receive takes the next datagram, if one has come.
func (t *Translator) receive() bool {
	from, b := t.service.Receive()
	if b == nil {
		return false
	}
	if uint(from) < uint(len(t.links)) && from != t.Self() {
		t.take(from, b)
	}
	t.service.Release()
	return true
}

// take takes a datagram of a peer.
func (t *Translator) take(from int, b []byte) {
	l, now := t.link(from), t.now()
	before := l.Waits()
	l.Take(now, b)
	if l.Waits() && !before {
		t.ready = append(t.ready, int32(from))
	}
	t.pump(from, now, false)
}

// stored gives the next packet of a link in which one waits.
func (t *Translator) stored(ev *ir.Event) bool {
	for len(t.ready) > 0 {
		from := int(t.ready[0])
		p, ok := t.links[from].Next()
		if !t.links[from].Waits() {
			t.ready = append(t.ready[:0], t.ready[1:]...)
		}
		if ok && t.arrived(ev, from, p) {
			return true
		}
	}
	return false
}

// arrived makes an event of a packet, unless the end of its sender has been reported.
func (t *Translator) arrived(ev *ir.Event, from int, p []byte) bool {
	if t.Gone(from) {
		return false
	}
	if len(p) < endpoint.MessageBytes {
		t.Lose(from, fmt.Errorf("llc/datagram: a packet of %d bytes of rank %d", len(p), from))
		t.forget(from)
		t.Next(ev)
		return true
	}
	t.Arrived(ev, from, p)
	return true
}

// tend looks after the links that need it: it sends owed acknowledgements, since nothing more has come, and
// retransmits expired packets.
func (t *Translator) tend() {
	if len(t.busy) == 0 {
		return
	}
	kept, now := t.busy[:0], t.now()
	for _, peer := range t.busy {
		l := t.links[peer]
		if d := l.Deadline(); d != 0 && now >= d {
			if t.service.Left(int(peer)) {
				l.Abandon()
			}
			l.Expire(now)
		}
		for b := l.Due(now, true); b != nil; b = l.Due(now, true) {
			t.service.Send(int(peer), b)
		}
		if t.listed[peer] = l.Owes() || l.Unacknowledged() > 0; t.listed[peer] {
			kept = append(kept, peer)
		}
	}
	t.busy = kept
}

// Arm announces that this peer is about to sleep.
func (t *Translator) Arm() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Endpoint.Arm()
	t.service.Arm()
}

// DetectFailures reports the ends of peers that have failed.
func (t *Translator) DetectFailures() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := t.Endpoint.DetectFailures()
	for peer := range t.links {
		t.forget(peer)
	}
	return found
}
