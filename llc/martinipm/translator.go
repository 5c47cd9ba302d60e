package martinipm

import (
	"encoding/binary"
	"errors"

	"rhinet/llc/ir"
	"rhinet/llc/martini/endpoint"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/pm"
)

// messages is what the translator needs of PM: besides its calls, the true source of a message, to compare
// the header with.
type messages interface {
	pm.Messages
	Source() int
	Audit() error
	Close() error
}

// A Translator drives the NIC of one rank through PM.
type Translator struct {
	endpoint.Endpoint
	pm   messages
	caps ir.Caps
	held bool // Poll has given a message that is not released

	oneRing bool // all sources share one ring
}

var (
	_ ir.Translator = (*Translator)(nil)
	_ ir.Auditor    = (*Translator)(nil)
)

// The header of a packet in a PM message. PM does not say who sent a message,
// so the header does.
//
//	0-3   kind, flags, context
//	4-7   tag
//	8-15  word
//	16-19 source
//	20-23 check of the others
//
// A header that was overwritten would name another message, and the receiver of the one that was sent would
// wait for ever: so it carries a check.
const headerBytes = 24

// eager is the largest message, in bytes, that is copied although RMA could move it (pm-messaging,
// section 1.8).
const eager = 16 << 10

// OpenRHiNET connects a rank to its NIC through PM/RHiNET with the options of that layer. The fabric has the
// memory that [pm.Geometry] asks for.
func OpenRHiNET(f *fabric.Fabric, rank int, o martini.Options, p pm.Options) (*Translator, error) {
	name := "martini:pm"
	if p.Throttle != pm.Off {
		name += ":throttle=" + p.Throttle.String()
	}
	return open(f, rank, o, name, func(n *martini.NIC) (messages, error) { return pm.NewRHiNET(n, p) })
}

// OpenVP connects a rank to its NIC through PM/RHiNET-VP.
func OpenVP(f *fabric.Fabric, rank int, o martini.Options) (*Translator, error) {
	t, err := open(f, rank, o, "martini:vp", func(n *martini.NIC) (messages, error) { return pm.NewVP(n), nil })
	if err == nil {
		t.caps.Remote = false // no PULL from a node that receives by VPUSH
		t.oneRing = true
	}
	return t, err
}

func open(f *fabric.Fabric, rank int, o martini.Options, name string, layer func(*martini.NIC) (messages, error)) (*Translator, error) {
	end, err := endpoint.Open(f, rank, o)
	if err != nil {
		return nil, err
	}
	m, err := layer(end.NIC())
	if err != nil {
		return nil, errors.Join(err, end.Close())
	}
	end.KeepPinned() // as PM does under rendezvous (pm-messaging, sections 1.8, 3.1)
	return &Translator{Endpoint: end, pm: m, caps: ir.Caps{
		Name: name, Slots: 64, Bytes: 64 * 2048, // of the only ring to a peer
		Remote: end.NIC().Remote(), Fragment: m.MaxMessage() - headerBytes, Eager: eager, Copies: 1,
	}}, nil
}

// Caps returns what the engine must know of the NIC.
func (t *Translator) Caps() ir.Caps { return t.caps }

// Close withdraws all registrations. A rank that aborts keeps that status.
func (t *Translator) Close() error { return errors.Join(t.pm.Close(), t.Endpoint.Close()) }

// Hint does nothing: a PM message comes from any peer. Every pass of PM looks everywhere, so a Poll after Arm
// misses nothing.
func (t *Translator) Hint(int) {}

// Poll gives the next answer, or if there is none the next message.
func (t *Translator) Poll(ev *ir.Event) bool {
	t.release()
	if t.Answered() {
		t.Next(ev)
		return true
	}
	msg, err := t.pm.Receive()
	for err == nil && t.Gone(t.pm.Source()) { // nothing of a peer arrives after its end
		t.held = true
		t.release()
		msg, err = t.pm.Receive()
	}
	if err == pm.ErrNoMessage {
		return false
	}
	if err != nil {
		return t.corrupt(ev, err)
	}
	t.held = true
	source := int32(t.pm.Source())
	if len(msg) < headerBytes || int32(binary.LittleEndian.Uint32(msg[16:])) != source || binary.LittleEndian.Uint32(msg[20:]) != check(msg) {
		t.Lose(int(source), errForged)
		if !t.Answered() {
			return false // reported before; the message is released by the next Poll
		}
		t.Next(ev)
		return true
	}
	t.Arrived(ev, int(source), msg)
	return true
}

// release gives back the message that the latest Poll gave.
func (t *Translator) release() {
	if t.held {
		t.held = false
		_ = t.pm.ReleaseReceiveBuffer() // it is held, so there is no error
	}
}

// corrupt reports what PM could not read: the end of its source, or of all peers if all share a ring.
func (t *Translator) corrupt(ev *ir.Event, err error) bool {
	if t.LoseFrom(t.culprit(err), err); !t.Answered() {
		return false
	}
	t.Next(ev)
	return true
}

// errForged reports a message that no translator can have sent.
var errForged = errors.New("llc/martinipm: a message without header, or with one that its sender did not write")

// put makes a packet's header.
func (t *Translator) put(b []byte, h *ir.Header) {
	t.PutHeader(b, h)
	binary.LittleEndian.PutUint32(b[20:], check(b))
}

// check returns a value that hardly any other header of message b has.
func check(b []byte) uint32 {
	x := uint64(len(b))
	for i := 0; i < 16; i += 8 {
		x = (x ^ binary.LittleEndian.Uint64(b[i:])) * 0xff51afd7ed558ccd
		x ^= x >> 32
	}
	x = (x ^ uint64(binary.LittleEndian.Uint32(b[16:]))) * 0xff51afd7ed558ccd
	return uint32(x >> 32)
}

// Audit records what this rank has sent, and looks for messages that were overwritten before they were seen.
func (t *Translator) Audit() {
	if t.held {
		t.held = false
		_ = t.pm.ReleaseReceiveBuffer() // it is held, so there is no error
	}
	if err := t.pm.Audit(); err != nil {
		t.LoseFrom(t.culprit(err), err)
	}
}

// culprit returns the peer from which nothing more comes after err, negative for all.
func (t *Translator) culprit(err error) int {
	if c := new(pm.CorruptError); errors.As(err, &c) && !t.oneRing {
		return c.Source
	}
	return -1
}
