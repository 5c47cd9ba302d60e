package fabric

import (
	"encoding/binary"
	"errors"
	"sync/atomic"

	"rhinet/internal/ring"
)

// FlagBytes is the payload of a flag: what follows the first two words of its
// line, of which the first carries the sequence.
const FlagBytes = 48

// A FlagWriter raises the flags of one rank in the shared flag arrays: lines of
// the job, by array, sequence (modulo [FlagLines]) and rank. All ranks can read
// them, so however many look, a flag is one line, written once. It belongs to one goroutine
// at a time. Whether the rank may write there is for its NIC to know.
type FlagWriter struct {
	f      *Fabric
	rank   int
	lines  []ring.Line
	raised map[int]*ring.Line // what the own lines hold, by number
	last   [FlagLines]flag    // where of raised that is, for the array used last by turn
}

// A flag is the own line of one array and turn.
type flag struct {
	at   int
	line *ring.Line // nil: none
}

// FlagWriter returns what raises the flags of a rank.
func (f *Fabric) FlagWriter(rank int) *FlagWriter {
	return &FlagWriter{f: f, rank: rank, lines: f.Flags(), raised: map[int]*ring.Line{}}
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
	if at < 0 || len(data) > FlagBytes || seq == 0 {
		return false
	}
	own := &w.last[seq%FlagLines]
	if own.at != at || own.line == nil {
		w.turn(own, at)
	}
	l := own.line
	l[0] = uint64(seq) | uint64(mark)<<32
	switch len(data) {
	case 0:
	case 8:
		l[2] = binary.NativeEndian.Uint64(data)
	default:
		copy(LineBytes(l)[ring.LineBytes-FlagBytes:], data)
	}
	ring.Publish(&w.lines[at], l)
	return true
}

// turn makes own the line with a number.
func (w *FlagWriter) turn(own *flag, at int) {
	if w.raised[at] == nil {
		w.raised[at] = new(ring.Line)
	}
	*own = flag{at, w.raised[at]}
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
	for at, l := range w.raised {
		for i := range l {
			if atomic.LoadUint64(&w.lines[at][i]) != l[i] {
				return ErrFlag
			}
		}
	}
	return nil
}

// Raised reports whether the flag of writer carries seq, in the lines that Flags
// returned. If so it returns the mark and copies the payload to data.
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
	if len(data) == 8 {
		binary.NativeEndian.PutUint64(data, l[2])
	} else {
		copy(data, LineBytes(l)[ring.LineBytes-FlagBytes:])
	}
	return uint32(lead >> 32), true
}
