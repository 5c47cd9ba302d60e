package collectives

import (
	"encoding/binary"
	"fmt"

	"rhinet/internal/vec"
)

// Where ranks know different parts of the counts, they cannot agree on whether an
// exchange has room for the data. So what they show in the exchange describes itself.
// It begins with a descriptor for each part: the offset of the part, counted from the
// descriptor, and its length, or byMessage if the part is sent as a message, in two
// bytes each.
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

// A LengthError is a part of rank From that has not the expected length.
type LengthError struct{ Got, Want, From int }

// Error gives both lengths.
func (e *LengthError) Error() string {
	return fmt.Sprintf("collectives: a part of %d bytes arrived from rank %d where %d belong", e.Got, e.From, e.Want)
}

// Is reports whether target is the class of the error.
func (e *LengthError) Is(target error) bool { return target == ErrLength }

// envelope returns temporary memory for as much as one rank can show.
func (b *builder) envelope() region { return b.scratch(b.envelopeBytes()) }

// envelopeBytes is below byMessage, so that two bytes hold each length and offset.
func (b *builder) envelopeBytes() int { return min(b.exchangeMax, byMessage-1) }

// Enclose writes into e, which is as long as an exchange allows, what a rank other than
// root shows in a Gatherv of part, and returns its length, 0 if it does not fit. See
// [Group.Passed].
func Enclose(e, part []byte) int {
	if Head(1)+len(part) > len(e) {
		return 0
	}
	return Insert(e, 0, Head(1), part)
}

// Head returns the length of the descriptors of parts, with which an envelope begins.
func Head(parts int) int { return parts * descriptor }

// Insert writes a part into e at end, with descriptor number i, and returns the new
// end. The part fits.
func Insert(e []byte, i, end int, part []byte) int {
	putDescriptor(e[i*descriptor:], end-i*descriptor, len(part))
	return end + copy(e[end:], part)
}

// Announce has descriptor number i of e say that the part is sent as a message.
func Announce(e []byte, i int) { putDescriptor(e[i*descriptor:], 0, byMessage) }

// Announces reports whether descriptor number i of e says so.
func Announces(e []byte, i int) bool {
	_, n := getDescriptor(e[i*descriptor:])
	return n == byMessage
}

// Unwrap copies the part that descriptor number i of e names, which src has shown, or
// reports that it is sent as a message.
func Unwrap(part, e []byte, i, src int) (message bool, err error) {
	return unwrap(part, e[i*descriptor:], src)
}

// describe writes the descriptor at e[at:] of n bytes at e[off:].
func (b *builder) describe(e region, at, off, n int) {
	b.sched.steps = append(b.sched.steps, step{op: opDescribe, a: region{off: off - at, n: n}, b: e.sub(at, descriptor)})
}

// enclose writes one part into e, and returns what to show of e, and whether the part
// fits.
func (b *builder) enclose(e, part region) (shown region, short bool) {
	if descriptor+part.n > e.n {
		b.describe(e, 0, 0, byMessage)
		return e.sub(0, descriptor), false
	}
	b.describe(e, 0, descriptor, part.n)
	b.copy(e.sub(descriptor, part.n), part)
	return e.sub(0, descriptor+part.n), true
}

// encloseAll writes the parts for all other ranks into e, and returns what to show of
// e, and whether they fit.
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

// addressed returns an envelope for all ranks from the descriptor for this rank on.
func (b *builder) addressed(e region) region {
	at := b.rank * descriptor
	return e.sub(at, e.n-at)
}

// disclose copies the part that the descriptor at the beginning of e names, or posts a
// receive of it from src.
func (b *builder) disclose(part, e region, src int) {
	b.post(opDisclose, e, src)
	b.sched.steps[len(b.sched.steps)-1].b = part
}

// disclose carries out such a step. e was written by another process, so it is checked.
func (x *execution) disclose(g *Group, s *step, block bool) {
	if x.err != nil {
		return // e may hold anything
	}
	part := x.at(s.b)
	message, err := unwrap(part, x.at(s.a), int(s.peer))
	if x.note(err); message {
		x.receive(g, part, s, block)
	}
}

// shown returns the part of n bytes that the descriptor at the beginning of e names, and false if it names none of
// that length.
func shown(e []byte, n int) (part []byte, there bool) {
	off, named := getDescriptor(e)
	if named != n || off+n > len(e) {
		return nil, false
	}
	return e[off : off+n], true
}

// unwrap copies the part that the descriptor at the beginning of e names, which src has
// shown, or reports that it is sent as a message.
func unwrap(part, e []byte, src int) (message bool, err error) {
	if theirs, there := shown(e, len(part)); there {
		vec.Fill(part, theirs)
		return false, nil
	}
	if _, n := getDescriptor(e); n != byMessage {
		return false, &LengthError{Got: n, Want: len(part), From: src}
	}
	return true, nil
}

// Disclose copies the part that descriptor number at of e names, which src has shown, or receives the message
// that src has announced there. It belongs to the call that was passed last: see [Group.Passed].
func (g *Group) Disclose(part, e []byte, at, src int) error {
	e = e[at*descriptor:]
	if theirs, there := shown(e, len(part)); there { // most often, and without a call
		vec.Fill(part, theirs)
		return nil
	}
	message, err := unwrap(part, e, src)
	switch {
	case !message:
		return err
	case g.receiver != nil:
		return g.receiver.Recv(part, src, g.tag())
	}
	if err = g.t.Irecv(0, part, src, g.tag()); err == nil {
		err = g.t.Wait(0, 1)
	}
	return err
}
