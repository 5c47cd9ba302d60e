package mpi

import (
	"fmt"
	"strings"
)

// Reports name the call of the program in which a rank waits. Where the program has not named the message that the call
// waits for, a note says instead what that is for, and the tag is not shown: see llc.Request.Label.

// noted returns the label of waits in a call, with a note.
func noted(call, note string) string { return call + " " + note }

// callOf returns the call of a label.
func callOf(label string) string {
	call, _, _ := strings.Cut(label, " ")
	return call
}

// relabel makes the labels of waits that name the window.
func (w *window) relabel() {
	w.starting, w.ending = noted("Start", "window "+w.c.name), noted("Wait", "window "+w.c.name)
}

// locking returns the label of a wait for the lock of a rank of the window, if it is not known which rank has it.
func (c *Comm) locking(call string, target int) string {
	return noted(call, fmt.Sprintf("target %d, window %s", target, c.name))
}

// label has reports show the wait for r by a label.
func (r *Request) label(text string) {
	if p := r.active(); p != nil && p.started() && p.phase != gone {
		p.Label, p.phase = text, begun
	}
}
