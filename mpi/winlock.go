package mpi

import (
	"errors"
	"math/bits"
	"sync/atomic"

	"rhinet/llc/ir"
)

// A winLock is a lock in the shared memory of a window, of one rank's part: of
// readers and writers, with a list of those who wait, who sleep as in any other
// wait for the network and are woken when the lock is given back.
//
//	state    63      32 31     30      0
//	        | writer+1 | wanted | readers |
//
// A writer that waits sets wanted, and keeps further readers out until a writer has come in.
type winLock struct {
	state   *uint64
	waiting *uint64  // ranks that wait
	who     []uint64 // a bit for each of them, and notes of those who have it: see [winLock.notes]
}

// Sizes of a winLock in bytes: one line with what is used most, the bits, and notes.
const (
	winLockBits  = 64
	winLockNotes = winLockBits + 1024/8
	winLockBytes = winLockNotes + lockNotes*lockNoteBytes
	writerWaits  = 1 << 31
)

func winLockAt(mem []byte) winLock {
	words := elements[uint64](mem[:winLockBytes])
	return winLock{&words[0], &words[1], words[winLockBits/8:]}
}

// try takes the lock for rank me if that needs no wait.
func (l *winLock) try(exclusive bool, me int) bool {
	v := atomic.LoadUint64(l.state)
	switch {
	case !exclusive:
		return v>>32 == 0 && v&writerWaits == 0 && atomic.CompareAndSwapUint64(l.state, v, v+1)
	case v&^writerWaits == 0:
		return atomic.CompareAndSwapUint64(l.state, v, writerState(me))
	case v&writerWaits == 0:
		atomic.CompareAndSwapUint64(l.state, v, v|writerWaits)
	}
	return false
}

// writerState is the state of a lock that rank me has exclusively.
func writerState(me int) uint64 { return uint64(me+1) << 32 }

// holder is the rank that has the lock exclusively, -1 if none has.
func (l *winLock) holder() int { return int(atomic.LoadUint64(l.state)>>32) - 1 }

// enlist notes that me waits, and delist that it does no more.
func (l *winLock) enlist(me int) {
	atomic.OrUint64(&l.who[me/64], 1<<(me%64))
	atomic.AddUint64(l.waiting, 1)
}

func (l *winLock) delist(me int) {
	atomic.AndUint64(&l.who[me/64], ^(uint64(1) << (me % 64)))
	atomic.AddUint64(l.waiting, ^uint64(0))
}

// give gives the lock back.
func (l *winLock) give(exclusive bool) {
	if exclusive {
		atomic.AndUint64(l.state, writerWaits)
	} else {
		atomic.AddUint64(l.state, ^uint64(0))
	}
}

// acquire takes the lock for this rank of c, and waits for it. call is what waits.
func (l *winLock) acquire(c *Comm, call string, exclusive bool) error {
	for range 2 { // another rank may have changed the word, and not in a way that matters
		if l.try(exclusive, c.rank) {
			return nil
		}
	}
	if c.fate != nil {
		return l.acquireMortal(c, call, exclusive)
	}
	met := false
	held := ir.Collective{Holder: new(ir.Holder)}
	l.enlist(c.rank)
	c.t.AwaitCollective(call, &held, nil, func() bool {
		if met = met || l.try(exclusive, c.rank); !met {
			l.find(c, held.Holder)
		}
		return met
	})
	l.delist(c.rank)
	if met {
		return nil
	}
	return l.lost(c, call)
}

// errHolder is why a wait for a lock ended without it.
var errHolder = errors.New("the lock was not given back")

// lost says why acquire ended in vain.
func (l *winLock) lost(c *Comm, call string) error {
	err := failure(c.t)
	if err == nil {
		err = errClosed
	}
	if h := l.holder(); h >= 0 && h < c.size {
		return c.because(atPeer(call, h), ErrOther, errors.Join(errHolder, err), "that rank has the lock")
	}
	return err
}

// surrender gives the lock back and wakes those who wait for it.
func (l *winLock) surrender(c *Comm, exclusive bool) {
	l.give(exclusive)
	if atomic.LoadUint64(l.waiting) == 0 {
		return
	}
	for i := range bitWords {
		for set := atomic.LoadUint64(&l.who[i]); set != 0; set &= set - 1 {
			if r := i*64 + bits.TrailingZeros64(set); r < c.size {
				c.t.Wake(c.global(r))
			}
		}
	}
}

// atPeer is the site of a call that names a rank.
func atPeer(call string, rank int) site { return site{call, toPeer, rank, Undefined} }
