package timed

import (
	"rhinet/bench"
	"rhinet/nicemu/martini/timed"
)

// envelope is the size of what MPI puts before each part of a message in a PM message: source, tag, context
// and size (unstated).
const envelope = 32

// eager is the longest message that is sent eagerly with RMA (pm-messaging, section 1.8).
const eager = 16 << 10

// A library is MPI on top of a layer.
type library struct {
	layer
	rma bool // longer messages are sent without a copy
}

func mpiSeries() (all []series) {
	for _, m := range []library{
		{layer{name: "rhinet", nodes: 2, throttle: true}, false}, {layer{name: "rhinet-vp", nodes: 2, ring: true}, false},
		{layer{name: "zerocopy", nodes: 2, throttle: true}, true}, {layer{name: "hw-vpush", nodes: 2, ring: true, hardware: true}, false},
	} {
		for _, both := range []bool{false, true} {
			name := "pingpong-" + m.name
			if both {
				name = "sendrecv-" + m.name
			}
			all = append(all, series{name, 2, bench.Powers(8, 256<<10), 1, most, false,
				func(l *lab, bytes int) (point, error) { return m.measure(l, bytes, both) }})
		}
	}
	return all
}

// measure is P12: PingPong reports half of a round trip; in Sendrecv both processes send and receive at the
// same time, and both messages count.
func (m library) measure(l *lab, bytes int, both bool) (point, error) {
	e, err := l.ends(m.layer, bytes)
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
				}
				if err := m.round(e, bytes, both); err != nil {
					return err
				}
			}
			if i == 0 {
				t.note(warmUps+rounds, p.Now())
			}
			return nil
		})
	}
	err = l.run(l.all)
	usec := t.each()
	if both {
		return point{usec, 2 * float64(bytes) / usec}, err
	}
	return of(usec/2, bytes), err
}

func (m library) round(e *end, bytes int, both bool) error {
	switch {
	case both:
		return m.exchange(e, bytes, bytes)
	case e.self == 0:
		if err := m.exchange(e, bytes, 0); err != nil {
			return err
		}
		return m.exchange(e, 0, bytes)
	}
	if err := m.exchange(e, 0, bytes); err != nil {
		return err
	}
	return m.exchange(e, bytes, 0)
}

// exchange sends a message and receives one, in the order in which data comes; 0 bytes mean no message.
func (m library) exchange(e *end, out, in int) error {
	for range min(out, 1) + min(in, 1) {
		e.p.Message()
	}
	if m.rma && max(out, in) > eager {
		return m.rendezvous(e, out, in)
	}
	return e.stream(out, in, m.most()-envelope)
}

// stream transfers messages in parts, with copies on both sides.
func (e *end) stream(out, in, part int) error {
	for out > 0 || in > 0 {
		next := min(out, part)
		switch {
		case out > 0 && e.ready(next+envelope):
			e.p.Copy(next, true)
			if err := e.send(next + envelope); err != nil {
				return err
			}
			out -= next
		case in > 0 && e.arrived():
			got := e.receive()
			e.p.Copy(got-envelope, false)
			if err := e.release(got); err != nil {
				return err
			}
			in -= got - envelope
		default:
			if out > 0 {
				if err := e.ask(next + envelope); err != nil {
					return err
				}
			}
			e.p.Until(func() bool {
				return out > 0 && (e.ready(next+envelope) || e.clear() && !e.asking) || in > 0 && e.arrived()
			})
		}
	}
	return nil
}

// rendezvous sends a request, gets the address, pushes without a copy, and sends a notice of completion
// (pm-messaging, section 1.8). Buffers are pinned before, as with a pin-down cache.
func (m library) rendezvous(e *end, out, in int) error {
	control := func(send, receive int) error {
		if send > 0 {
			if err := e.transfer(envelope); err != nil {
				return err
			}
		}
		if receive > 0 {
			return e.release(e.await())
		}
		return nil
	}
	if err := control(out, in); err != nil { // request to send
		return err
	}
	if err := control(in, out); err != nil { // clear to send
		return err
	}
	if out > 0 {
		e.p.Until(e.clear)
		e.x = &timed.Transfer{Kind: timed.Push, To: 1 - e.self, Bytes: out, Ack: m.throttle, Watcher: e}
		if err := e.p.Post(e.x); err != nil {
			return err
		}
	}
	return control(out, in) // finish
}
