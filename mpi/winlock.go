package mpi

import (
	"errors"
	"math/bits"
	"sync/atomic"

	"rhinet/llc/ir"
)

// A winLock is a lock in the shared memory of a window, for one rank's part: a
// readers-writer lock with a list of waiting ranks, which sleep as in any other wait
// for the network and are woken when the lock is released.
//
//	state    63      32 31     30      0
//	        | writer+1 | wanted | readers |
//
// A writer that waits sets wanted, which keeps further readers out until a writer has
// got the lock.
type winLock struct {
	state   *uint64
	waiting *uint64  // ranks that wait
	who     []uint64 // a bit for each waiting rank, and notes of the holders: see [winLock.note]
}

// Sizes of a winLock in bytes: one line with the words used most, the bits, and notes.
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

// try takes the lock for rank me if that is possible without waiting.
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

// writerState is the state of a lock that rank me holds exclusively.
func writerState(me int) uint64 { return uint64(me+1) << 32 }

// holder returns the rank that holds the lock exclusively, or -1.
func (l *winLock) holder() int { return int(atomic.LoadUint64(l.state)>>32) - 1 }

// sharers returns how many ranks share the lock.
func (l *winLock) sharers() int { return int(atomic.LoadUint64(l.state) & (writerWaits - 1)) }

// enlist records that me waits, and delist that it does not any more.
func (l *winLock) enlist(me int) {
	atomic.OrUint64(&l.who[me/64], 1<<(me%64))
	atomic.AddUint64(l.waiting, 1)
}

func (l *winLock) delist(me int) {
	atomic.AndUint64(&l.who[me/64], ^(uint64(1) << (me % 64)))
	atomic.AddUint64(l.waiting, ^uint64(0))
}

// give releases the lock.
func (l *winLock) give(exclusive bool) {
	if exclusive {
		atomic.AndUint64(l.state, writerWaits)
	} else {
		atomic.AddUint64(l.state, ^uint64(0))
	}
}

// acquire takes the lock for this rank of c, and waits for it. call is the call that
// waits.
func (l *winLock) acquire(c *Comm, call string, exclusive bool) error {
	for range 2 { // the swap may fail because another rank has changed the word in a way that does not matter
		if l.try(exclusive, c.rank) {
			return nil
		}
	}
	if c.ctx != nil {
		return l.acquireLimited(c, call, exclusive)
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

// lost returns the error of an acquire that has failed.
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

// surrender releases the lock and wakes the ranks that wait for it.
func (l *winLock) surrender(c *Comm, exclusive bool) {
	l.give(exclusive)
	l.rouse(c)
}

// rouse wakes the ranks that wait for the lock.
func (l *winLock) rouse(c *Comm) {
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
