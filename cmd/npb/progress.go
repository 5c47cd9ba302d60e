package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

// terminalVariable is where mpirun tells rank 0 how many columns the terminal
// behind its standard error has: the pipe between them does not show it. Lines
// that end in a carriage return are passed on at once then.
const terminalVariable = "RHINET_TERMINAL"

const (
	defaultColumns = 80
	progressPause  = 200 * time.Millisecond // the line is written inside timed sections: seldom
)

// A progress is a line on a terminal that is replaced again and again. It
// ends in a carriage return, so that whatever comes next takes its place.
type progress struct {
	w       io.Writer
	columns int
	shown   time.Time
}

// newProgress returns the progress line of a terminal, or of a pipe that
// leads to one of the announced width, and nil for all else.
func newProgress(w io.Writer, announced string) *progress {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	columns, err := strconv.Atoi(announced)
	switch {
	case info.Mode()&os.ModeCharDevice != 0:
		return &progress{w: w, columns: defaultColumns}
	case info.Mode()&os.ModeNamedPipe != 0 && err == nil && columns > 0:
		return &progress{w: w, columns: columns}
	}
	return nil
}

// of returns the function that shows how far a kernel is: iteration k of n.
func (p *progress) of(kernel string) func(k, n int) {
	p.shown = time.Time{}
	return func(k, n int) {
		if now := time.Now(); now.Sub(p.shown) > progressPause {
			p.shown = now
			p.show(fmt.Sprintf(" %s iteration %d of %d", kernel, k, n))
		}
	}
}

// show replaces the line. The last column stays free: some terminals would
// begin a new line after it.
func (p *progress) show(text string) {
	fmt.Fprintf(p.w, "%.*s\x1b[K\r", p.columns-1, text)
}

// clear takes the line away.
func (p *progress) clear() { p.show("") }
