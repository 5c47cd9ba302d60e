package ofi

import (
	"errors"
	"fmt"
	"syscall"

	"rhinet/internal/libfabric"
	"rhinet/llc/ir"
)

// expose registers memory under a new key.
func (t *Translator) expose(cmd *ir.Command) error {
	t.key++
	s := segment{data: cmd.Data}
	if len(cmd.Data) > 0 {
		var err error
		if s.region, err = t.lib.Register(cmd.Data, t.key); err != nil {
			return err
		}
	}
	t.segments[ir.Segment(t.key)] = s
	t.Answer(ir.Exposed, cmd).Segment = ir.Segment(t.key)
	return nil
}

// conceal withdraws a registration.
func (t *Translator) conceal(key ir.Segment) error {
	s, ok := t.segments[key]
	if !ok {
		return errSegment
	}
	delete(t.segments, key)
	if len(s.data) == 0 {
		return nil
	}
	return t.lib.Unregister(s.region)
}

// move starts a Pull or Push, or keeps it for the next Poll.
func (t *Translator) move(cmd *ir.Command) {
	switch {
	case t.Gone(int(cmd.Peer)):
		t.Fail(cmd, errLeft)
	case cmd.Segment == 0:
		t.Fail(cmd, errSegment)
	case len(cmd.Data) == 0:
		t.Answer(answerOf(cmd.Op), cmd)
	case len(t.waiting) > 0 || !t.startMove(cmd):
		t.waiting = append(t.waiting, *cmd)
	}
}

func answerOf(op ir.Op) ir.Kind {
	if op == ir.Pull {
		return ir.Pulled
	}
	return ir.Pushed
}

// startMoves starts moves that wait, in order.
func (t *Translator) startMoves() {
	n := 0
	for n < len(t.waiting) && t.startMove(&t.waiting[n]) {
		n++
	}
	t.waiting = append(t.waiting[:0], t.waiting[n:]...)
}

// startMove starts a move and reports whether the caller is done with it.
func (t *Translator) startMove(cmd *ir.Command) bool {
	p := &t.peers[cmd.Peer]
	if len(t.idle) == 0 || !p.known && !t.find(p, int(cmd.Peer)) {
		return false
	}
	i := t.idle[len(t.idle)-1]
	start := t.lib.Read
	if cmd.Op == ir.Push {
		start = t.lib.Write
	}
	err := start(p.addr, uint64(cmd.Segment), cmd.Offset, cmd.Data, t.moving+int(i))
	if err == libfabric.ErrAgain {
		return false
	}
	if err != nil {
		t.Fail(cmd, err)
		return true
	}
	t.idle = t.idle[:len(t.idle)-1]
	t.moves[i] = move{cmd: *cmd}
	return true
}

// moved ends a move and reports whether that is an event.
func (t *Translator) moved(i int32, err error, ev *ir.Event) bool {
	m := t.moves[i]
	t.moves[i] = move{}
	t.idle = append(t.idle, i)
	if m.over {
		return false
	}
	if err != nil {
		t.refused(&m.cmd, err)
		return false
	}
	*ev = ir.Event{Kind: answerOf(m.cmd.Op), Peer: m.cmd.Peer, Token: m.cmd.Token}
	return true
}

// refused answers a move that has failed. A connection that broke is the end of the peer.
func (t *Translator) refused(cmd *ir.Command, err error) {
	var e *libfabric.Errno
	if errors.As(err, &e) && broken(e.Code) {
		err = fmt.Errorf("%w: %w", ir.ErrPeerGone, err)
	}
	t.Fail(cmd, err)
}

// broken reports whether an error code says that a connection is broken.
func broken(code int) bool {
	switch syscall.Errno(code) {
	case syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.ECONNABORTED, syscall.ENOTCONN, syscall.ESHUTDOWN, syscall.EPIPE,
		syscall.EHOSTUNREACH, syscall.ENETUNREACH, syscall.ETIMEDOUT, syscall.EHOSTDOWN:
		return true
	}
	return false
}
