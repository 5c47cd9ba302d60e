package tcp

import (
	"errors"
	"slices"

	"rhinet/internal/tcp"
	"rhinet/llc/ir"
)

// errSegment answers a command about memory that was never exposed.
var errSegment = errors.New("llc/tcp: no such segment")

// A move is a Pull or Push under way. Its number includes the turn of its place: frames about a move that was
// refused may come after the refusal.
type move struct {
	cmd  ir.Command
	done int // bytes that have come, or are in place at the peer
	turn uint64
}

// number returns the number by which the peer names a move.
func (m *move) number(place int32) uint64 { return m.turn*copies + uint64(place) }

// expose lets peers reach memory, under a new key.
func (t *Translator) expose(cmd *ir.Command) {
	t.key++
	t.segments[ir.Segment(t.key)] = cmd.Data
	t.Answer(ir.Exposed, cmd).Segment = ir.Segment(t.key)
}

// conceal withdraws a registration, also for transfers that are on their way.
func (t *Translator) conceal(key ir.Segment) error {
	if _, ok := t.segments[key]; !ok {
		return errSegment
	}
	delete(t.segments, key)
	for i := range t.peers {
		t.peers[i].queue.Revoke(func(f *tcp.Frame) bool { return f.Of == uint64(key) }, refused)
	}
	return nil
}

// move starts a Pull or Push, or keeps it for the next Poll.
func (t *Translator) move(cmd *ir.Command) {
	number := int(cmd.Peer)
	if !t.Gone(number) && t.peers[number].left {
		t.End(number, errLeft)
	}
	switch {
	case t.Gone(number):
		t.Fail(cmd, errLeft)
	case cmd.Segment == 0:
		t.Fail(cmd, errSegment)
	case len(cmd.Data) == 0:
		t.Answer(answerOf(cmd.Op), cmd)
	case number == t.Self():
		t.within(cmd)
	default:
		t.waiting = append(t.waiting, *cmd)
		t.startMoves()
	}
}

func answerOf(op ir.Op) ir.Kind {
	if op == ir.Pull {
		return ir.Pulled
	}
	return ir.Pushed
}

// within carries out a move between this rank and itself.
func (t *Translator) within(cmd *ir.Command) {
	memory, ok := t.reachable(uint64(cmd.Segment), cmd.Offset, len(cmd.Data))
	switch {
	case !ok:
		t.Fail(cmd, errSegment)
		return
	case cmd.Op == ir.Pull:
		copy(cmd.Data, memory)
	default:
		copy(memory, cmd.Data)
	}
	t.Answer(answerOf(cmd.Op), cmd)
}

// reachable returns n bytes of exposed memory, if they are all within it.
func (t *Translator) reachable(segment, offset uint64, n int) ([]byte, bool) {
	all, ok := t.segments[ir.Segment(segment)]
	if !ok || n < 0 || offset > uint64(len(all)) || uint64(n) > uint64(len(all))-offset {
		return nil, false
	}
	return all[offset : offset+uint64(n)], true
}

// startMoves starts moves that wait, in order.
func (t *Translator) startMoves() {
	for len(t.waiting) > 0 && len(t.idle) > 0 {
		cmd := t.waiting[0]
		t.waiting = append(t.waiting[:0], t.waiting[1:]...)
		i := t.idle[len(t.idle)-1]
		t.idle = t.idle[:len(t.idle)-1]
		m := &t.moves[i]
		m.cmd, m.done = cmd, 0
		number, segment := m.number(i), uint64(cmd.Segment)
		ask := tcp.Note(pull, len(cmd.Data), number, segment, cmd.Offset)
		if cmd.Op == ir.Push {
			ask = tcp.Transfer(push, cmd.Data, part, 2, number, segment, cmd.Offset)
		}
		t.keep(int(cmd.Peer), ask)
	}
}

// keep sends a frame that is not a packet to a peer, or queues it.
func (t *Translator) keep(number int, f tcp.Frame) {
	t.peers[number].queue.Add(f)
	t.send(number)
}

