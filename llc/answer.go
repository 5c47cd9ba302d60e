package llc

import "rhinet/llc/ir"

// onAnswer takes the translator's answer to a command of a transfer.
func (e *Engine) onAnswer(ev *ir.Event) error {
	t, purpose := e.lookup(uint32(ev.Token)), owed(ev.Token>>32)
	if t == nil || t.owed&purpose == 0 || t.queued && purpose == forCopy {
		return stray(ev, "no command is under way with token %#x", ev.Token)
	}
	failed := ev.Kind == ir.Failed
	switch {
	case purpose == forExpose && (failed || ev.Kind == ir.Exposed):
		t.owed &^= purpose
		e.onExposed(t, ev)
		return nil
	case purpose == forCopy && (failed || ev.Kind == ir.Pulled && t.piece.op == ir.Pull || ev.Kind == ir.Pushed && t.piece.op == ir.Push):
		t.owed &^= purpose
		e.copied()
		if failed {
			return e.onLost(t, ev.Err)
		}
		return e.onMoved(t)
	case purpose == forSwap && (failed || ev.Kind == ir.Swapped):
		t.owed &^= purpose
		return e.onSwapped(t, ev, failed)
	}
	return stray(ev, "kind %d does not answer token %#x", ev.Kind, ev.Token)
}

// onExposed takes a segment, or learns that there is none: then the message is
// offered for streaming, or pulled alone.
func (e *Engine) onExposed(t *transfer, ev *ir.Event) {
	if ev.Kind == ir.Exposed && ev.Segment != 0 {
		t.segment = ev.Segment
	} else {
		e.segments--
	}
	switch t.state {
	case sendExposing:
		e.ready(t)
	case recvSharing:
		e.begin(t)
	case sendClosing, recvClosing:
		e.closing(t)
	case recvPulling, recvStreaming: // without a claim word there is nothing to share
	default:
		t.impossible("an exposure")
	}
}

// onMoved goes on after a piece has moved.
func (e *Engine) onMoved(t *transfer) error {
	switch t.state {
	case recvPulling:
		t.off = t.piece.hi
		e.pullNext(t)
	case recvSharing:
		t.off += t.piece.hi - t.piece.lo
		return e.claimFront(t)
	case sendSharing:
		t.off += t.piece.hi - t.piece.lo
		t.split.moved++
		e.claimBack(t)
	case sendClosing, recvClosing:
		e.closing(t)
	default:
		t.impossible("a copy")
	}
	return nil
}

// onLost goes on after the NIC has refused to move a piece.
func (e *Engine) onLost(t *transfer, err error) error {
	switch t.state {
	case recvPulling:
		e.pullFailed(t, err)
	case recvSharing:
		t.err, t.split.stop = err, true
		return e.claimFront(t)
	case sendSharing:
		e.report(t) // the receiver moves what was claimed and has not moved
	case sendClosing, recvClosing:
		e.closing(t)
	default:
		t.impossible("a refused copy")
	}
	return nil
}

// onSwapped goes on after a claim.
func (e *Engine) onSwapped(t *transfer, ev *ir.Event, failed bool) error {
	switch t.state {
	case recvSharing:
		if failed {
			e.claimFailed(t, ev.Err)
			return nil
		}
		return e.frontSwapped(t, ev)
	case sendSharing:
		if failed {
			e.report(t) // what has moved; the receiver moves the rest
			return nil
		}
		return e.backSwapped(t, ev)
	case sendClosing, recvClosing:
		e.closing(t)
	case sendStreaming: // the receiver took all before this claim
	default:
		t.impossible("a claim")
	}
	return nil
}

// claimFailed goes on without a claim word, if nobody else has claimed.
func (e *Engine) claimFailed(t *transfer, err error) {
	s := &t.split
	switch {
	case s.invited:
		e.finish(t, &PeerError{int(t.p.number), refused(err)})
	case s.stop:
		e.pullFailed(t, t.err)
	case s.begun:
		e.pull(t, min(t.n, t.unit*int(s.claim.Front())), t.n)
	default:
		e.pull(t, 0, t.n)
	}
}
