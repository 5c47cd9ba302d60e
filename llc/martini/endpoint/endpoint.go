package endpoint

import (
	"errors"
	"fmt"
	"time"

	"rhinet/internal/pmi"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/lowlevel"
)

// An Endpoint is one rank's end of its NIC. A translator embeds it and adds
// the ways of packets; it is driven by one goroutine at a time, as
// [ir.Translator] says.
type Endpoint struct {
	nic     *martini.NIC
	fabric  *fabric.Fabric
	self    int
	gone    []bool // peers reported as dead
	answers []ir.Event
	next    int // first of answers that Next has not given

	cache *lowlevel.PinCache // nil: nothing stays pinned after its use
	lent  map[martini.Segment]*lowlevel.Pinned
}

var _ ir.Reporter = (*Endpoint)(nil)

// A job is never too large for the engine.
const _ = uint(ir.MaxPeers - fabric.MaxRanks)

// Register enters the processes of a job into the tables of their NICs, as the
// job's manager, before any of them runs (martini, section 8.5).
func Register(f *fabric.Fabric) error {
	_, err := martini.Manage(f)
	return err
}

// Open connects rank to its NIC in the memory of a job.
func Open(f *fabric.Fabric, rank int, o martini.Options) (Endpoint, error) {
	nic, err := martini.Open(f, rank, o)
	if err != nil {
		return Endpoint{}, err
	}
	e := Endpoint{nic: nic, fabric: f, self: rank, gone: make([]bool, f.Ranks())}
	e.Clear()
	return e, nil
}

// Self returns the own number.
func (e *Endpoint) Self() int { return e.self }

// Peers returns how many peers the job has, this one included.
func (e *Endpoint) Peers() int { return len(e.gone) }

// NIC returns the NIC.
func (e *Endpoint) NIC() *martini.NIC { return e.nic }

// Close withdraws all registrations. A rank that aborts stays one.
func (e *Endpoint) Close() error {
	if s, _ := e.fabric.Status(e.self); s.State != pmi.Aborted {
		e.fabric.Publish(e.self, &pmi.Status{State: pmi.Finalized})
	}
	return e.nic.Close()
}

// Arm announces that this peer is about to sleep.
func (e *Endpoint) Arm() { e.fabric.Bell(e.self).Arm() }

// Sleep blocks until the doorbell rings or d has passed.
func (e *Endpoint) Sleep(d time.Duration) { e.fabric.Bell(e.self).Sleep(d) }

// Disarm withdraws Arm and reports whether the doorbell has rung since.
func (e *Endpoint) Disarm() (rung bool) { return e.fabric.Bell(e.self).Disarm() }

// Wake rings peer's doorbell if peer sleeps.
func (e *Endpoint) Wake(peer int) { e.fabric.Bell(peer).Ring() }

// Bell returns what Wake rings.
func (e *Endpoint) Bell(peer int) *fabric.Doorbell { return e.fabric.Bell(peer) }

// Report puts what this rank waits for on its status line, where the launcher
// sees it.
func (e *Endpoint) Report(w ir.Waiting) {
	e.fabric.Publish(e.self, &pmi.Status{State: pmi.Waiting, Wait: w})
}

// Clear says that the rank computes again.
func (e *Endpoint) Clear() { e.fabric.Publish(e.self, &pmi.Status{State: pmi.Computing}) }

// Abort says that this rank is ending the job, so that the launcher blames
// nobody else.
func (e *Endpoint) Abort() { e.fabric.Publish(e.self, &pmi.Status{State: pmi.Aborted}) }

// Answered reports whether an answer waits for Next.
func (e *Endpoint) Answered() bool { return e.next < len(e.answers) }

// Next moves the oldest answer, which must be there, to ev.
func (e *Endpoint) Next(ev *ir.Event) {
	*ev = e.answers[e.next]
	if e.next++; e.next == len(e.answers) {
		e.answers, e.next = e.answers[:0], 0
	}
}

// Answer queues an event about cmd. It may be filled until the next call.
func (e *Endpoint) Answer(kind ir.Kind, cmd *ir.Command) *ir.Event {
	e.answers = append(e.answers, ir.Event{Kind: kind, Peer: cmd.Peer, Ring: cmd.Ring, Token: cmd.Token})
	return &e.answers[len(e.answers)-1]
}

// Busy says that the shared ring had no room for cmd. It goes ahead of all
// answers but those of the same kind: any other event would say that the packet
// went.
func (e *Endpoint) Busy(cmd *ir.Command) {
	e.Answer(ir.Busy, cmd)
	wait := e.answers[e.next:]
	last := len(wait) - 1
	busy, at := wait[last], last
	for at > 0 && wait[at-1].Kind != ir.Busy {
		at--
	}
	copy(wait[at+1:], wait[at:last])
	wait[at] = busy
}

// Fail answers cmd with the refusal of the NIC or of a layer above it. A packet
// or a look at a tail has no such answer: a way to a peer that is broken is the
// peer's end. That is reported once for each peer, after the first refusal that
// shows it. A Conceal concerns no peer but this one.
func (e *Endpoint) Fail(cmd *ir.Command, err error) {
	if cmd.Op == ir.Conceal {
		e.Answer(ir.Failed, &ir.Command{Peer: int32(e.self)}).Err = err
		return
	}
	known := uint(cmd.Peer) < uint(len(e.gone))
	if errors.Is(err, martini.Gone) || cmd.Op.Way() && known {
		err = fmt.Errorf("%w: %w", ir.ErrPeerGone, err)
	}
	if !cmd.Op.Way() || !known {
		ev := e.Answer(ir.Failed, cmd)
		ev.Err = err
		if !cmd.Op.Answered() {
			ev.Token = 0
		}
	}
	if known && errors.Is(err, ir.ErrPeerGone) {
		e.Lose(int(cmd.Peer), err)
	}
}

// Gone reports whether the end of a peer has been reported, or waits for Next.
func (e *Endpoint) Gone(peer int) bool { return uint(peer) < uint(len(e.gone)) && e.gone[peer] }

// Lose reports the end of a peer, once.
func (e *Endpoint) Lose(peer int, err error) {
	if e.gone[peer] {
		return
	}
	if e.gone[peer] = true; !errors.Is(err, ir.ErrPeerGone) {
		err = fmt.Errorf("%w: %w", ir.ErrPeerGone, err)
	}
	e.fabric.Lose(e.self, peer)
	e.Answer(ir.Failed, &ir.Command{Peer: int32(peer)}).Err = err
}

// LoseFrom reports the end of the peer from which nothing can be read any more,
// of all others if peer is negative.
func (e *Endpoint) LoseFrom(peer int, err error) {
	for i := range e.gone {
		if i == peer || peer < 0 && i != e.self {
			e.Lose(i, err)
		}
	}
}
