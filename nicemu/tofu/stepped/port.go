package stepped

import "rhinet/nicemu/tofu"

// A port is an injection port.
type port struct {
	node    *node
	id      int
	state   State
	orders  []*posted // waiting orders
	order   *posted   // the order in progress
	at      int       // number of its bytes that have left
	answers []*packet
}

// step does the work of one state.
func (p *port) step() {
	switch p.state {
	case Idle:
		if len(p.orders) > 0 {
			p.order, p.orders, p.at = p.orders[0], p.orders[1:], 0
			p.become(Check)
		}
	case Check:
		for _, r := range portRules {
			if r.broken(p.node.hw, p.order) {
				p.order.why = r.why
				p.become(Done)
				return
			}
		}
		p.become(Send)
	case Send:
		p.send()
	case Wait:
		p.wait()
	case Done:
		p.complete()
		p.become(Idle)
	}
}

// send sends the next packet of the order.
func (p *port) send() {
	o := p.order
	k := &packet{order: o, from: p.node.number, to: o.Node, at: p.at, last: true}
	if o.writes() {
		end := min(p.at+tofu.PacketBytes, len(o.Local))
		k.data, k.last, p.at = o.Local[p.at:end], end == len(o.Local), end
	}
	if exit, _ := p.node.machine.torus.Next(p.node.number, o.Node); exit >= 0 {
		p.node.hw.CountSent(p.id, exit)
	}
	p.node.machine.forward(p.node.number, k)
	if k.last {
		p.become(Wait)
		return
	}
	p.become(Send)
}

// wait takes an answer, if one has arrived.
func (p *port) wait() {
	if len(p.answers) == 0 {
		return
	}
	k := p.answers[0]
	p.answers = p.answers[1:]
	copy(p.order.Local[k.at:], k.data)
	if !k.last {
		p.become(Wait)
		return
	}
	p.order.why, p.order.seen = k.why, k.seen
	p.become(Done)
}

// complete writes the completion.
func (p *port) complete() {
	if p.order.why != 0 {
		p.node.hw.CountRefused(p.order.why, false)
	}
	p.node.hw.Complete(p.id, p.order.why)
	p.order.done = true
}

func (p *port) become(s State) {
	p.node.machine.tell(p.node, InjectionPort, p.id, p.state, s)
	p.state = s
}
