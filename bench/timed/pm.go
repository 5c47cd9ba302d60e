package timed

import (
	"fmt"

	"rhinet/bench"
	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/martini/timed"
	"rhinet/nicemu/vtime"
)

// A layer is one of the PM message layers (pm-messaging, sections 1.4, 1.5, 1.7).
type layer struct {
	name     string
	nodes    int  // of the job; all but two are idle
	throttle bool // each PUSH waits for the ack of the previous one: 1.4.9
	ring     bool // VPUSH to one ring
	hardware bool // VPUSH in hardware
}

// Constants of the layers (pm-messaging, sections 1.4.2, 1.4.3, 1.5.4).
const (
	frame       = 8 // bytes of header and trailer
	slot        = stepped.MTU
	slots       = 64
	mostMessage = 4*slot - frame
	mostRecord  = stepped.MTU - frame
)

func (y layer) most() int {
	if y.ring {
		return mostRecord
	}
	return mostMessage
}

func layers() []layer {
	var all []layer
	for _, n := range []int{2, 4, 8, 16} {
		all = append(all, layer{name: fmt.Sprintf("rhinet-%dnodes", n), nodes: n, throttle: true})
	}
	return append(all, layer{name: "rhinet-unthrottled", nodes: 2}, layer{name: "rhinet-vp", nodes: 2, ring: true},
		layer{name: "hw-vpush", nodes: 2, ring: true, hardware: true})
}

func pmSeries(run func(l *lab, y layer, bytes int) (point, error)) (all []series) {
	for _, y := range layers() {
		sizes := append(bench.Powers(8, 1024), 2040)
		if !y.ring {
			sizes = append(sizes, 2041, 4096, mostMessage)
		}
		all = append(all, series{y.name, y.nodes, sizes, 1, y.most(), false, func(l *lab, bytes int) (point, error) { return run(l, y, bytes) }})
	}
	return all
}

// An end is a process that uses a layer to exchange messages with another one.
type end struct {
	l      *lab
	y      layer
	p      *timed.Process
	self   int
	other  *end
	x      *timed.Transfer // latest PUSH
	head   int             // of the ring at the other side, in slots
	known  int             // its tail, as far as known here
	tail   int             // of this side's ring, as published
	pull   timed.Transfer
	asking bool
	sent   []int // sizes of the messages sent
	taken  int   // number of messages received
	come   int   // number of messages that have arrived completely
	free   timed.Transfer
	freed  bool
}

// ends makes two nodes at one switch with processes that use a layer.
func (l *lab) ends(y layer, longest int) ([2]*end, error) {
	o := timed.Options{Area: max(longest, slot*slots), Source: max(longest, slot*slots)}
	if y.ring {
		o.Ring, o.Rings = ringBytes, stepped.RingOptions{Hardware: y.hardware}
	}
	var e [2]*end
	if err := l.build("one:2", o); err != nil {
		return e, err
	}
	for i := range e {
		e[i] = &end{l: l, y: y, self: i}
	}
	for i := range e {
		e[i].other = e[1-i]
		e[i].pull = timed.Transfer{Kind: timed.Pull, To: 1 - i, Bytes: 8}
		e[i].free = timed.Transfer{Kind: timed.Release, To: i}
	}
	return e, nil
}

// Progress implements timed.Watcher: the last part of a message has arrived.
func (e *end) Progress(x *timed.Transfer, s timed.Stage) {
	if s == timed.Delivered && x.Tag == 1 {
		e.other.come++
	}
}

func passed(x *timed.Transfer, s timed.Stage) bool {
	_, ok := x.At(s)
	return ok
}

// clear reports whether the Window accepts the next request.
func (e *end) clear() bool {
	return (e.x == nil || passed(e.x, timed.Free) && (!e.y.throttle || passed(e.x, timed.Acked))) && (!e.asking || passed(&e.pull, timed.Free))
}

// room reports whether the other side has room for a message, as far as known here (pm-messaging, section
// 1.4.8).
func (e *end) room(bytes int) bool {
	if e.asking && passed(&e.pull, timed.Delivered) && passed(&e.pull, timed.Free) {
		e.asking, e.known = false, e.other.tail
	}
	return e.y.ring || slots-(e.head-e.known) >= slotsOf(bytes)
}

func slotsOf(bytes int) int { return (bytes + frame + slot - 1) / slot }

// ready reports whether a message can be sent now.
func (e *end) ready(bytes int) bool { return e.clear() && e.room(bytes) }

