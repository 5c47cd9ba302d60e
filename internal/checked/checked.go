// Package checked wraps the standard output of commands that print in many places: it remembers that a
// write has failed, so that the command ends with an error and not with success.
package checked

import (
	"fmt"
	"io"
	"sync"
)

// A Writer writes to W and remembers the first error. It may be used by many
// goroutines.
type Writer struct {
	W io.Writer

	mu  sync.Mutex
	err error
}

// Write writes to W.
func (w *Writer) Write(p []byte) (int, error) {
	n, err := w.W.Write(p)
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.err == nil {
			w.err = err
		}
	}
	return n, err
}

// Status returns the exit status of the command called name: status, or, if that is 0 and a write has
// failed, 1 after a message on errs.
func (w *Writer) Status(name string, errs io.Writer, status int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil || status != 0 {
		return status
	}
	fmt.Fprintf(errs, "%s: cannot write the output: %v\n", name, w.err)
	return 1
}
