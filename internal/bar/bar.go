// Package bar shows the progress of a command on a terminal.
package bar

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A Bar shows the progress of a command on a terminal, and nothing elsewhere.
type Bar struct {
	errs  io.Writer
	shown *progressbar.ProgressBar
	all   int
}

// New returns a bar that is shown on errs. It shows nothing if errs is not a terminal or quiet is set.
func New(errs io.Writer, quiet bool) *Bar {
	if quiet || !isTerminal(errs) {
		errs = nil
	}
	return &Bar{errs: errs}
}

// Step shows that done of all steps are done, and what is in progress. Another value of all starts a new
// bar.
func (b *Bar) Step(done, all int, what string) {
	if b.errs == nil {
		return
	}
	if b.shown == nil || all != b.all {
		b.End()
		b.all = all
		b.shown = progressbar.NewOptions(all,
			progressbar.OptionSetWriter(b.errs), progressbar.OptionSetPredictTime(true), progressbar.OptionSetElapsedTime(true),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(20), progressbar.OptionThrottle(100*time.Millisecond))
	}
	b.shown.Describe(what)
	b.shown.Set(done)
}

// End removes the bar; the next output takes its place.
func (b *Bar) End() {
	if b.shown != nil {
		b.shown.Finish()
		b.shown = nil
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