// serve carries out a frame that is not a packet; except for a pull, n bytes follow it. It returns where
// these belong, and whether the frame can be right.
func (t *Translator) serve(l *link, kind byte, n int) (to []byte, right bool) {
	h := &l.frame
	number := h.Word(0)
	switch kind {
	case pull:
		if t.peers[l.peer].queue.Transfers() > asked {
			return nil, false
		}
		answer := tcp.Note(refused, 0, number)
		if memory, ok := t.reachable(h.Word(1), h.Word(2), n); ok && n > 0 {
			answer = tcp.Transfer(data, memory, part, 1, number, 0)
			answer.Of = h.Word(1)
		}
		t.keep(l.peer, answer)
		return nil, true
	case push:
		memory, ok := t.reachable(h.Word(1), h.Word(2), n)
		if l.refused = !ok; !ok && n <= part {
			memory = t.waste[:n]
		}
		return memory, n > 0 && n <= part
	case data:
		m, _ := t.under(l.peer, number, ir.Pull)
		if m == nil || n == 0 || h.Word(1) != uint64(m.done) || n > len(m.cmd.Data)-m.done {
			return nil, false
		}
		return m.cmd.Data[m.done : m.done+n], true
	case done:
		m, place := t.under(l.peer, number, ir.Push)
		if m == nil {
			return nil, place >= 0
		}
		if h.Word(1) > uint64(len(m.cmd.Data)-m.done) {
			return nil, false
		}
		t.moved(m, place, int(h.Word(1)))
		return nil, true
	case refused:
		m, place := t.under(l.peer, number, 0)
		if m == nil {
			return nil, place >= 0
		}
		t.peers[l.peer].queue.Revoke(func(f *tcp.Frame) bool {
			kind, _ := f.Head.About()
			return kind == push && f.Head.Word(0) == number
		}, 0)
		t.Fail(&m.cmd, errSegment)
		t.end(place)
		return nil, true
	}
	return nil, false
}

// under returns the move of a number that a peer serves, and its place. The move is nil if it has ended or
// never existed; in the latter case the place is negative. op 0 stands for any operation.
func (t *Translator) under(peer int, number uint64, op ir.Op) (*move, int32) {
	place := int32(number % copies)
	m := &t.moves[place]
	switch {
	case number/copies > m.turn:
		return nil, -1
	case m.cmd.Op == 0 || number/copies != m.turn:
		return nil, place
	case int(m.cmd.Peer) != peer || op != 0 && m.cmd.Op != op:
		return nil, -1
	}
	return m, place
}

// whole ends a frame whose body has come.
func (t *Translator) whole(l *link) {
	h := &l.frame
	switch kind, n := h.About(); {
	case kind == data:
		if m, place := t.under(l.peer, h.Word(0), ir.Pull); m != nil { // if nil, it has been answered meanwhile
			t.moved(m, place, n)
		}
	default:
		kind = done
		if l.refused {
			kind, n = refused, 0
		}
		t.peers[l.peer].queue.Confirm(kind, h.Word(0), uint64(n))
		t.send(l.peer)
	}
}

// moved counts n bytes of a move that are in place, and answers the move once all are.
func (t *Translator) moved(m *move, place int32, n int) {
	if m.done += n; m.done == len(m.cmd.Data) {
		t.Answer(answerOf(m.cmd.Op), &m.cmd)
		t.end(place)
	}
}

// end frees the place of a move.
func (t *Translator) end(place int32) {
	t.moves[place] = move{turn: t.moves[place].turn + 1}
	t.idle = append(t.idle, place)
}

// moving reports whether a peer serves a move.
func (t *Translator) moving(peer int) bool {
	for i := range t.moves {
		if m := &t.moves[i]; m.cmd.Op != 0 && int(m.cmd.Peer) == peer {
			return true
		}
	}
	return false
}

// forgetMoves fails the moves that a peer that has ended should serve.
func (t *Translator) forgetMoves(peer int, err error) {
	for i := range t.moves {
		if m := &t.moves[i]; m.cmd.Op != 0 && int(m.cmd.Peer) == peer {
			t.Fail(&m.cmd, err)
			t.end(int32(i))
		}
	}
	t.waiting = slices.DeleteFunc(t.waiting, func(cmd ir.Command) bool {
		if int(cmd.Peer) != peer {
			return false
		}
		t.Fail(&cmd, err)
		return true
	})
}
