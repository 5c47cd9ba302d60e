package output

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// stampFormat is the format of the time for --timestamp-output.
const stampFormat = "15:04:05.000000 "

// A Stream is one output of one rank. sink.mu guards it.
type Stream struct {
	sink     *sink
	file     *os.File    // nil: its data come from another host
	prefix   []byte      // nil: none
	stamp    bool        // the time goes before the prefix
	prompts  bool        // an unfinished line may be a prompt
	progress bool        // an unfinished line that ends in a carriage return is progress
	partial  []byte      // an unfinished line
	middle   bool        // the beginning of that line has been written already
	returned bool        // it was written as progress
	idle     *time.Timer // runs while partial may be a prompt
}

// forward reads until the last writer has closed the pipe, or until the mux
// finishes.
func (s *Stream) forward() {
	raw, err := s.file.SyscallConn()
	if err != nil {
		return
	}
	if err = raw.Read(s.drain); errors.Is(err, os.ErrDeadlineExceeded) {
		raw.Control(func(fd uintptr) { s.drain(fd) })
	}
}

// drain forwards the available data and reports whether the pipe has reached its end. The buffer is shared:
// a stream without data costs only a goroutine.
func (s *Stream) drain(fd uintptr) (end bool) {
	for {
		s.sink.mu.Lock()
		n, err := syscall.Read(int(fd), s.sink.chunk)
		if n > 0 {
			s.take(s.sink.chunk[:n])
		}
		s.sink.mu.Unlock()
		switch {
		case n > 0 || errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EAGAIN):
			return false
		default:
			return true
		}
	}
}

// Pass passes on data that come from another host.
func (s *Stream) Pass(data []byte) {
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	if len(data) > 0 {
		s.take(data)
	}
}

// take forwards the finished lines of data and keeps the rest.
func (s *Stream) take(data []byte) {
	if s.returned {
		s.middle, s.returned = data[0] == '\n', false
	}
	if end := lastLineEnd(data); end > 0 {
		s.put(data[:end])
		data = data[end:]
	}
	if len(data) == 0 {
		return
	}
	s.partial = append(s.partial, data...)
	switch {
	case s.progress && data[len(data)-1] == '\r':
		s.write(s.partial, returned)
		s.partial, s.returned = keep(s.partial), true
	case len(s.partial) > holdBytes:
		s.flush()
	case s.prompts:
		s.awaitEnd()
	}
}

// put writes the kept data and then data, which ends with a line, in one write.
func (s *Stream) put(data []byte) {
	if len(s.partial) > 0 {
		s.partial = append(s.partial, data...)
		data = s.partial
	}
	s.write(data, finished)
	s.partial, s.middle = keep(s.partial), false
}

// flush writes an unfinished line as it is.
func (s *Stream) flush() {
	s.write(s.partial, unfinished)
	s.partial, s.middle = keep(s.partial), true
}

// end writes what is left when nothing can follow. Without prefixes, the output of the rank is not changed;
// with them, an unfinished line is ended so that the next prefix starts a new line.
func (s *Stream) end() {
	s.sink.mu.Lock()
	defer s.sink.mu.Unlock()
	if s.idle != nil {
		s.idle.Stop()
	}
	switch {
	case s.prefix != nil && (s.middle || len(s.partial) > 0):
		s.put([]byte{'\n'})
	case len(s.partial) > 0:
		s.flush()
	}
}

// write passes text to the sink, with prefixes if enabled.
func (s *Stream) write(text []byte, end ending) {
	if s.prefix != nil {
		prefix := s.prefix
		if s.stamp {
			prefix = append(time.Now().AppendFormat(nil, stampFormat), s.prefix...)
		}
		text = tagLines(s.sink.tagged[:0], prefix, text, s.middle)
		s.sink.tagged = keep(text)
	}
	s.sink.write(s, text, end)
}

// awaitEnd shows an unfinished line if its end does not come soon: it is a prompt, and a user is waiting
// for it.
func (s *Stream) awaitEnd() {
	if s.idle != nil {
		s.idle.Reset(promptIdle)
		return
	}
	s.idle = time.AfterFunc(promptIdle, func() {
		s.sink.mu.Lock()
		defer s.sink.mu.Unlock()
		if len(s.partial) > 0 {
			s.flush()
		}
	})
}
