// Package bar shows on a terminal how far a command is.
package bar

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
)

// A Bar shows on a terminal how far a command is; nothing elsewhere.
type Bar struct {
	errs  io.Writer
	shown *progressbar.ProgressBar
	all   int
}

// New returns the bar of a writer, which shows nothing if that is no terminal
// or quiet is asked for.
func New(errs io.Writer, quiet bool) *Bar {
	if quiet || !isTerminal(errs) {
		errs = nil
	}
	return &Bar{errs: errs}
}

// Step says what is under way when so many of all are done. A new number of all
// begins anew.
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

// End takes the bar away; what is printed next stands in its place.
func (b *Bar) End() {
	if b.shown != nil {
		b.shown.Finish()
		b.shown = nil
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
