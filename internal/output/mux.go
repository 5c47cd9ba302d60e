package output

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

// Options say how lines are passed on.
type Options struct {
	Tag     bool // the rank in front of each line
	Stamp   bool // the time in front of each line
	Merge   bool // standard error goes to standard output
	Prompts bool // rank 0 may be prompting a user at a terminal
}

// A Mux passes on the output of all ranks, a line at a time. Streams are added by one goroutine.
type Mux struct {
	out     *sink
	err     *sink
	streams []*Stream
	running sync.WaitGroup
	opts    Options
}

// New returns a Mux without streams. failed is called when output can no longer be written.
func New(stdout, stderr io.Writer, opts Options, failed func(error)) *Mux {
	m := &Mux{out: newSink(stdout, failed), err: newSink(stderr, failed), opts: opts}
	if sameTerminal(stdout, stderr) {
		m.err.console = m.out.console
	}
	return m
}

// Forward passes on one output of a rank, which comes through a pipe that must not block. It closes the pipe.
func (m *Mux) Forward(pipe *os.File, rank int, isError bool) {
	s := m.Stream(rank, isError)
	s.file = pipe
	m.running.Go(s.forward)
}

// Stream returns a new stream for one output of a rank.
func (m *Mux) Stream(rank int, isError bool) *Stream {
	to := m.out
	if isError && !m.opts.Merge {
		to = m.err
	}
	s := &Stream{sink: to, prompts: m.opts.Prompts && rank == 0}
	s.progress = rank == 0 && to == m.err && to.console.terminal
	if m.opts.Stamp {
		s.prefix, s.stamp = []byte{}, true
	}
	if m.opts.Tag {
		s.prefix = prefix(rank)
	}
	m.streams = append(m.streams, s)
	return s
}

// Go runs a function that passes output to streams; Finish waits for it.
func (m *Mux) Go(pass func()) { m.running.Go(pass) }

// Finish passes on what the pipes still hold when all ranks have ended, then the unfinished lines, in order
// of ranks. It does not wait for processes that escaped with an open pipe.
func (m *Mux) Finish() {
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

// Writes counts the writes that have completed. It does not wait.
func (m *Mux) Writes() uint64 { return m.out.writes.Load() + m.err.writes.Load() }

// Message writes a message of the launcher to the error output, on lines of its own.
func (m *Mux) Message(text string) {
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
	return &sink{w: w, chunk: make([]byte, chunkBytes), console: &console{terminal: Columns(w) > 0}, failed: failed}
}

// write writes data, which ends as end says, to the sink. Progress is dropped while a prompt waits for its
// answer.
func (k *sink) write(from *Stream, data []byte, end ending) {
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
