package network

import "rhinet/nicemu/vtime"

// A sender feeds a wire: an output of a switch, or an endpoint.
type sender interface {
	// try hands the wire the next packet, if one may go.
	try()
	// gone is called when the wire can take the next packet, shortly before the present one has
	// left.
	gone(v *visit)
}

// A receiver is at the end of a wire: it is an input of a switch, or an endpoint.
type receiver interface {
	head(v *visit)
}

// A wire is one direction of a link: the flits of one packet at a time.
type wire struct {
	vtime.Source
	n      *Network
	name   string
	link   int
	start  Node // where it begins
	clock  vtime.Clock
	delay  vtime.Time
	cross  vtime.Time // time before the first flit leaves
	from   sender
	to     receiver
	move   carrier
	count  *LinkErrors
	slot   int64 // first one that is free
	busy   bool
	cur    *visit             // the packet that is leaving
	heads  vtime.Ring[*visit] // packets in flight
	rooms  []room
	data   vtime.Time // time spent on sending flits, including those of the two packets below
	first  vtime.Time // when the last granted packet begins
	before vtime.Time // when the packet before it ends
}

// Operations of a wire; the argument is the virtual channel.
const (
	opGone = iota
	opHead
	opLook
	opLevel
	opStop
	opGo
)

// A visit is a packet's stay in the buffer at the end of a wire. A moving packet has visits in
// several buffers.
type visit struct {
	p       *Packet
	w       *wire // the wire by which it came; nil in the endpoint where it begins
	in      *input
	channel int
	flits   int
	ready   vtime.Time // when it can request an output
	tail    vtime.Time // when its last flit has arrived
	out     *output
	next    int    // channel on the next link
	number  uint64 // of its request to the output
}

// mayTake reports whether the buffer at the end has room for a whole packet; if not, the sender is
// called when it may have.
func (w *wire) mayTake(channel, flits int) bool {
	r := &w.rooms[channel]
	if w.n.s.control == stopGo {
		return !r.stopped
	}
	if r.occupied(w.Now())+int64(flits) <= int64(w.n.s.buffer) {
		return true
	}
	if r.need == 0 || int64(flits) < r.need {
		r.need = int64(flits)
	}
	w.look(channel)
	return false
}

// look calls the sender when the credits that it waits for have arrived.
func (w *wire) look(channel int) {
	r := &w.rooms[channel]
	at := r.falls(int64(w.n.s.buffer) - r.need)
	if at == vtime.Never || r.wake > w.Now() && r.wake <= at {
		return
	}
	r.wake = max(at, w.Now())
	w.At(r.wake, w, opLook, uint64(channel))
}

// send moves a packet out of its buffer over this wire, which is free, and returns when its first
// and its last flit leave.
func (w *wire) send(v *visit) (first, end vtime.Time) {
	now := w.Now()
	slot := w.clock.Index(now + w.cross) // not before w.slot: the previous packet was gone w.cross before its end
	last := vtime.Time(0)
	if v.w != nil {
		last = v.tail + w.n.s.route + w.cross
	}
	head, tail, free, damaged := w.move.carry(slot, v.flits, last)
	first, end = w.clock.Edge(slot), w.clock.Edge(free)
	v.p.Damaged = v.p.Damaged || damaged
	w.before = w.clock.Edge(w.slot)
	w.slot, w.busy, w.cur = free, true, v
	w.data, w.first = w.data+end-first, first
	if w.n.s.control != stopGo {
		w.rooms[v.next].enter(now, v.flits)
	}
	far := w.n.visit()
	*far = visit{p: v.p, w: w, channel: v.next, flits: v.flits, tail: tail}
	w.heads.Push(far)
	w.At(head, w, opHead, 0)
	w.At(max(now, end-w.cross), w, opGone, 0)
	w.Mark("send", v.p.ID)
	return first, end
}

// drained says that a packet leaves the buffer at the end of the wire between two times.
func (w *wire) drained(channel, flits int, from, to vtime.Time) {
	r := &w.rooms[channel]
	r.drains.Push(drain{from, to, int64(flits)})
	if r.need > 0 {
		w.look(channel)
	}
	if r.told {
		w.measure(channel)
	}
}

// Act handles the events of a wire.
func (w *wire) Act(op int, arg uint64) {
	channel := int(arg)
	switch op {
	case opGone:
		v := w.cur
		w.busy, w.cur = false, nil
		w.from.gone(v)
	case opHead:
		v := w.heads.Pop()
		v.p.Hops++
		w.enter(v)
		w.Mark("head", v.p.ID)
		w.to.head(v)
	case opLook:
		w.rooms[channel].need = 0
		w.from.try()
	case opLevel:
		w.level(channel)
	case opStop:
		w.rooms[channel].stopped = true
	case opGo:
		w.rooms[channel].stopped = false
		w.from.try()
	}
}

// enter counts a packet in, and sends Stop if only the packets in flight may follow.
func (w *wire) enter(v *visit) {
	if w.n.s.control != stopGo {
		return
	}
	r := &w.rooms[v.channel]
	r.enter(w.Now(), v.flits)
	if !r.told && r.occupied(w.Now()) > int64(w.n.s.buffer-w.n.s.slack) {
		r.told = true
		w.After(w.delay, w, opStop, uint64(v.channel))
		w.measure(v.channel)
	}
}

// measure schedules level for the time when the buffer will have drained enough, if that is known.
func (w *wire) measure(channel int) {
	if at := w.rooms[channel].falls(int64(w.n.s.goAt)); at != vtime.Never {
		w.At(max(w.Now(), at), w, opLevel, uint64(channel))
	}
}

// level sends Go if few flits are left in the buffer.
func (w *wire) level(channel int) {
	r := &w.rooms[channel]
	if !r.told {
		return
	}
	if r.occupied(w.Now()) <= int64(w.n.s.goAt) {
		r.told = false
		w.After(w.delay, w, opGo, uint64(channel))
		return
	}
	w.measure(channel)
}

// sentFor returns for how long the wire has sent flits until now.
func (w *wire) sentFor() vtime.Time {
	now := w.Now()
	return w.data - max(w.clock.Edge(w.slot)-max(now, w.first), 0) - max(w.before-now, 0)
}
