package endpoint

import (
	"rhinet/llc/ir"
	"rhinet/llc/mailbox"
	"rhinet/nicemu/fabric"
)

// Mailed is Rings for a NIC whose shared ring announces packets that others have put into a mailbox.
type Mailed struct {
	Rings
	Mail   *mailbox.In
	open   func(ev *ir.Event) bool
	forged error
}

var _ ir.Translator = (*Mailed)(nil)

// ConnectMail is [Rings.Connect] with the area of a mailbox. open turns an announcement of the NIC into the
// packet that it announces, and reports false if no correct rank can have written it: that ends the use of
// its sender, for the reason forged.
func (m *Mailed) ConnectMail(e *Endpoint, name string, nic Hardware, area []byte, open func(ev *ir.Event) bool, forged error) {
	m.Mail, m.open, m.forged = mailbox.NewIn(area, fabric.WordsOf(area), e.Peers()), open, forged
	m.Connect(e, name, nic)
}

// Poll gives the next answer, or if there is none the next arrival.
func (m *Mailed) Poll(ev *ir.Event) bool {
	m.Mail.Release()
	for m.Rings.Poll(ev) {
		if m.opened(ev) {
			return true
		}
	}
	return false
}

// PollOthers is Poll, except that it leaves out the packet ring that peer writes.
func (m *Mailed) PollOthers(peer int, ev *ir.Event) bool {
	m.Mail.Release()
	for m.Rings.PollOthers(peer, ev) {
		if m.opened(ev) {
			return true
		}
	}
	return false
}

// opened reports whether ev, opened if it is an announcement, is for the engine.
func (m *Mailed) opened(ev *ir.Event) bool {
	if ev.Kind != ir.Arrived || ev.Ring != ir.NoRing || m.open(ev) {
		return true
	}
	m.Lose(int(ev.Peer), m.forged)
	return false
}
