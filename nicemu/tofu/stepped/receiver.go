package stepped

import (
	"rhinet/internal/ring"
	"rhinet/nicemu/tofu"
)

// A receiver takes the packets that arrive at a node, one at a time.
type receiver struct {
	node   *node
	state  State
	come   []*packet
	packet *packet
	under  map[*posted]*arrival
	space  ring.Space // in the queue of notices
	tells  *posted    // the order for which space is reserved: a node receives one order with a notice at a time
}

// An arrival is an order whose packets are arriving.
type arrival struct {
	why  tofu.Reason
	read int // bytes of a Get that have left
	seen uint64
}

// step does the work of one state.
func (r *receiver) step() {
	switch r.state {
	case Idle:
		r.take()
	case Look:
		r.look()
	case Reserve:
		r.reserve()
	case Move:
		r.move()
	case Tell:
		o := r.packet.order
		n := tofu.Notice{Tag: o.Tag, Offset: o.Offset, Bytes: uint64(len(o.Local))}
		r.node.hw.Queue().End(r.space, &o.Immediate, n.Text(), new(ring.Tally))
		r.tells = nil
		r.become(Answer)
	case Answer:
		r.answer()
	}
}

// take takes the next packet, except the first of an order with a notice while packets of another
// such order are arriving.
func (r *receiver) take() {
	for i, k := range r.come {
		a := r.under[k.order]
		if a == nil && k.order.Notify && r.tells != nil {
			continue
		}
		r.come = append(r.come[:i:i], r.come[i+1:]...)
		r.packet = k
		switch {
		case a == nil:
			r.become(Look)
		case a.why == 0:
			r.become(Move)
		default:
			r.refused()
		}
		return
	}
}

// refused ends the work on a packet of an order that is refused.
func (r *receiver) refused() {
	if r.packet.last {
		r.become(Answer)
		return
	}
	r.become(Idle)
}

func (r *receiver) look() {
	o := r.packet.order
	a := &arrival{why: look(r.node.hw, o)}
	if r.under[o] = a; a.why == 0 && !r.node.hw.Hold(o.Tag) {
		a.why = tofu.Stale
	}
	switch {
	case a.why != 0:
		r.node.hw.CountRefused(a.why, true)
		r.refused()
	case o.Notify:
		r.become(Reserve)
	default:
		r.become(Move)
	}
}

// reserve reserves room in the queue of notices until the whole order has arrived.
func (r *receiver) reserve() {
	o := r.packet.order
	a := r.under[o]
	space, ok, err := r.node.hw.Queue().Begin(o.port.node.number, len((&tofu.Notice{}).Text()))
	switch {
	case err != nil:
		a.why = tofu.QueueBroken
	case !ok:
		a.why = tofu.QueueFull
	default:
		r.space, r.tells = space, o
		r.become(Move)
		return
	}
	r.node.hw.CountRefused(a.why, true)
	r.node.hw.Drop(o.Tag)
	r.refused()
}

// move carries out a packet.
func (r *receiver) move() {
	k, o := r.packet, r.packet.order
	a := r.under[o]
	switch o.Command {
	case tofu.Swap:
		word := r.node.hw.Word(o.Tag.Number(), o.Offset)
		if a.seen = *word; a.seen == o.Old {
			*word = o.New
		}
	case tofu.Get:
		if n := min(tofu.PacketBytes, len(o.Local)-a.read); n > 0 {
			data := make([]byte, n)
			copy(data, r.node.hw.Memory(o.Tag.Number(), o.Offset+uint64(a.read), uint64(n)))
			r.node.machine.forward(r.node.number, &packet{order: o, from: r.node.number, to: k.from, at: a.read, data: data, answer: true})
			a.read += n
			r.become(Move)
			return
		}
	default:
		copy(r.node.hw.Memory(o.Tag.Number(), o.Offset+uint64(k.at), uint64(len(k.data))), k.data)
	}
	switch {
	case !k.last:
		r.become(Idle)
		return
	case o.Notify:
		r.become(Tell)
	default:
		r.become(Answer)
	}
	r.node.hw.Drop(o.Tag)
}

func (r *receiver) answer() {
	k := r.packet
	a := r.under[k.order]
	delete(r.under, k.order)
	r.node.machine.forward(r.node.number, &packet{
		order: k.order, from: r.node.number, to: k.from, last: true, answer: true, why: a.why, seen: a.seen,
	})
	r.become(Idle)
}

func (r *receiver) become(s State) {
	r.node.machine.tell(r.node, Receiver, 0, r.state, s)
	r.state = s
}
