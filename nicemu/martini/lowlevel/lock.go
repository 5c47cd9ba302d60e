package lowlevel

import (
	"errors"
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/martini"
)

// Locks is the number of lock identifiers.
const Locks = martini.Locks

// LOCK and UNLOCK: a queue-based spin lock, mostly in firmware (martini, section 9.2), which the
// NIC's Window calls. The library's part is the acquisition flag, which is in communication memory
// and is polled.
type lock struct {
	named bool
	state lockState
}

// A lockState is the state of a lock at this process.
//
//	free --LOCK--> wanted --Lock Allow--> held --UNLOCK--> free
//
// A wait that ends early leaves the lock wanted: the process stays in the queue, and the next Lock
// continues the wait.
type lockState uint8

const (
	lockFree lockState = iota
	lockWanted
	lockHeld
)

// InitLock sets the representative of a lock. All processes that use the lock set the same one,
// before any of them uses it.
func (l *Library) InitLock(id, representative int) error {
	if uint(id) >= Locks {
		return fmt.Errorf("%w: lock %d; there are 0 to %d", ErrArgument, id, Locks-1)
	}
	if err := l.checkPeer(representative); err != nil {
		return err
	}
	if l.locks[id].state != lockFree {
		return fmt.Errorf("%w: lock %d cannot get a representative now", ErrHeld, id)
	}
	at := uint64(lockFlags + id*flagBytes)
	if err := l.window.InitLock(id, representative, martini.CommonSegment, at); err != nil {
		return err
	}
	l.locks[id].named = true
	return nil
}

func (l *Library) lock(id int) (*lock, error) {
	if uint(id) >= Locks || !l.locks[id].named {
		return nil, fmt.Errorf("%w: lock %d has no representative; InitLock names it", ErrArgument, id)
	}
	return &l.locks[id], nil
}

// Lock acquires a lock, in the order of requests. If its wait ends early ([Options].Alive), the
// process keeps its place in the queue, and Lock may be called again.
func (l *Library) Lock(id int) error {
	k, err := l.lock(id)
	if err != nil {
		return err
	}
	acquired := martini.Word64(l.mem, lockFlags+id*flagBytes)
	switch k.state {
	case lockHeld:
		return fmt.Errorf("%w: lock %d", ErrHeld, id)
	case lockFree:
		atomic.StoreUint64(acquired, 0)
		if err := l.window.Lock(id); err != nil {
			return err
		}
		k.state = lockWanted
	}
	for b := l.o.Policy.Begin(); atomic.LoadUint64(acquired) == 0; {
		if err := l.pause(&b); err != nil {
			return err
		}
	}
	k.state = lockHeld
	return nil
}

// Unlock releases a lock, to the process that has reserved it, if any.
func (l *Library) Unlock(id int) error {
	k, err := l.lock(id)
	if err != nil {
		return err
	}
	if k.state != lockHeld {
		return fmt.Errorf("%w: lock %d", ErrNotHeld, id)
	}
	k.state = lockFree
	return l.window.Unlock(id)
}

// unlockAll releases locks that the program has failed to unlock.
func (l *Library) unlockAll() (err error) {
	for id := range l.locks {
		switch l.locks[id].state {
		case lockHeld:
			err = errors.Join(err, fmt.Errorf("%w: lock %d, at the end; Unlock was missing", ErrHeld, id), l.Unlock(id))
		case lockWanted:
			err = errors.Join(err, fmt.Errorf("%w: lock %d, at the end; the next process in the queue will wait for ever", ErrHeld, id))
		}
	}
	return err
}
