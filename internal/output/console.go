package output

import (
	"sync"
)

// An ending is how a piece of output ends.
type ending uint8

// The endings.
const (
	finished   ending = iota // with the end of a line
	unfinished               // within a line, which may continue
	returned                 // with a carriage return: the line is progress, to be replaced by the next output
)

// erase clears a terminal's line from the cursor on.
const erase = "\x1b[K"

// A console records what was last written to the destination of a sink. Its mutex is held while something
// is written, together with the mutex of the sink.
type console struct {
	mu       sync.Mutex
	terminal bool
	open     *Stream // whose unfinished line is the last thing written, if any
	progress *Stream // whose progress line is the last thing written, if any
}

// next records output and returns what to write for it. At a terminal, where prompts and progress are
// shown, a line of another stream begins on a line of its own, and any output replaces progress. It returns
// false for progress that would spoil a prompt.
func (s *console) next(from *Stream, data []byte, end ending) ([]byte, bool) {
	others := s.terminal && s.open != nil && s.open != from
	switch {
	case others && end == returned:
		return nil, false
	case others:
		data = append([]byte{'\n'}, data...)
	case s.progress != nil && s.progress == from && len(data) > 0 && data[0] == '\n':
		// That was not progress, but a line ending in \r\n that came in two pieces.
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
