package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"golang.org/x/term"
)

// terminalVariable is the variable in which mpirun tells rank 0 the number of columns of the terminal
// behind its standard error, which the pipe between them hides. If it is set, mpirun passes on lines that
// end in a carriage return at once.
const terminalVariable = "RHINET_TERMINAL"

const (
	defaultColumns = 80
	progressPause  = 200 * time.Millisecond // the line is written inside timed sections: rarely
)

// A progress is a line on a terminal that is replaced repeatedly. It ends in a carriage return, so that the
// next output replaces it.
type progress struct {
	w       io.Writer
	columns int
	shown   time.Time
}

// newProgress returns the progress line for a terminal, or for a pipe to a terminal of the announced width,
// otherwise nil.
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
	case term.IsTerminal(int(f.Fd())):
		return &progress{w: w, columns: defaultColumns}
	case info.Mode()&os.ModeNamedPipe != 0 && err == nil && columns > 0:
		return &progress{w: w, columns: columns}
	}
	return nil
}

// of returns the function that shows the progress of a kernel: iteration k of n.
func (p *progress) of(kernel string) func(k, n int) {
	p.shown = time.Time{}
	return func(k, n int) {
		if now := time.Now(); now.Sub(p.shown) > progressPause {
			p.shown = now
			p.show(fmt.Sprintf(" %s iteration %d of %d", kernel, k, n))
		}
	}
}

// show replaces the line. The last column stays empty: some terminals would begin a new line after it.
func (p *progress) show(text string) {
	fmt.Fprintf(p.w, "%.*s\x1b[K\r", p.columns-1, text)
}

// clear removes the line.
func (p *progress) clear() { p.show("") }