// ask pulls the tail of the other side's ring, if there seems to be no room.
func (e *end) ask(bytes int) error {
	if e.room(bytes) || e.asking || !e.clear() {
		return nil
	}
	e.asking = true
	return e.p.Post(&e.pull)
}

// send is pmGetSendBuffer and pmSend of a message that can be sent now.
func (e *end) send(bytes int) error {
	e.p.Call()
	e.head += slotsOf(bytes)
	e.sent = append(e.sent, bytes)
	kind, part := timed.Push, bytes+frame
	switch {
	case e.y.ring:
		kind = timed.VPush
	case e.y.throttle:
		part = slot
	}
	for left := bytes + frame; left > 0; left -= part {
		e.p.Until(e.clear)
		e.x = &timed.Transfer{Kind: kind, To: 1 - e.self, Bytes: min(left, part), Ack: e.y.throttle, Watcher: e}
		if left <= part {
			e.x.Tag = 1
		}
		if err := e.p.Post(e.x); err != nil {
			return err
		}
	}
	return nil
}

// arrived reports whether a message has arrived completely.
func (e *end) arrived() bool { return e.come > e.taken }

// receive is pmReceive of a message that has arrived: on average, half a pass goes by until its place is
// polled, and the trailer is on a line of its own.
func (e *end) receive() (bytes int) {
	p := e.p
	p.Sleep(e.pass() / 2)
	bytes = e.other.sent[e.taken]
	e.taken++
	if bytes+frame > line && !e.y.ring {
		p.Detect()
	}
	return bytes
}

// line is the size of a line of the host's cache in bytes.
const line = 32

// pass is the time of a pmReceive that finds nothing.
func (e *end) pass() vtime.Time {
	words := e.y.nodes - 1
	if e.y.ring {
		words = 1
	}
	return e.p.CallTime() + e.p.Pass(words)
}

// release is pmReleaseReceiveBuffer.
func (e *end) release(bytes int) error {
	e.p.Call()
	if !e.y.ring {
		e.p.Zero(bytes + frame)
		e.tail += slotsOf(bytes)
		return nil
	}
	if e.freed {
		e.p.Await(&e.free, timed.Accepted)
	}
	e.freed, e.free.Bytes = true, bytes+frame
	return e.p.Post(&e.free)
}

// transfer sends a message as soon as possible.
func (e *end) transfer(bytes int) error {
	for !e.ready(bytes) {
		if err := e.ask(bytes); err != nil {
			return err
		}
		e.p.Until(func() bool { return e.ready(bytes) || e.clear() && !e.asking })
	}
	return e.send(bytes)
}

// await receives the next message.
func (e *end) await() int {
	e.p.Until(e.arrived)
	return e.receive()
}

// pmPingPong is P9: each side returns the other's message as soon as it has received it, and then releases
// it.
func pmPingPong(l *lab, y layer, bytes int) (point, error) {
	e, err := l.ends(y, bytes)
	if err != nil {
		return point{}, err
	}
	var t timing
	for i := range e {
		l.start(i, func(p *timed.Process) error {
			e := e[i]
			e.p = p
			for round := range warmUps + rounds {
				if i == 0 {
					t.note(round, p.Now())
					if err := e.transfer(bytes); err != nil {
						return err
					}
				}
				got := e.await()
				if i == 1 {
					if err := e.transfer(bytes); err != nil {
						return err
					}
				}
				if err := e.release(got); err != nil {
					return err
				}
			}
			t.note(warmUps+rounds, p.Now())
			return nil
		})
	}
	err = l.run(l.all)
	return point{usec: t.each()}, err
}

// burstMessages is the number of messages of a burst, after as many for warming up: more than a ring holds.
const burstMessages = 2 * slots

// pmBurst is P10: one side sends continuously, the other only receives. Time is measured at the receiver.
func pmBurst(l *lab, y layer, bytes int) (point, error) {
	e, err := l.ends(y, bytes)
	if err != nil {
		return point{}, err
	}
	var from, to vtime.Time
	l.start(0, func(p *timed.Process) error {
		e[0].p = p
		for range 2*burstMessages + 1 {
			if err := e[0].transfer(bytes); err != nil {
				return err
			}
		}
		return nil
	})
	l.start(1, func(p *timed.Process) error {
		e[1].p = p
		for i := range 2*burstMessages + 1 {
			got := e[1].await()
			switch i {
			case burstMessages:
				from = p.Now()
			case 2 * burstMessages:
				to = p.Now()
			}
			if err := e[1].release(got); err != nil {
				return err
			}
		}
		return nil
	})
	err = l.run(l.all)
	return of((to-from).Microseconds()/burstMessages, bytes), err
}
