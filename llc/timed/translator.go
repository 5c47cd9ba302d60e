package timed

import (
	"errors"
	"fmt"
	"time"

	"rhinet/llc/ir"
	"rhinet/llc/martini/endpoint"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/timed"
	"rhinet/nicemu/vtime"
)

// A Translator is one rank in virtual time.
type Translator struct {
	endpoint.Endpoint
	node    *timed.Node
	caps    ir.Caps
	compute timed.Compute
	found   timed.Message
	head    [3]uint64
	under   transfers
	sets    setTable
	codes   []*codes // by sequence
}

var (
	_ ir.Translator = (*Translator)(nil)
	_ ir.Clock      = (*Translator)(nil)
	_ ir.Settler    = (*Translator)(nil)
)

// errUnsupported answers a command that the Caps rule out.
var errUnsupported = errors.New("llc/timed: not in virtual time")

// Open connects rank to the service that keeps the time of its job.
func Open(f *fabric.Fabric, rank int, o martini.Options) (*Translator, error) {
	node, err := timed.Open(f, rank)
	if err != nil {
		return nil, err
	}
	return open(f, node, rank, o)
}

// Local connects a rank that is a goroutine of the service's process, by its node.
func Local(f *fabric.Fabric, node *timed.Node, rank int) (ir.Translator, error) {
	t, err := open(f, node, rank, martini.Options{Attach: fabric.AttachAuto})
	if err != nil {
		return nil, err
	}
	return t.limited(), nil
}

func open(f *fabric.Fabric, node *timed.Node, rank int, o martini.Options) (*Translator, error) {
	end, err := endpoint.Open(f, rank, o)
	if err != nil {
		return nil, err
	}
	cfg := node.Config()
	return &Translator{Endpoint: end, node: node, compute: cfg.Compute, sets: setTable{all: make([]set, cfg.Sets)}, codes: make([]*codes, cfg.Codes), caps: ir.Caps{
		Name: Name, Slots: 2, Bytes: 2 * timed.MaxPacket, // there are no rings
		Remote: end.NIC().Remote() && cfg.Costs.Remote, Fragment: max(cfg.Costs.Packet, ir.MaxShared), Eager: cfg.Costs.Eager, Copies: copies,
	}}, nil
}

// copies is how many transfers of remote memory a rank has under way at a time.
const copies = 16

// Caps returns what the engine must know of the network.
func (t *Translator) Caps() ir.Caps { return t.caps }

// Hint does nothing.
func (t *Translator) Hint(int) {}

// Arm announces that this rank is about to sleep: the service ends the sleep, not a doorbell.
func (t *Translator) Arm() { t.node.Arm() }

// Sleep lets virtual time pass until something has come for this rank.
func (t *Translator) Sleep(d time.Duration) { t.node.Sleep(d) }

// Disarm withdraws Arm and reports whether something has come since.
func (t *Translator) Disarm() (rung bool) { return t.node.Disarm() }

// Wake ends the sleep of a peer.
func (t *Translator) Wake(peer int) { t.node.Wake(peer) }

// Settled is true: once flushed, what was posted arrives.
func (t *Translator) Settled() bool {
	t.node.Flush()
	return true
}

// Close leaves virtual time.
func (t *Translator) Close() error {
	t.node.Close()
	return t.Endpoint.Close()
}

// Poll gives the next answer, or if there is none what has come by now.
func (t *Translator) Poll(ev *ir.Event) bool {
	for {
		if t.Answered() {
			t.Next(ev)
			return true
		}
		if !t.node.Next(&t.found) {
			return false
		}
		switch m := &t.found; m.Kind {
		case timed.Packet:
			if t.Gone(m.Peer) { // nothing of a peer arrives after its end
				continue
			}
			*ev = ir.Event{Kind: ir.Arrived, Peer: int32(m.Peer), Ring: ir.NoRing, Data: m.Data}
			ev.Header.Unpack(&m.Head, len(m.Data))
			return true
		case timed.Done:
			if t.under.finish(ev, m.Token) {
				return true
			}
		case timed.Spread:
			t.spread(&t.found)
		case timed.Met:
			t.meet(&t.found)
		case timed.Passed:
			t.pass(&t.found)
		case timed.Gone:
			t.Lose(m.Peer, fmt.Errorf("llc/timed: rank %d has left: %w", m.Peer, ir.ErrPeerGone))
		}
	}
}

// Now returns the virtual time of this rank, in seconds.
func (t *Translator) Now() float64 { return t.node.Now().Seconds() }

// Others sets a function that reports whether the rank has goroutines that may make calls even if nothing
// arrives.
func (t *Translator) Others(others func() bool) { t.node.Others = others }

// Patient is [timed.Node.Patient].
func (t *Translator) Patient(calls int) { t.node.Patient(calls) }

// Miss lets time pass in a call that found nothing.
func (t *Translator) Miss() { t.node.Miss() }

// Measures reports whether processor time counts.
func (t *Translator) Measures() bool { return t.compute.Kind == timed.Measured }

// Used adds processor time that the rank has used.
func (t *Translator) Used(d time.Duration) {
	if t.compute.Kind == timed.Measured && d > 0 {
		t.node.Compute(vtime.Nanoseconds(float64(d.Nanoseconds()) * t.compute.Factor))
	}
}

// Compute has the rank perform so many operations of a kind.
func (t *Translator) Compute(kind string, operations float64) error {
	if t.compute.Kind != timed.Counted || operations == 0 {
		return nil
	}
	rate, ok := t.compute.Rates[kind]
	if !ok {
		return fmt.Errorf("llc/timed: the host has no rate for operations of the kind %q", kind)
	}
	t.node.Compute(vtime.Nanoseconds(operations / rate * 1e9))
	return nil
}
