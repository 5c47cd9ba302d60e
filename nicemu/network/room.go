package network

import "rhinet/nicemu/vtime"

// A drain is a packet that is leaving a buffer, flit by flit.
type drain struct {
	from, to vtime.Time
	flits    int64
}

// left returns how many flits have left at t.
func (d drain) left(t vtime.Time) int64 {
	switch {
	case t >= d.to:
		return d.flits
	case t <= d.from:
		return 0
	}
	return d.flits * int64(t-d.from) / int64(d.to-d.from)
}

// when returns the first time at which n flits have left.
func (d drain) when(n int64) vtime.Time {
	if n >= d.flits {
		return d.to
	}
	return d.from + (vtime.Time(n)*(d.to-d.from)+vtime.Time(d.flits)-1)/vtime.Time(d.flits)
}

// A room is the buffer of one virtual channel at the end of a wire, and what its sender knows about
// it. With credits it is counted at the sender, from the start of a packet until its credits have
// returned. With Stop-and-Go it is counted at the buffer.
type room struct {
	in      int64 // flits counted in so far
	out     int64 // flits of drains that are over
	lag     vtime.Time
	drains  vtime.Ring[drain]
	need    int64      // flits that the sender waits for; 0: it does not wait
	wake    vtime.Time // when the sender will try again
	stopped bool       // the sender has received Stop
	told    bool       // Stop was sent, and Go has not been sent since
	most    int64      // the highest number of flits so far
}

// occupied returns the number of flits counted at t, and forgets drains that are over.
func (r *room) occupied(t vtime.Time) int64 {
	t -= r.lag
	for r.drains.Len() > 0 && r.drains.At(0).to <= t {
		r.out += r.drains.Pop().flits
	}
	n := r.in - r.out
	if r.drains.Len() > 0 {
		n -= r.drains.At(0).left(t)
	}
	return n
}

// enter counts flits in.
func (r *room) enter(t vtime.Time, flits int) {
	r.in += int64(flits)
	r.most = max(r.most, r.occupied(t))
}

// falls returns when at most n flits will be counted according to the known drains: 0 if that is so
// already, Never if it is not known.
func (r *room) falls(n int64) vtime.Time {
	left := r.in - r.out - n // flits that have yet to leave
	if left <= 0 {
		return 0
	}
	for i := range r.drains.Len() {
		d := r.drains.At(i)
		if left <= d.flits {
			return d.when(max(left, 0)) + r.lag
		}
		left -= d.flits
	}
	return vtime.Never
}
