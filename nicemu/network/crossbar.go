package network

import "rhinet/nicemu/vtime"

// A crossbar is a switch: it has inputs with a buffer for each virtual channel, and outputs with an
// arbiter (martini, sections 1.2 to 1.5).
type crossbar struct {
	n       *Network
	inputs  []*input
	outputs []*output
	byLink  []int32 // output of a link, for the links of this switch; else -1
}

// An input is the receiving side of a port.
type input struct {
	vtime.Source
	x     *crossbar
	place int
	w     *wire
	queue []vtime.Ring[*visit] // by virtual channel
	lines int                  // of the crossbar, in use
	turn  int                  // output that is tried first
}

// head takes a packet whose header has arrived.
func (in *input) head(v *visit) {
	v.in = in
	v.ready = in.Now() + in.x.n.s.route
	q := &in.queue[v.channel]
	q.Push(v)
	if q.Len() == 1 {
		in.At(v.ready, in, 0, uint64(v.channel))
	}
}

// Act requests an output for the first packet of a channel.
func (in *input) Act(_ int, channel uint64) {
	v := *in.queue[channel].At(0)
	x := in.x
	r := x.n.routes
	h := r.step(hop{v.w.link, v.w.start, v.channel}, v.p.Dst)
	v.next, v.out = h.channel, x.outputs[x.byLink[h.link]]
	v.out.asked++
	v.number = v.out.asked
	v.out.waiting.Push(v)
	v.out.try()
}

// leave removes a packet, and lets the next one of its channel request an output.
func (in *input) leave(v *visit) {
	q := &in.queue[v.channel]
	q.Pop()
	if q.Len() > 0 {
		in.At(max(in.Now(), (*q.At(0)).ready), in, 0, uint64(v.channel))
	}
	in.lines--
	n := len(in.x.outputs)
	in.turn = (in.turn + 1) % n
	for i := range n {
		if in.lines >= in.x.n.s.inputs {
			return
		}
		in.x.outputs[(in.turn+i)%n].try()
	}
}

// An output is the sending side of a port: the arbiter before a wire.
type output struct {
	x       *crossbar
	w       *wire
	waiting vtime.Ring[*visit]
	asked   uint64
	last    int // place of the input channel that was granted last
}

// place numbers the requesters of an output, which are the channels of inputs.
func (o *output) place(v *visit) int { return v.in.place*o.x.n.s.channels + v.channel }

// try grants the wire to a waiting packet whose crossbar line and next buffer are free.
func (o *output) try() {
	if o.w.busy {
		return
	}
	best, rank := -1, uint64(0)
	for i := range o.waiting.Len() {
		v := *o.waiting.At(i)
		if r := o.rank(v); (best < 0 || r < rank) && v.in.lines < o.x.n.s.inputs && o.w.mayTake(v.next, v.flits) {
			best, rank = i, r
		}
	}
	if best < 0 {
		return
	}
	v := o.waiting.Remove(best)
	o.last = o.place(v)
	v.in.lines++
	first, end := o.w.send(v)
	v.w.drained(v.channel, v.flits, first, end)
}

// rank orders the waiting packets: the lowest is next.
func (o *output) rank(v *visit) uint64 {
	if o.x.n.s.arbitration != roundRobin {
		return v.number
	}
	n := len(o.x.inputs) * o.x.n.s.channels
	return uint64((o.place(v) - o.last - 1 + n) % n)
}

// gone removes the packet that has left.
func (o *output) gone(v *visit) {
	v.in.leave(v)
	o.x.n.release(v)
	o.try()
}
