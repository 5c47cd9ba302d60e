package llc

import (
	"fmt"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// A cause is an occurrence that a transfer acts on. It comes from the schedule queue, from the translator
// (the answer to one of its commands), or from the other side (a packet that names the transfer).
type cause uint8

const (
	packetsGone cause = iota // its own packets are on their way

	exposed   // its segment is there, or there is none
	moved     // its piece has moved
	unmoved   // its piece could not be moved
	swapped   // its claim was answered
	unswapped // its claim could not be made

	gotAck
	gotCTSSplit
	gotCTSStream
	gotFIN
	gotPart
	gotData

	numCauses
)

func (c cause) fromOther() bool { return c >= gotAck }

// An action is what a transfer does on a cause. ev is the answer or the packet; it is nil for packetsGone. An
// error names what the other side did wrong.
type action func(e *Engine, t *transfer, ev *ir.Event) error

// machines holds what each state does on each cause. An answer or a report of
// the schedule queue always has an action; a packet without one is a protocol
// error of its sender.
var machines = [numStates][numCauses]action{
	// The sender of a synchronous message in packets: eager.go.
	sendQueued:         {packetsGone: (*Engine).eagerGone, gotAck: (*Engine).ackedEarly},
	sendUnacknowledged: {gotAck: (*Engine).acked},

	// The sender of an offered message: rendezvous.go, split_send.go, stream.go.
	sendExposing: {exposed: (*Engine).offer},
	sendReady:    {packetsGone: (*Engine).offered},
	sendOffered: {
		gotCTSSplit: (*Engine).shareBack, gotCTSStream: (*Engine).stream, gotFIN: (*Engine).finishedUntouched,
	},
	sendSharing: {
		moved: (*Engine).pushed, unmoved: (*Engine).stopPushing, swapped: (*Engine).backSwapped, unswapped: (*Engine).stopPushing,
		gotCTSSplit: (*Engine).invitedAgain, gotCTSStream: (*Engine).streamUnclaimed, gotFIN: (*Engine).finishedUnclaimed,
	},
	sendWaiting: {gotCTSSplit: (*Engine).invitedAgain, gotCTSStream: (*Engine).stream, gotFIN: (*Engine).finished},
	sendStreaming: {
		packetsGone: (*Engine).streamed,
		moved:       (*Engine).leaveOn, unmoved: (*Engine).leaveOn, swapped: (*Engine).leaveOn, unswapped: (*Engine).leaveOn,
	},
	sendClosing: {
		exposed: (*Engine).closeExposed, moved: (*Engine).leaveOn, unmoved: (*Engine).leaveOn,
		swapped: (*Engine).leaveOn, unswapped: (*Engine).leaveOn,
	},

	// The receiver of a message that has not come: early.go.
	recvInviting: {
		exposed: (*Engine).invitingOn, swapped: (*Engine).wordOpened, unswapped: (*Engine).uninvitable,
	},
	recvInvited:  {swapped: (*Engine).revoked, unswapped: (*Engine).unrevoked},
	recvRevoking: {swapped: (*Engine).takenBack, unswapped: (*Engine).untaken, gotPart: (*Engine).keepPart},
	recvRevoked:  {gotPart: (*Engine).dropPart},

	// The receiver of an offered message: rendezvous.go, split.go, stream.go.
	recvPulling: {exposed: (*Engine).keepSegment, moved: (*Engine).pulled, unmoved: (*Engine).unpulled},
	recvSharing: {
		exposed: (*Engine).sharable, moved: (*Engine).pulledFront, unmoved: (*Engine).stopPulling,
		swapped: (*Engine).frontSwapped, unswapped: (*Engine).frontUnswapped, gotPart: (*Engine).keepPart,
	},
	recvAwaiting:  {gotPart: (*Engine).takePart},
	recvStreaming: {exposed: (*Engine).keepSegment, gotData: (*Engine).takeData},
	recvClosing: {
		exposed: (*Engine).closeExposed, moved: (*Engine).closeOn, unmoved: (*Engine).closeOn,
		swapped: (*Engine).closeOn, unswapped: (*Engine).closeOn,
	},
}

// tell has a transfer act on a cause.
func (e *Engine) tell(t *transfer, c cause, ev *ir.Event) error {
	act := e.machines[t.state][c]
	switch {
	case act != nil:
		return act(e, t, ev)
	case c.fromOther():
		return protocolError(ev, "transfer %#x is %v", t.id, t.state)
	default: // only a mistake in this package leads here
		panic(fmt.Sprintf("llc: cause %d for a transfer that is %v", c, t.state))
	}
}

// tellTheirs has the transfer with p act that a packet names in the low half of its word.
func (e *Engine) tellTheirs(p *peer, c cause, ev *ir.Event) error {
	id, _ := wire.Halves(ev.Header.Word)
	t := e.lookup(id)
	switch {
	case t != nil && t.p == p:
		return e.tell(t, c, ev)
	case c == gotPart && p.late > 0: // of a transfer that this side has given up
		p.late--
		return nil
	}
	return protocolError(ev, "no transfer %#x with it is under way", id)
}

// onAnswer takes the translator's answer to a command of a transfer.
func (e *Engine) onAnswer(ev *ir.Event) error {
	t, purpose := e.lookup(uint32(ev.Token)), owed(ev.Token>>32)
	if t == nil || t.owed&purpose == 0 {
		return unexpected(ev, "no command is under way with token %#x", ev.Token)
	}
	c, ok := t.answer(purpose, ev.Kind)
	if !ok {
		return unexpected(ev, "kind %d does not answer token %#x", ev.Kind, ev.Token)
	}
	t.owed &^= purpose
	e.transfers.owed--
	var forged error
	if purpose&anyPort != 0 {
		if !e.ported(t, purpose, ev) {
			return nil
		}
		if t.list.theirs != 0 {
			forged = t.listRead(ev)
		}
		if c, _ = t.answer(purpose, ev.Kind); c == moved && e.goesOn(t) {
			return nil
		}
	}
	if c == exposed && t.list.exposing && e.exposedList(t, ev) {
		return nil
	}
	if err := e.tell(t, c, ev); forged == nil {
		return err
	}
	return forged
}

// answer returns the cause that an event is as the answer to the command with a purpose; ok is false if it
// cannot be its answer.
func (t *transfer) answer(purpose owed, kind ir.Kind) (c cause, ok bool) {
	failed := kind == ir.Failed
	switch {
	case purpose == forExpose:
		return exposed, failed || kind == ir.Exposed
	case purpose == forSwap && failed:
		return unswapped, true
	case purpose == forSwap:
		return swapped, kind == ir.Swapped
	case purpose&anyPort != purpose || purpose&(purpose-1) != 0:
		return 0, false
	case failed:
		return unmoved, true
	}
	op := t.piece.op
	if t.list.theirs != 0 {
		op = ir.Pull
	}
	return moved, kind == ir.Pulled && op == ir.Pull || kind == ir.Pushed && op == ir.Push
}
