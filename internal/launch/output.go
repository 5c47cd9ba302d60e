package launch

import (
	"io"
	"os"
	"sync"
	"time"
)

const (
	chunkBytes = 64 << 10              // read at once; what a pipe holds by default
	holdBytes  = 64 << 20              // a longer line is passed on in pieces
	promptIdle = 40 * time.Millisecond // after this silence an unfinished line is a prompt
)

// A mux forwards the output of all ranks, a line at a time.
type mux struct {
	out     *sink
	err     *sink
	streams []*stream // appended by the parent only
	running sync.WaitGroup
	tag     bool
	prompts bool // rank 0 may be talking to someone at a terminal
}

// newMux returns a mux without streams. failed is called when output cannot be
// written any more.
func newMux(stdout, stderr io.Writer, tag, prompts bool, failed func(error)) *mux {
	return &mux{
		out:     newSink(stdout, failed),
		err:     newSink(stderr, failed),
		tag:     tag,
		prompts: prompts,
	}
}

// open makes the pipe for one output of a rank and starts to forward it. It
// returns the end for the rank, which the caller closes after the fork.
func (m *mux) open(rank int, to *sink) (int, error) {
	r, w, err := pipe()
	if err != nil {
		return -1, err
	}
	s := &stream{sink: to, file: os.NewFile(uintptr(r), "output"), prompts: m.prompts && rank == 0}
	if m.tag {
		s.prefix = prefix(rank)
	}
	m.streams = append(m.streams, s)
	m.running.Go(s.forward)
	return w, nil
}

// finish forwards what the pipes still hold when every rank is gone, then the
// unfinished lines, in the order of the ranks. It does not wait for processes
// that escaped with an open pipe.
func (m *mux) finish() {
	for _, s := range m.streams {
		s.file.SetReadDeadline(time.Now())
	}
	m.running.Wait()
	for _, s := range m.streams {
		s.end()
		s.file.Close()
	}
}

// message writes the launcher's own words to the error output, on lines of
// their own.
func (m *mux) message(text string) {
	// Both outputs are often one terminal. A blocked output is left alone.
	if m.out.mu.TryLock() {
		if m.out.open != nil && isTerminalWriter(m.out.w) {
			m.out.write(nil, []byte{'\n'}, false)
		}
		m.out.mu.Unlock()
	}
	m.err.mu.Lock()
	defer m.err.mu.Unlock()
	if m.err.open != nil {
		m.err.write(m.err.open, []byte{'\n'}, false)
	}
	m.err.write(nil, []byte(text), false)
}

// A sink is where lines end up. mu guards it and the streams that lead to it.
type sink struct {
	mu     sync.Mutex
	w      io.Writer
	chunk  []byte  // every stream reads into it
	tagged []byte  // lines with their prefixes
	open   *stream // stream whose unfinished line is the last thing written, if any
	broken bool    // writing has failed
	failed func(error)
}

func newSink(w io.Writer, failed func(error)) *sink {
	return &sink{w: w, chunk: make([]byte, chunkBytes), failed: failed}
}

// write puts data on the sink. unfinished says that its last line has no end
// yet. At a terminal, where prompts are shown, the line of another stream
// begins on a line of its own.
func (k *sink) write(from *stream, data []byte, unfinished bool) {
	if k.broken {
		return
	}
	if k.open != nil && k.open != from && isTerminalWriter(k.w) {
		data = append([]byte{'\n'}, data...)
	}
	k.open = nil
	if unfinished {
		k.open = from
	}
	if _, err := k.w.Write(data); err != nil {
		k.broken = true
		k.failed(err)
	}
}

// isTerminalWriter reports whether w is a terminal.
func isTerminalWriter(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && isTerminal(f)
}
