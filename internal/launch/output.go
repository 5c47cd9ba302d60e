package launch

import (
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	chunkBytes = 64 << 10              // read at once; what a pipe holds by default
	holdBytes  = 64 << 20              // longer lines are passed on in pieces
	promptIdle = 40 * time.Millisecond // an unfinished line is a prompt after no output for this time
)

// A mux forwards the output of all ranks, a line at a time.
type mux struct {
	out     *sink
	err     *sink
	streams []*stream // appended while ranks are started
	running sync.WaitGroup
	tag     bool
	stamp   bool
	merge   bool // standard error goes to standard output
	prompts bool // rank 0 may be prompting a user at a terminal
}

// newMux returns a mux without streams. failed is called when output can no longer be written.
func newMux(stdout, stderr io.Writer, tag, prompts bool, failed func(error)) *mux {
	m := &mux{
		out:     newSink(stdout, failed),
		err:     newSink(stderr, failed),
		tag:     tag,
		prompts: prompts,
	}
	if sameTerminal(stdout, stderr) {
		m.err.console = m.out.console
	}
	return m
}

// open makes the pipe for one output of a rank and starts to forward it. It returns the rank's end, which
// the caller closes after the fork.
func (m *mux) open(rank int, isError bool) (int, error) {
	r, w, err := pipe()
	if err != nil {
		return -1, err
	}
	s := m.stream(rank, isError)
	s.file = os.NewFile(uintptr(r), "output")
	m.running.Go(s.forward)
	return w, nil
}

// stream returns a new stream for one output of a rank.
func (m *mux) stream(rank int, isError bool) *stream {
	to := m.out
	if isError && !m.merge {
		to = m.err
	}
	s := &stream{sink: to, prompts: m.prompts && rank == 0}
	s.progress = rank == 0 && to == m.err && to.console.terminal
	if m.stamp {
		s.prefix, s.stamp = []byte{}, true
	}
	if m.tag {
		s.prefix = prefix(rank)
	}
	m.streams = append(m.streams, s)
	return s
}

// finish forwards what the pipes still hold when all ranks have ended, then the unfinished lines, in order
// of ranks. It does not wait for processes that escaped with an open pipe.
func (m *mux) finish() {
	for _, s := range m.streams {
		if s.file != nil {
			s.file.SetReadDeadline(time.Now())
		}
	}
	m.running.Wait()
	for _, s := range m.streams {
		s.end()
		if s.file != nil {
			s.file.Close()
		}
	}
	m.err.mu.Lock()
	defer m.err.mu.Unlock()
	if m.err.console.progress != nil {
		m.err.write(nil, nil, finished)
	}
}

// writes counts the writes that have completed. It does not wait.
func (m *mux) writes() uint64 { return m.out.writes.Load() + m.err.writes.Load() }

// message writes a message of the launcher to the error output, on lines of its own.
func (m *mux) message(text string) {
	m.err.mu.Lock()
	defer m.err.mu.Unlock()
	if k := m.err; k.console.open != nil && !k.console.terminal {
		k.write(k.console.open, []byte{'\n'}, finished)
	}
	m.err.write(nil, []byte(text), finished)
}

// A sink is a destination of lines. mu guards it and the streams that write to it.
type sink struct {
	mu      sync.Mutex
	w       io.Writer
	chunk   []byte   // buffer that every stream reads into
	tagged  []byte   // lines with their prefixes
	console *console // shared by both sinks if they are one terminal
	broken  bool     // writing has failed
	writes  atomic.Uint64
	failed  func(error)
}

func newSink(w io.Writer, failed func(error)) *sink {
	return &sink{w: w, chunk: make([]byte, chunkBytes), console: &console{terminal: columns(w) > 0}, failed: failed}
}

// write writes data, which ends as end says, to the sink. Progress is dropped while a prompt waits for its
// answer.
func (k *sink) write(from *stream, data []byte, end ending) {
	if k.broken {
		return
	}
	k.console.mu.Lock()
	defer k.console.mu.Unlock()
	data, ok := k.console.next(from, data, end)
	if !ok {
		return
	}
	if _, err := k.w.Write(data); err != nil {
		k.broken = true
		k.failed(err)
	}
	k.writes.Add(1)
}
