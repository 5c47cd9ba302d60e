package fabric

import (
	"encoding/binary"
	"errors"
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/internal/vec"
)

// FlagBytes is the largest payload of a flag.
const FlagBytes = FlagInline + restLines*ring.LineBytes

// A flag is a line:
//
//	word 0    sequence, mark
//	word 1    length of the payload, if there is more in the flag's rest; else 0
//	word 2-7  the first FlagInline bytes of the payload
//
// The rest of a payload of at most FlagPair bytes is in the line behind: processors fetch such pairs together, so
// that it takes little longer than a payload in one line. That of a longer one is restLines lines in pieces, which
// lie in different places: the front lines of all ranks for one sequence lie together, and the short payloads,
// which most are, do not share pages with long ones. The rest is written before the line, and read after it.
const (
	FlagInline = 48
	FlagPair   = FlagInline + ring.LineBytes

	// FlagFront is the lines with which a flag begins: its own, and the one behind.
	FlagFront = 2

	restLines = 65

	flagGroup  = 32 // a power of two, at most FlagLines
	flagStride = 11 // odd, so that no two sequences of a group have one place
)

// pieceLines are the lines of the pieces of a rest, and pieceStart the lines of a rest before each.
var (
	pieceLines = [...]int{8, 9, 48}
	pieceStart = [...]int{0, 8, 17}
)

// FlagPieces returns the bytes of each piece of a rest. One piece of all flags lies after the other, in the
// order of the flags, after the front lines of all.
func FlagPieces() (bytes []int) {
	for _, n := range pieceLines {
		bytes = append(bytes, n*ring.LineBytes)
	}
	return bytes
}

// A FlagWriter raises the flags of one rank in the shared flag arrays: lines of the job, by array,
// sequence (modulo [FlagLines]) and rank. All ranks can read them, so a flag is written once for
// any number of readers. A FlagWriter belongs to one goroutine at a time. The NIC checks whether
// the rank may write there.
type FlagWriter struct {
	f      *Fabric
	rank   int
	lines  []ring.Line
	raised []*raisedFlags // by array; nil: none was raised
}

// A raisedFlags is what the lines of this rank in an array and their rests hold, by sequence modulo
// [FlagLines].
type raisedFlags struct {
	line [FlagLines]ring.Line   // all zero: never raised
	next [FlagLines]ring.Line   // the line behind
	rest [FlagLines][]ring.Line // nil: never written
}

// FlagWriter returns the writer of the flags of a rank.
func (f *Fabric) FlagWriter(rank int) *FlagWriter {
	return &FlagWriter{f: f, rank: rank, lines: f.Flags(), raised: make([]*raisedFlags, f.geo.FlagArrays)}
}

// flagAt returns the number of a flag's line, or -1.
func (f *Fabric) flagAt(array, writer int, seq uint32) int {
	if uint(array) >= uint(f.geo.FlagArrays) || uint(writer) >= uint(f.ranks) {
		return -1
	}
	return FlagFront * ((array*FlagLines+FlagPlace(seq))*f.ranks + writer)
}

// FlagPlace returns the place of a sequence among the FlagLines of an array. Consecutive ones lie flagStride places
// apart within flagGroup of them: a processor that reads lines at a constant distance, of up to half a page, also
// prefetches the next one, which its writer has just prefetched to raise it. A barrier of two takes 0.95 of the time.
func FlagPlace(seq uint32) int {
	return int(seq%FlagLines&^(flagGroup-1) | seq*flagStride%flagGroup)
}

// Raise writes seq, which is not 0, a mark, and at most FlagBytes bytes of data. It reports whether
// such a flag exists.
func (w *FlagWriter) Raise(array int, seq, mark uint32, data []byte) bool {
	at := w.f.flagAt(array, w.rank, seq)
	if at < 0 || seq == 0 || len(data) > FlagBytes {
		return false
	}
	own := w.raised[array]
	if own == nil {
		own = new(raisedFlags)
		w.raised[array] = own
	}
	l, n := &own.line[seq%FlagLines], 0
	if l[0] == 0 {
		w.f.readyFlags(at)
	}
	switch {
	case len(data) == 0:
	case len(data) == 8:
		l[2] = binary.NativeEndian.Uint64(data)
	case len(data) <= FlagInline:
		copy(inlineOf(l)[:], data)
	default:
		n = len(data)
		*inlineOf(l) = [FlagInline]byte(data)
		if rest := data[FlagInline:]; n > FlagPair {
			w.writeRest(own, at, seq, rest)
		} else {
			next := &own.next[seq%FlagLines]
			copy(LineBytes(next)[:], rest)
			w.lines[at+1] = *next
		}
	}
	l[0], l[1] = uint64(seq)|uint64(mark)<<32, uint64(n)
	ring.Publish(&w.lines[at], l)
	return true
}

