package collectives

import (
	"encoding/binary"
	"fmt"
)

// Where ranks know different parts of the counts, they cannot agree on whether an
// exchange takes the data. So what they show there says for itself. It begins with a
// descriptor for each part: where the part lies, counted from
// the descriptor on, and its length, or byMessage if it comes as a message, in two bytes each.
const (
	descriptor = 4
	byMessage  = 1<<16 - 1
)

// putDescriptor writes a descriptor, and getDescriptor reads it.
func putDescriptor(e []byte, off, n int) { binary.LittleEndian.PutUint32(e, uint32(off|n<<16)) }

func getDescriptor(e []byte) (off, n int) {
	d := binary.LittleEndian.Uint32(e)
	return int(uint16(d)), int(d >> 16)
}

// A LengthError is a part whose length is not the one that belongs there.
type LengthError struct{ Got, Want int }

// Error says both lengths.
func (e *LengthError) Error() string {
	return fmt.Sprintf("collectives: a part of %d bytes arrived where %d belong", e.Got, e.Want)
}

// Is reports whether target is the class of the error.
func (e *LengthError) Is(target error) bool { return target == ErrLength }

// envelope returns temporary memory for as much as one rank can show.
func (b *builder) envelope() region { return b.scratch(b.envelopeBytes()) }

// envelopeBytes is below byMessage, so that each length and place has a number.
func (b *builder) envelopeBytes() int { return min(b.exchangeMax, byMessage-1) }

// Enclose writes into e, as long as an exchange takes, what a rank that is not root shows in a
// Gatherv of part, and returns how long that is, 0 if there is no room for it. See [Group.Passed].
func Enclose(e, part []byte) int {
	n := descriptor + len(part)
	if n > len(e) {
		return 0
	}
	putDescriptor(e, descriptor, len(part))
	copy(e[descriptor:], part)
	return n
}

// EncloseAll writes into e what a root shows in a Scatterv of send, and returns how long that is, 0 if there is no
// room for it. See [Group.Passed].
func EncloseAll(e, send []byte, counts, displs []int, elem, root int) int {
	end := len(counts) * descriptor
	for i := range counts {
		if i == root {
			continue
		}
		at, n := place(counts, displs, elem, i)
		if end+n > len(e) {
			return 0
		}
		putDescriptor(e[i*descriptor:], end-i*descriptor, n)
		copy(e[end:], send[at:at+n])
		end += n
	}
	return end
}

// describe writes the descriptor at e[at:] of n bytes that lie at e[off:].
func (b *builder) describe(e region, at, off, n int) {
	b.sched.steps = append(b.sched.steps, step{op: opDescribe, a: region{off: off - at, n: n}, b: e.sub(at, descriptor)})
}

// enclose writes one part into e, and returns what to show of e, and whether there is room for the part.
func (b *builder) enclose(e, part region) (shown region, short bool) {
	if descriptor+part.n > e.n {
		b.describe(e, 0, 0, byMessage)
		return e.sub(0, descriptor), false
	}
	b.describe(e, 0, descriptor, part.n)
	b.copy(e.sub(descriptor, part.n), part)
	return e.sub(0, descriptor+part.n), true
}

// encloseAll writes the parts for all other ranks into e, and returns what to show of e, and whether there is room for them.
func (b *builder) encloseAll(e region, part func(int) region) (shown region, short bool) {
	total, end := b.size*descriptor, b.size*descriptor
	for i := range b.size {
		if i != b.rank {
			total += part(i).n
		}
	}
	for i := range b.size {
		switch p := part(i); {
		case i == b.rank:
		case total > e.n:
			b.describe(e, i*descriptor, i*descriptor, byMessage)
		default:
			b.describe(e, i*descriptor, end, p.n)
			b.copy(e.sub(end, p.n), p)
			end += p.n
		}
	}
	return e.sub(0, end), total <= e.n
}

// addressed is the rest of an envelope for all ranks from the descriptor for this one on.
func (b *builder) addressed(e region) region {
	at := b.rank * descriptor
	return e.sub(at, e.n-at)
}

// disclose takes the part that the descriptor at the beginning of e names, or posts
// a receive of it from src.
func (b *builder) disclose(part, e region, src int) {
	b.post(opDisclose, e, src)
	b.sched.steps[len(b.sched.steps)-1].b = part
}

// disclose carries out such a step. What e holds is what another process wrote.
func (x *execution) disclose(g *Group, s *step, block bool) {
	e, part := x.at(s.a), x.at(s.b)
	off, n := getDescriptor(e)
	switch {
	case x.err != nil: // e may hold anything
	case n == byMessage:
		x.receive(g, part, s, block)
	case n != len(part) || off+n > len(e):
		x.note(&LengthError{Got: n, Want: len(part)})
	default:
		copy(part, e[off:off+n])
	}
}
