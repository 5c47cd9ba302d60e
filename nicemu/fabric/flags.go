package fabric

import (
	"encoding/binary"
	"errors"
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/internal/vec"
)

// FlagBytes is the largest payload of a flag.
const FlagBytes = FlagInline + (restLines+moreLines)*ring.LineBytes

// A flag is a line:
//
//	word 0    sequence, mark
//	word 1    length of the payload, if there is more in the flag's rest; else 0
//	word 2-7  the first FlagInline bytes of the payload
//
// The rest is restLines lines elsewhere, so that the lines of all ranks for one
// sequence lie together, and moreLines elsewhere again, because most payloads have no
// more than a few, and their pages are not to be those of long ones. It is written before the line, and read after it.
const (
	FlagInline = 48
	FlagRest   = restLines * ring.LineBytes // bytes of the payload in the first part of the rest

	restLines = 8
	moreLines = 9
)

// A FlagWriter raises the flags of one rank in the shared flag arrays: lines of
// the job, by array, sequence (modulo [FlagLines]) and rank. All ranks can read
// them, so however many look, a flag is written once. It belongs to one goroutine
// at a time. Whether the rank may write there is for its NIC to know.
type FlagWriter struct {
	f      *Fabric
	rank   int
	lines  []ring.Line
	raised map[int]*flag       // by the number of the line
	last   [FlagLines]struct { // of raised, by turn: in the array used last
		at    int
		*flag // nil: none
	}
}

// A flag is what a line of this rank and its rest hold.
type flag struct {
	line ring.Line
	rest []ring.Line // nil: never written
}

// FlagWriter returns what raises the flags of a rank.
func (f *Fabric) FlagWriter(rank int) *FlagWriter {
	return &FlagWriter{f: f, rank: rank, lines: f.Flags(), raised: map[int]*flag{}}
}

// flagAt returns the number of a line, or -1.
func (f *Fabric) flagAt(array, writer int, seq uint32) int {
	if uint(array) >= uint(f.geo.Boards) || uint(writer) >= uint(f.ranks) {
		return -1
	}
	return (array*FlagLines+int(seq%FlagLines))*f.ranks + writer
}

// Raise writes seq, which is not 0, a mark, and at most FlagBytes bytes of data. It
// reports whether there is such a flag.
func (w *FlagWriter) Raise(array int, seq, mark uint32, data []byte) bool {
	at := w.f.flagAt(array, w.rank, seq)
	if at < 0 || len(data) > FlagInline || seq == 0 {
		return w.raiseLong(at, seq, mark, data)
	}
	own := &w.last[seq%FlagLines]
	if own.at != at || own.flag == nil {
		own.at, own.flag = at, w.flag(at)
	}
	l := &own.line
	l[0], l[1] = uint64(seq)|uint64(mark)<<32, 0
	switch len(data) {
	case 0:
	case 8:
		l[2] = binary.NativeEndian.Uint64(data)
	default:
		copy(inlineOf(l)[:], data)
	}
	ring.Publish(&w.lines[at], l)
	return true
}

// raiseLong is Raise of what does not lie in one line, or is no flag.
func (w *FlagWriter) raiseLong(at int, seq, mark uint32, data []byte) bool {
	if at < 0 || len(data) > FlagBytes || seq == 0 {
		return false
	}
	own := &w.last[seq%FlagLines]
	if own.at != at || own.flag == nil {
		own.at, own.flag = at, w.flag(at)
	}
	if own.rest == nil {
		own.rest = make([]ring.Line, restLines+moreLines)
	}
	l, rest := &own.line, data[FlagInline:]
	more := vec.Copy(memoryOf(w.f.restOf(w.lines, at)), rest)
	if more < len(rest) {
		vec.Copy(memoryOf(w.f.moreOf(w.lines, at)), rest[more:])
	}
	copy(memoryOf(own.rest), rest)
	l[0], l[1] = uint64(seq)|uint64(mark)<<32, uint64(len(data))
	*inlineOf(l) = [FlagInline]byte(data)
	ring.Publish(&w.lines[at], l)
	w.claimRest(at+w.f.ranks, len(rest))
	return true
}

