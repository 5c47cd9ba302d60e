package endpoint

import (
	"errors"
	"fmt"
	"time"

	"rhinet/internal/pmi"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// An Endpoint is one rank's end of its NIC. A translator embeds it; it is driven by one goroutine at a time,
// as [ir.Translator] says.
type Endpoint struct {
	fabric  *fabric.Fabric
	self    int
	dead    error  // what the NIC's refusals wrap if the process at the other end has ended
	gone    []bool // peers reported as dead
	failed  int    // how many the launcher has marked, as far as this end knows
	answers []ir.Event
	next    int // index of the first of answers that Next has not given
	network
}

var (
	_ ir.Reporter  = (*Endpoint)(nil)
	_ ir.Announcer = (*Endpoint)(nil)
)

// A job is never too large for the engine.
const _ = uint(ir.MaxPeers - fabric.MaxRanks)

// A rank has as many flags as the users of flag arrays expect.
const _, _ = uint(ir.FlagTurns - fabric.FlagLines), uint(fabric.FlagLines - ir.FlagTurns)

// The fabric's flag has the same size, and the same size within its line.
const (
	_, _ = uint(ir.FlagRoom - fabric.FlagBytes), uint(fabric.FlagBytes - ir.FlagRoom)
	_, _ = uint(ir.FlagInline - fabric.FlagInline), uint(fabric.FlagInline - ir.FlagInline)
)

// New returns the endpoint of a rank, whose status is computing from now on. dead is the error by which the
// NIC reports that the process of a peer has ended.
func New(f *fabric.Fabric, rank int, dead error) Endpoint {
	e := Endpoint{fabric: f, self: rank, dead: dead, gone: make([]bool, f.Ranks())}
	e.Clear()
	return e
}

// Self returns the number of this peer.
func (e *Endpoint) Self() int { return e.self }

// Peers returns how many peers the job has, this one included.
func (e *Endpoint) Peers() int { return len(e.gone) }

// Finish publishes that the rank has ended. A rank that aborts keeps that status.
func (e *Endpoint) Finish() {
	if s, _ := e.fabric.Status(e.self); s.State != pmi.Aborted {
		e.fabric.Publish(e.self, &pmi.Status{State: pmi.Finalized})
	}
}

// Arm announces that this peer is about to sleep.
func (e *Endpoint) Arm() { e.fabric.Bell(e.self).Arm() }

// Sleep blocks until the doorbell rings or d has passed.
func (e *Endpoint) Sleep(d time.Duration) { e.fabric.Bell(e.self).Sleep(d) }

// Disarm withdraws Arm and reports whether the doorbell has rung since.
func (e *Endpoint) Disarm() (rung bool) { return e.fabric.Bell(e.self).Disarm() }

// Wake rings peer's doorbell if peer sleeps.
func (e *Endpoint) Wake(peer int) { e.fabric.Bell(peer).Ring() }

// Spent returns how much processor time the peers on this machine have used.
func (e *Endpoint) Spent() time.Duration { return e.fabric.Spent() }

// Bell returns the doorbell that Wake rings.
func (e *Endpoint) Bell(peer int) *fabric.Doorbell { return e.fabric.Bell(peer) }

// Report publishes what this rank waits for on its status line, where the launcher reads it.
func (e *Endpoint) Report(w ir.Waiting) {
	e.fabric.Publish(e.self, &pmi.Status{State: pmi.Waiting, Wait: w})
}

// Clear publishes that the rank computes again.
func (e *Endpoint) Clear() { e.fabric.Publish(e.self, &pmi.Status{State: pmi.Computing}) }

// Abort publishes that this rank is ending the job, so that the launcher blames no other rank.
func (e *Endpoint) Abort() { e.fabric.Publish(e.self, &pmi.Status{State: pmi.Aborted}) }

// MarkWorld notes whether this rank is in the world, so that it must finalize MPI before its process exits.
func (e *Endpoint) MarkWorld(in bool) { e.fabric.MarkWorld(e.self, in) }

// Answered reports whether an answer waits for Next.
func (e *Endpoint) Answered() bool { return e.next < len(e.answers) }

// Next moves the oldest answer, which must be there, to ev.
func (e *Endpoint) Next(ev *ir.Event) {
	*ev = e.answers[e.next]
	if e.next++; e.next == len(e.answers) {
		e.answers, e.next = e.answers[:0], 0
	}
}

// Answer queues an event about cmd. The caller may fill it until the next call.
func (e *Endpoint) Answer(kind ir.Kind, cmd *ir.Command) *ir.Event {
	e.answers = append(e.answers, ir.Event{Kind: kind, Peer: cmd.Peer, Ring: cmd.Ring, Token: cmd.Token})
	return &e.answers[len(e.answers)-1]
}

// Busy reports that the shared ring had no room for cmd. It goes ahead of all answers but those of the same
// kind: any other event would say that the packet went.
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

// Refused gives the oldest answer if it is a Busy, for translators that find out in Post whether there is
// room.
func (e *Endpoint) Refused(ev *ir.Event) bool {
	if !e.Answered() || e.answers[e.next].Kind != ir.Busy {
		return false
	}
	e.Next(ev)
	return true
}

// NoPeer reports whether cmd concerns a peer that the job does not have; then it is answered.
func (e *Endpoint) NoPeer(cmd *ir.Command) bool {
	if uint(cmd.Peer) < uint(len(e.gone)) || cmd.Op == ir.Expose || cmd.Op == ir.Conceal {
		return false
	}
	e.Fail(cmd, fmt.Errorf("llc: peer %d; the job has 0 to %d", cmd.Peer, len(e.gone)-1))
	return true
}

// Fail answers cmd with the refusal of the NIC or of a layer above it. A packet or a look at a tail has no
// such answer: a broken way to a peer is the peer's end. This end is reported once for each peer, after the
// first refusal that shows it. A Conceal concerns no peer but this one.
func (e *Endpoint) Fail(cmd *ir.Command, err error) {
	if cmd.Op == ir.Conceal {
		e.Answer(ir.Failed, &ir.Command{Peer: int32(e.self)}).Err = err
		return
	}
	known := uint(cmd.Peer) < uint(len(e.gone))
	if errors.Is(err, e.dead) || cmd.Op.Way() && known {
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

// MarkFailed notes that the process of a peer has ended, for all peers of the job.
func (e *Endpoint) MarkFailed(peer int) { e.fabric.MarkFailed(peer) }

// DetectFailures looks for peers that have failed since it was last called, and reports their end.
func (e *Endpoint) DetectFailures() bool {
	n := e.fabric.FailedCount()
	if n == e.failed {
		return false
	}
	e.failed = n
	for peer := range e.gone {
		if peer != e.self && e.fabric.HasFailed(peer) {
			e.Lose(peer, errEnded)
		}
	}
	return true
}

var errEnded = fmt.Errorf("%w: its process has ended", ir.ErrPeerGone)

// LoseFrom reports the end of the peer from which nothing can be read any more, or of all others if peer is
// negative.
func (e *Endpoint) LoseFrom(peer int, err error) {
	for i := range e.gone {
		if i == peer || peer < 0 && i != e.self {
			e.Lose(i, err)
		}
	}
}

// Reserve takes memory of the job.
func (e *Endpoint) Reserve(n int) (at uint64, err error) { return e.fabric.Reserve(n) }

// Reserved returns memory that was reserved.
func (e *Endpoint) Reserved(at, n uint64) []byte { return e.fabric.Reserved(at, n) }

// Release gives memory back.
func (e *Endpoint) Release(at uint64) error { return e.fabric.Release(at) }
