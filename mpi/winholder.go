package mpi

import (
	"bytes"
	"encoding/binary"
	"sync/atomic"

	"rhinet/internal/callsite"
	"rhinet/internal/pmi"
	"rhinet/llc/ir"
)

// Who waits for a lock tells the launcher who has it. For itself alone a rank has its number in the lock. Of those who share it
// only their count is there; in a checked job (see Job.Check) each who takes a lock notes beside it who it is, and at which line
// it did, as long as there is room.

// The notes of a lock: a word with the rank + 1, or 0 if the note is free, and its line.
const (
	lockNotes     = 8
	lockNoteBytes = 64
	lockNoteWords = lockNoteBytes / 8
	bitWords      = (winLockNotes - winLockBits) / 8
	beingWritten  = ^uint64(0)
)

// Lines have the words behind the first one: those of a status line.
const _, _ = uint(lockNoteBytes - 8 - pmi.TakenBytes), uint(pmi.TakenBytes - lockNoteBytes + 8)

// note is the i-th of them.
func (l *winLock) note(i int) []uint64 { return l.who[bitWords+i*lockNoteWords:][:lockNoteWords] }

// sign notes that rank me has taken the lock at a line, if there is room.
func (l *winLock) sign(me int, line *callsite.Line) {
	var text [pmi.TakenBytes]byte
	s := line.String()
	copy(text[:], s[max(0, len(s)-len(text)):])
	for i := range lockNotes {
		n := l.note(i)
		if atomic.LoadUint64(&n[0]) != 0 || !atomic.CompareAndSwapUint64(&n[0], 0, beingWritten) {
			continue
		}
		for k := range n[1:] {
			atomic.StoreUint64(&n[1+k], binary.LittleEndian.Uint64(text[8*k:]))
		}
		atomic.StoreUint64(&n[0], uint64(me+1))
		return
	}
}

// unsign takes the note of rank me away.
func (l *winLock) unsign(me int) {
	for i := range lockNotes {
		if n := l.note(i); atomic.CompareAndSwapUint64(&n[0], uint64(me+1), 0) {
			return
		}
	}
}

// find has h say who has the lock: who has it alone, or, if notes say it, one of those who share it.
func (l *winLock) find(c *Comm, h *ir.Holder) {
	who, line := l.holder(), ""
	if c.w.Check {
		who, line = l.noted(who)
	}
	if who < 0 || who >= c.size {
		*h = ir.Holder{Peer: ir.NoPeer}
		return
	}
	*h = ir.Holder{Peer: c.global(who), Taken: line}
}

// noted is the first rank that has noted that it has the lock, and at which line, if it may be any; else that of alone, which has it
// alone.
func (l *winLock) noted(alone int) (who int, line string) {
	for i := range lockNotes {
		n := l.note(i)
		by := atomic.LoadUint64(&n[0])
		if by == 0 || by == beingWritten || alone >= 0 && by != uint64(alone+1) {
			continue
		}
		var text [pmi.TakenBytes]byte
		for k := range n[1:] {
			binary.LittleEndian.PutUint64(text[8*k:], atomic.LoadUint64(&n[1+k]))
		}
		if atomic.LoadUint64(&n[0]) == by { // else it has gone meanwhile
			return int(by - 1), string(bytes.TrimRight(text[:], "\x00"))
		}
	}
	return alone, ""
}

// A signed reach is one whose locks have notes.
type signed struct {
	reach
	k *control
}

// sign has those who take locks of w note it, in a checked job, where that lies in memory that ranks share.
func (w *window) sign() {
	if k, ok := w.reach.(interface{ lockMemory() *control }); ok && w.c.w.Check {
		w.reach = &signed{w.reach, k.lockMemory()}
	}
}

// lockMemory is where the locks are.
func (k *control) lockMemory() *control { return k }

func (s *signed) lock(call string, target int, exclusive bool) error {
	err := s.reach.lock(call, target, exclusive)
	if err == nil {
		l := winLockAt(s.k.of(target))
		l.sign(s.k.c.rank, s.k.c.w.requests.lines.Caller())
	}
	return err
}

func (s *signed) unlock(target int, exclusive bool) error {
	l := winLockAt(s.k.of(target))
	l.unsign(s.k.c.rank)
	return s.reach.unlock(target, exclusive)
}