// writeRest writes the pieces of a flag.
func (w *FlagWriter) writeRest(own *raisedFlags, at int, seq uint32, rest []byte) {
	kept := &own.rest[seq%FlagLines]
	*kept = keep(*kept, rest)
	for k := 0; len(rest) > 0; k++ {
		rest = rest[vec.Copy(memoryOf(w.f.piece(w.lines, at, k)), rest):]
	}
}

// keep returns kept with what is about to be written to the rest, for an audit. The last piece, which is
// long, counts only once something is written there.
func keep(kept []ring.Line, rest []byte) []ring.Line {
	n := pieceStart[len(pieceStart)-1]
	if len(rest) > n*ring.LineBytes {
		n = restLines
	}
	if n > len(kept) {
		longer := make([]ring.Line, n)
		copy(longer, kept)
		kept = longer
	}
	copy(memoryOf(kept), rest)
	return kept
}

// piece returns piece number k of the rest of a flag, whose memory this process has mapped then.
func (f *Fabric) piece(lines []ring.Line, at, k int) []ring.Line {
	n := pieceLines[k]
	first := f.flags*(FlagFront+pieceStart[k]) + at/FlagFront*n
	if f.unready(first) {
		f.readyFlags(first)
	}
	return lines[first : first+n]
}

// restLine returns line i of the rest, counted over all pieces.
func (f *Fabric) restLine(lines []ring.Line, at, i int) *ring.Line {
	k := 0
	for i >= pieceStart[k]+pieceLines[k] {
		k++
	}
	return &f.piece(lines, at, k)[i-pieceStart[k]]
}

// Prefetch fetches the lines of a flag that will be raised soon with a payload of n bytes: other ranks have
// read them. With the line in its cache, raising takes the writer half as long.
func (w *FlagWriter) Prefetch(array int, seq uint32, n int) {
	at := w.f.flagAt(array, w.rank, seq)
	if at < 0 {
		return
	}
	ring.Prefetch(&w.lines[at])
	switch {
	case n > FlagPair:
		w.prefetchRest(at, n)
	case n > FlagInline:
		ring.Prefetch(&w.lines[at+1])
	}
}

// prefetchRest fetches the lines of a rest.
func (w *FlagWriter) prefetchRest(at, n int) {
	rest := (n - FlagInline + ring.LineBytes - 1) / ring.LineBytes
	for k := 0; rest > 0 && k < len(pieceLines); k++ {
		lines := w.f.piece(w.lines, at, k)
		ring.PrefetchLines(lines[:min(rest, len(lines))])
		rest -= len(lines)
	}
}

// ErrFlag reports a flag that was overwritten, not by its rank.
var ErrFlag = errors.New("a flag of this rank has been overwritten")

// Audit reports whether the raised flags are as they were written.
func (w *FlagWriter) Audit() error {
	for array, own := range w.raised {
		if own == nil {
			continue
		}
		for i := range own.line {
			if !own.holds(i, w.f, w.lines, w.f.flagAt(array, w.rank, uint32(i))) {
				return ErrFlag
			}
		}
	}
	return nil
}

// holds reports whether flag i, which has that number in the job, is as it was written; one that was never
// raised is not looked at.
func (own *raisedFlags) holds(i int, f *Fabric, lines []ring.Line, at int) bool {
	if own.line[i][0] == 0 {
		return true
	}
	for k := range own.rest[i] {
		if !holds(f.restLine(lines, at, k), &own.rest[i][k]) {
			return false
		}
	}
	return holds(&lines[at+1], &own.next[i]) && holds(&lines[at], &own.line[i])
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

// Raised reports whether the flag of writer carries seq, in the lines that Flags returned. If so it
// returns the mark and copies the payload to data. If the payload is shorter than data, and data or
// the payload has more than FlagInline bytes, the bytes of data beyond the payload are unchanged.
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
		switch n := l[1]; {
		case n > FlagPair:
			f.takeRest(flags, at, data, n)
		case n > FlagInline:
			copy(data[FlagInline:], LineBytes(&flags[at+1])[:n-FlagInline])
		}
	}
	return uint32(lead >> 32), true
}

// takeRest copies the rest of a flag to data after its first FlagInline bytes; n is the length of
// the payload according to its writer. If that is at least the expected length, the length of the
// copy does not depend on n: so the processor can fetch the rest before it has the line, rather
// than one after the other.
func (f *Fabric) takeRest(flags []ring.Line, at int, data []byte, n uint64) {
	if n >= uint64(len(data)) {
		f.takePieces(flags, at, data[FlagInline:])
	} else {
		f.takePieces(flags, at, data[FlagInline:n])
	}
}

// takePieces fills into with the beginning of the rest, as far as that goes.
func (f *Fabric) takePieces(flags []ring.Line, at int, into []byte) {
	for k := 0; len(into) > 0 && k < len(pieceLines); k++ {
		into = into[copy(into, memoryOf(f.piece(flags, at, k))):]
	}
}
