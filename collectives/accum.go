package collectives

// An accum is the value of a reduction in progress: the combination of the
// contributions of a range of ranks, in rank order. It starts as the rank's own input,
// which is not changed, and is kept in one of two homes; the other one receives the
// next contribution. Folds have the same operands in the same order on all ranks that
// make them, so their results agree bit for bit.
type accum struct {
	b     *builder
	at    region // where the value is
	fixed bool   // at is the caller's input
	homes [2]region
}

// accum starts a value at in; home is memory of that length to work in. If the call is
// in place, in is in home.
func (b *builder) accum(in, home region) *accum {
	if b.inPlace {
		in = home
	}
	return &accum{b: b, at: in, fixed: !b.inPlace, homes: [2]region{home}}
}

// spare is where to receive the next contribution; the fold destroys it.
func (a *accum) spare() region {
	if a.at != a.homes[0] {
		return a.homes[0]
	}
	return a.second()
}

func (a *accum) second() region {
	if a.homes[1].n == 0 {
		a.homes[1] = a.b.scratch(a.homes[0].n)
	}
	return a.homes[1]
}

// foldHigher combines the n bytes at off with those in spare, which come from the ranks
// just above.
func (a *accum) foldHigher(off, n int) {
	to := a.spare()
	a.b.reduce(a.at.sub(off, n), to.sub(off, n))
	a.at, a.fixed = to, false
}

// foldLower is foldHigher for bytes from the ranks just below.
func (a *accum) foldLower(off, n int) {
	from := a.spare()
	if a.fixed {
		to := a.second()
		a.b.copy(to.sub(off, n), a.at.sub(off, n))
		a.at, a.fixed = to, false
	}
	a.b.reduce(from.sub(off, n), a.at.sub(off, n))
}

// foldInOrder combines the regions of(lo) to of(hi-1), in rank order, in dst, which is
// none of them or the last.
func (b *builder) foldInOrder(dst region, lo, hi int, of func(int) region) {
	b.copy(dst, of(hi-1))
	for i := hi - 2; i >= lo; i-- {
		b.reduce(of(i), dst)
	}
}

// A folding reduces a group to its largest power of two: in each pair of the first
// 2*rem ranks, one sends its contribution to the other, the owner. The ranks that
// remain have new numbers in the same order.
type folding struct {
	pof2, rem int
	rank      int // new number, or -1
	partner   int // the other rank of the pair; -1 if there is none
	favoured  int // this rank owns its pair; else the lower one does
}

func (b *builder) folding(favoured int) folding {
	f := folding{pof2: 1, partner: -1, favoured: favoured}
	for f.pof2*2 <= b.size {
		f.pof2 *= 2
	}
	f.rem = b.size - f.pof2
	f.rank = b.rank - f.rem
	if b.rank < 2*f.rem {
		f.partner, f.rank = b.rank^1, b.rank/2
		if f.old(f.rank) != b.rank {
			f.rank = -1
		}
	}
	return f
}

// old returns the rank in the group of a new number.
func (f *folding) old(rank int) int {
	switch {
	case rank >= f.rem:
		return rank + f.rem
	case rank == f.favoured/2:
		return f.favoured
	}
	return 2 * rank
}

// fold sends the contributions of ranks that drop out to their owners, and reports
// whether this rank remains.
func (f *folding) fold(a *accum) bool {
	b := a.b
	n := a.at.n
	switch {
	case f.partner < 0:
	case f.rank < 0:
		b.send(a.at, f.partner)
		b.wait()
		return false
	default:
		b.recv(a.spare(), f.partner)
		b.wait()
		if f.partner > b.rank {
			a.foldHigher(0, n)
		} else {
			a.foldLower(0, n)
		}
	}
	return true
}

// unfold sends the result in out to the ranks that dropped out.
func (f *folding) unfold(b *builder, out region) {
	switch {
	case f.partner < 0:
	case f.rank < 0:
		b.recv(out, f.partner)
	default:
		b.send(out, f.partner)
	}
	b.wait()
}