// claimRest fetches n bytes of the rest of a flag, which is likely to be raised next.
func (w *FlagWriter) claimRest(at, n int) {
	if at >= w.f.flags {
		return
	}
	for i := 0; i*ring.LineBytes < n; i++ {
		ring.Prefetch(w.f.restLine(w.lines, at, i))
	}
}

// restOf returns the first part of the rest of a flag.
func (f *Fabric) restOf(lines []ring.Line, at int) []ring.Line {
	return lines[f.flags+at*restLines:][:restLines]
}

// moreOf returns the other part.
func (f *Fabric) moreOf(lines []ring.Line, at int) []ring.Line {
	return lines[f.flags*(1+restLines)+at*moreLines:][:moreLines]
}

// restLine returns a line of the rest, of both parts.
func (f *Fabric) restLine(lines []ring.Line, at, i int) *ring.Line {
	if i < restLines {
		return &f.restOf(lines, at)[i]
	}
	return &f.moreOf(lines, at)[i-restLines]
}

// flag returns what the line with a number holds.
func (w *FlagWriter) flag(at int) *flag {
	if w.raised[at] == nil {
		w.raised[at] = new(flag)
	}
	return w.raised[at]
}

// Claim fetches the line of the flag that will be raised next, which the others
// have looked at: with it at hand, raising takes half as long.
func (w *FlagWriter) Claim(array int, seq uint32) {
	if at := w.f.flagAt(array, w.rank, seq); at >= 0 {
		ring.Prefetch(&w.lines[at])
	}
}

// ErrFlag reports a flag that another than its rank has written.
var ErrFlag = errors.New("a flag of this rank has been overwritten")

// Audit reports whether the flags that were raised are as they were written.
func (w *FlagWriter) Audit() error {
	for at, own := range w.raised {
		if !holds(&w.lines[at], &own.line) {
			return ErrFlag
		}
		for i := range own.rest {
			if !holds(w.f.restLine(w.lines, at, i), &own.rest[i]) {
				return ErrFlag
			}
		}
	}
	return nil
}

// holds reports whether a line is as it was written.
func holds(l, written *ring.Line) bool {
	for i := range l {
		if atomic.LoadUint64(&l[i]) != written[i] {
			return false
		}
	}
	return true
}

// Raised reports whether the flag of writer carries seq, in the lines that Flags
// returned. If so it returns the mark and copies the payload to data, as much as there is: what
// lies beyond its length, of a flag that was raised with more than FlagInline bytes or is looked at
// for more, is left as it is.
func (f *Fabric) Raised(flags []ring.Line, array, writer int, seq uint32, data []byte) (mark uint32, raised bool) {
	at := f.flagAt(array, writer, seq)
	if uint(at) >= uint(len(flags)) {
		return 0, false
	}
	l := &flags[at]
	lead := ring.Lead(l)
	if uint32(lead) != seq {
		return 0, false
	}
	switch {
	case len(data) == 8:
		binary.NativeEndian.PutUint64(data, l[2])
	case len(data) <= FlagInline:
		copy(data, inlineOf(l)[:])
	default:
		*(*[FlagInline]byte)(data) = *inlineOf(l)
		if n := l[1]; n != 0 {
			f.takeRest(flags, at, data, n)
		}
	}
	return uint32(lead >> 32), true
}

// takeRest copies the rest of a flag with a payload of n bytes, as its writer says, to its place in data.
// If that is as long as expected, the length of the copy is not made of n: so the processor can fetch
// the rest before it has seen the line, and does not wait for one after the other.
func (f *Fabric) takeRest(flags []ring.Line, at int, data []byte, n uint64) {
	rest := memoryOf(f.restOf(flags, at))
	if n >= uint64(len(data)) {
		if got := copy(data[FlagInline:], rest); got == len(rest) {
			f.takeMore(flags, at, data)
		}
	} else if n > FlagInline {
		copy(data[FlagInline:n], rest)
		if n > FlagInline+uint64(len(rest)) {
			f.takeMore(flags, at, data[:n])
		}
	}
}

// takeMore copies what has no room in the first part of the rest to its place in data.
func (f *Fabric) takeMore(flags []ring.Line, at int, data []byte) {
	copy(data[FlagInline+restLines*ring.LineBytes:], memoryOf(f.moreOf(flags, at)))
}
