package mpi

import (
	"bytes"
	"encoding/binary"
	"sync/atomic"

	"rhinet/internal/callsite"
	"rhinet/internal/pmi"
	"rhinet/llc/ir"
)

// A rank that waits for a lock tells the launcher which rank has it. An exclusive lock
// has the number of its holder, a shared one only the number of holders; in a checked
// job (see Job.Check) each rank that takes a lock notes beside it its number and the
// line of the call, as long as there is room.

// The notes of a lock: a word with the rank + 1, or 0 if the note is free, and the
// line.
const (
	lockNotes     = 8
	lockNoteBytes = 64
	lockNoteWords = lockNoteBytes / 8
	bitWords      = (winLockNotes - winLockBits) / 8
	beingWritten  = ^uint64(0)
)

// The words after the first one hold a line of the length that status lines have.
const _, _ = uint(lockNoteBytes - 8 - pmi.TakenBytes), uint(pmi.TakenBytes - lockNoteBytes + 8)

// note returns the i-th note.
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

// unsign removes the note of rank me.
func (l *winLock) unsign(me int) {
	for i := range lockNotes {
		if n := l.note(i); atomic.CompareAndSwapUint64(&n[0], uint64(me+1), 0) {
			return
		}
	}
}

// find stores in h who has the lock: the exclusive holder, or, if notes tell it, one of
// those that share the lock; else how many these are.
func (l *winLock) find(c *Comm, h *ir.Holder) {
	who, line := l.holder(), ""
	if c.w.Check {
		who, line = l.noted(who)
	}
	if who < 0 || who >= c.size {
		*h = ir.Holder{Peer: ir.NoPeer, Sharers: min(l.sharers(), c.size)}
		return
	}
	*h = ir.Holder{Peer: c.global(who), Taken: line}
}

// noted returns the first rank with a note, and its line; if alone is a rank, which
// then has the lock exclusively, only its own note counts.
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
		if atomic.LoadUint64(&n[0]) == by { // else it has been removed meanwhile
			return int(by - 1), string(bytes.TrimRight(text[:], "\x00"))
		}
	}
	return alone, ""
}

// A signed is a reach whose locks have notes.
type signed struct {
	reach
	k *control
}

// sign has holders of locks of w write notes, in a checked job, if the locks are in
// memory that ranks share.
func (w *window) sign() {
	if k, ok := w.reach.(interface{ lockMemory() *control }); ok && w.c.w.Check {
		w.reach = &signed{w.reach, k.lockMemory()}
	}
}

// lockMemory returns the memory with the locks.
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
