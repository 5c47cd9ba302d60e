package collectives

// A halving is the first half of Rabenseifner's algorithms: in each step partners share
// a range, and each combines one half of it with the partner's. The nearest partners
// come first, so values stay in rank order, and every piece of the result is computed
// by one rank.
type halving struct {
	accum  *accum
	ranges []halfRange // the range shared in each step
	off, n int         // the piece that this rank has computed
}

// A halfRange is what a rank kept and sent in one step, in bytes.
type halfRange struct {
	partner          int // new number
	keep, keepLen    int
	give, giveLen    int
	off, n, distance int // the shared range
}

// halve runs the steps among the ranks that remain after the folding.
func (a *accum) halve(f *folding) *halving {
	b := a.b
	h := &halving{accum: a, n: a.at.n}
	for d := 1; d < f.pof2; d <<= 1 {
		r := halfRange{partner: f.rank ^ d, off: h.off, n: h.n, distance: d}
		_, low := b.cut(h.n, 2, 0)
		if f.rank&d == 0 {
			r.keep, r.keepLen, r.give, r.giveLen = h.off, low, h.off+low, h.n-low
		} else {
			r.keep, r.keepLen, r.give, r.giveLen = h.off+low, h.n-low, h.off, low
		}
		b.recv(a.spare().sub(r.keep, r.keepLen), f.old(r.partner))
		b.send(a.at.sub(r.give, r.giveLen), f.old(r.partner))
		b.wait()
		if f.rank&d == 0 {
			a.foldHigher(r.keep, r.keepLen)
		} else {
			a.foldLower(r.keep, r.keepLen)
		}
		h.off, h.n = r.keep, r.keepLen
		h.ranges = append(h.ranges, r)
	}
	return h
}
