package launch

import (
	"io"
	"os"
	"sync"
)

// An ending is how a piece of output ends.
type ending uint8

// The endings.
const (
	finished   ending = iota // with the end of a line
	unfinished               // within a line, whose end may follow
	returned                 // with a carriage return: the line is progress, to be replaced by what comes next
)

// erase clears a terminal's line from the cursor on.
const erase = "\x1b[K"

// A console is what was written last where a sink leads to. Its mutex is held
// while something is written; who holds it holds the sink's, too.
type console struct {
	mu       sync.Mutex
	terminal bool
	open     *stream // whose unfinished line is the last thing written, if any
	progress *stream // whose progress line is the last thing written, if any
}

// next takes note of output and returns what to write for it. At a terminal,
// where prompts and progress are shown, the line of another stream begins on
// a line of its own, and everything takes the place of progress. It returns false
// for progress that would spoil a prompt.
func (s *console) next(from *stream, data []byte, end ending) ([]byte, bool) {
	others := s.terminal && s.open != nil && s.open != from
	switch {
	case others && end == returned:
		return nil, false
	case others:
		data = append([]byte{'\n'}, data...)
	case s.progress != nil && s.progress == from && len(data) > 0 && data[0] == '\n':
		// That was no progress, but a line with both ends, which came in two pieces.
	case s.progress != nil:
		data = append([]byte(erase), data...)
	}
	s.open, s.progress = nil, nil
	switch end {
	case unfinished:
		s.open = from
	case returned:
		s.progress = from
	}
	return data, true
}

// Columns of a terminal that does not say how many it has.
const defaultColumns = 80

// columns returns the width of the terminal that w is, 0 if it is none.
func columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !isTerminal(f) {
		return 0
	}
	if n := width(f); n > 0 {
		return n
	}
	return defaultColumns
}

// sameTerminal reports whether two writers lead to one terminal.
func sameTerminal(a, b io.Writer) bool {
	if columns(a) == 0 || columns(b) == 0 {
		return false
	}
	ia, errA := a.(*os.File).Stat()
	ib, errB := b.(*os.File).Stat()
	return errA == nil && errB == nil && os.SameFile(ia, ib)
}
