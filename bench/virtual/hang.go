package virtual

import (
	"errors"
	"fmt"
	"strings"

	"rhinet/llc/ir"
	"rhinet/llc/port"
)

// ErrHang reports a program whose ranks wait for each other.
var ErrHang = errors.New("the program hangs")

// A waiting describes the wait of a rank. The rank writes it, and the service reads it when every rank
// waits.
type waiting struct {
	port *port.Port
	is   bool
	what ir.Waiting
}

var _ ir.Reporter = (*waiting)(nil)

// Report records a long wait.
func (w *waiting) Report(what ir.Waiting) { w.is, w.what = true, what }

// Clear records its end.
func (w *waiting) Clear() { w.is = false }

// Finish is Clear: a port that parks has no wait.
func (w *waiting) Finish() { w.Clear() }

// text says where a waiting rank is: if it is not in a call, it is in Finalize.
func (w *waiting) text() string {
	if !w.is {
		return "Finalize"
	}
	s := w.what
	text := s.Call
	if s.Peer >= 0 {
		text += fmt.Sprintf(" with rank %d", s.Peer)
	}
	if s.Tag >= 0 {
		text += fmt.Sprintf(", tag %d", s.Tag)
	}
	return text
}

// mostNamed is the maximum number of ranks named in the message about a job that hangs.
const mostNamed = 4

// end ends a job in which every rank waits and nothing is in flight. It is called by the service.
func (r *running) end() {
	if r.ended.Swap(true) {
		return
	}
	var named []string
	all := 0
	for i := range r.waits {
		if w := &r.waits[i]; w.port != nil && w.port.Waiting() > 0 {
			if all++; all <= mostNamed {
				named = append(named, fmt.Sprintf("rank %d in %s", i, w.text()))
			}
		}
	}
	if all > mostNamed {
		named = append(named, fmt.Sprintf("and %d more", all-mostNamed))
	}
	r.hang = fmt.Errorf("%w: every rank waits, and nothing is under way: %s", ErrHang, strings.Join(named, "; "))
	for i := range r.waits {
		if p := r.waits[i].port; p != nil {
			go p.Abandon() // in a goroutine, because it waits for the rank's lock
		}
	}
}
