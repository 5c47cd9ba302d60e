package mpi

import (
	"fmt"
	"strings"

	"rhinet/llc"
)

// Reports name the call of the program in which a rank waits. Where the program has not named the message that the call
// waits for, a note says instead what that is for, and the tag is not shown: see llc.Request.Label.

// noted returns the label of waits in a call, with a note.
func noted(call, note string) string { return call + " " + note }

// A partLabel is the label of waits for what a call has begun. It makes a label once.
type partLabel struct{ many, call, text string }

// in returns the label of a wait for what call has begun in the call many, which waits for several requests; if many is
// empty, of one in call.
func (l *partLabel) in(many, call string) string {
	switch {
	case many == "":
		return call
	case l.many != many || l.call != call:
		*l = partLabel{many, call, noted(many, call)}
	}
	return l.text
}

// callOf returns the call of a label.
func callOf(label string) string {
	call, _, _ := strings.Cut(label, " ")
	return call
}

// unattended returns the label of waits of the runtime for what a call has begun, while the program does not wait for
// it. It is empty in virtual time, where all waits of a rank count.
func (c *core) unattended(call string) string {
	if c.w.Clock != nil {
		return ""
	}
	return noted(llc.Serving, call)
}

// messagesOf returns the call that the messages with a label belong to, or "".
func messagesOf(label string) string {
	if call, note, _ := strings.Cut(label, " "); call == llc.Serving {
		return note
	}
	return callOf(label)
}

// tagged returns the label of waits in a call of some ranks that make a communicator together, by its tag.
func tagged(call string, tag any) string { return noted(call, fmt.Sprintf("tag %#v", tag)) }

// relabel makes the labels of waits that name the window.
func (w *window) relabel() {
	w.starting, w.ending = noted("Start", "window "+w.c.name), noted("Wait", "window "+w.c.name)
}

// locking returns the label of a wait for the lock of a rank of the window, if it is not known which rank has it.
func (c *Comm) locking(call string, target int) string {
	return noted(call, fmt.Sprintf("target %d, window %s", target, c.name))
}

// label has reports show the wait for r by a label, unless that is empty.
func (r *Request) label(text string) {
	p := r.active()
	if text == "" || p == nil || !p.started() || p.phase == gone {
		return
	}
	if p.Label = text; p.phase == handed {
		p.phase = begun // so that the label does not stay
	}
}

// reports reports whether the transport reports waits, and does not look again and again where a condition may end one.
func (c *core) reports() bool { return c.w.Clock == nil && c.t.Carrier() != nil }

// rouse has waits of this rank for what another goroutine does look again.
func (c *core) rouse() {
	if c.w.Clock == nil {
		c.t.Wake(c.w.Rank)
	}
}
