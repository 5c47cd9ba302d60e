package lowlevel

import (
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/martini"
)

// Locks is how many lock identifiers there are, as far as the NIC has control
// words for them: two each.
const Locks = 64

// LOCK and UNLOCK: a queue-based spin lock, mostly in firmware (martini,
// section 9.2). Three messages at most pass between request and acquisition:
//
//	Lock Request  requester -> representative    which notes who asks last
//	Lock Reserve  representative -> who asked before
//	Lock Allow    that one, once it has unlocked -> requester: a PUSH
//
// What firmware would keep in the NIC's SDRAM are two control words, and what
// its handlers would do on arrival the thread that sends does, by
// compare-and-swap at the NIC where the handler would run.
//
// A process counts its tenures of a lock. A reservation names the tenure that
// it follows: one that is over already, whatever the process does by now,
// answers with Lock Allow at once. Our choice, as without it a reservation that
// is late would be taken for one of the next tenure.
type lock struct {
	representative int
	tenure         uint32
	wanted         bool // between Lock and Unlock
}

// The control words of a lock.
//
//	last requester, at the representative: bits 0-31 tenure, 32-47 process + 1
//	tenure, at each process:               bits 0-31 tenure, 32 over, 48-63 reserved for process + 1
func lastWord(id int) uint64   { return uint64(2 * id) }
func tenureWord(id int) uint64 { return uint64(2*id) + 1 }

const (
	tenureOver    = 1 << 32
	reservedShift = 48
)

// InitLock names the representative of a lock. All processes that use the lock
// name the same one, once.
func (l *Library) InitLock(id, representative int) error {
	if words := l.nic.Fabric().Geometry().Words; id < 0 || id >= min(Locks, words/2) {
		return fmt.Errorf("%w: lock %d; there are 0 to %d", ErrArgument, id, min(Locks, words/2)-1)
	}
	if err := l.checkPeer(representative); err != nil {
		return err
	}
	l.locks[id] = lock{representative: representative}
	return nil
}

func (l *Library) lock(id int) (*lock, error) {
	if uint(id) >= Locks || l.locks[id].representative < 0 {
		return nil, fmt.Errorf("%w: lock %d has no representative; InitLock names it", ErrArgument, id)
	}
	return &l.locks[id], nil
}

// Lock acquires a lock: first come, first served.
func (l *Library) Lock(id int) error {
	k, err := l.lock(id)
	if err != nil {
		return err
	}
	if k.wanted {
		return ErrHeld
	}
	me := l.nic.Rank()
	acquired := martini.Word64(l.mem, lockFlags+id*flagBytes)
	atomic.StoreUint64(acquired, 0)
	old := uint64(k.tenure) | tenureOver
	if k.tenure == 0 {
		old = 0
	}
	k.tenure++
	if err := l.begin(id, old, uint64(k.tenure)); err != nil {
		return err
	}
	k.wanted = true
	before, err := l.lockRequest(id, k, uint64(me+1)<<32|uint64(k.tenure))
	if err != nil {
		return err
	}
	if before == 0 { // nobody has ever asked: the representative allows
		err = l.lockAllow(id, me)
	} else {
		err = l.lockReserve(id, int(before>>32)-1, uint32(before), me)
	}
	if err != nil {
		return err
	}
	for b := l.o.Policy.Begin(); atomic.LoadUint64(acquired) == 0; {
		if err := l.pause(&b); err != nil {
			return err
		}
	}
	return nil
}

// begin enters the next tenure into the own word. The last one is over, so
// nobody else changes the word; its reservation, if any, has been honoured.
func (l *Library) begin(id int, old, now uint64) error {
	for {
		seen, err := l.window.Swap(l.nic.Rank(), tenureWord(id), old, now)
		if err != nil || seen == old {
			return err
		}
		old = seen
	}
}

// lockRequest is what the representative's firmware does on a Lock Request: it
// notes who asks last and returns who did before.
func (l *Library) lockRequest(id int, k *lock, now uint64) (before uint64, err error) {
	for {
		seen, err := l.window.Swap(k.representative, lastWord(id), before, now)
		if err != nil || seen == before {
			return before, err
		}
		before = seen
	}
}

// lockReserve is what the firmware of the process that asked before does on a
// Lock Reserve: it keeps the reservation for its user, or allows at once.
func (l *Library) lockReserve(id, before int, tenure uint32, requester int) error {
	if err := l.checkPeer(before); err != nil {
		return fmt.Errorf("%w: lock %d, last requester %d", ErrCorrupt, id, before)
	}
	state := uint64(tenure)
	seen, err := l.window.Swap(before, tenureWord(id), state, state|uint64(requester+1)<<reservedShift)
	if err != nil || seen == state {
		return err
	}
	if uint32(seen) != tenure || seen&tenureOver != 0 {
		return l.lockAllow(id, requester)
	}
	return fmt.Errorf("%w: lock %d, tenure %#x of process %d", ErrCorrupt, id, seen, before)
}

// lockAllow passes the lock on: a PUSH into the requester's acquisition flag.
func (l *Library) lockAllow(id, to int) error { return l.flag(to, lockFlags+id*flagBytes, 1) }

// Unlock gives a lock up, to the process that has reserved it if one has.
func (l *Library) Unlock(id int) error {
	k, err := l.lock(id)
	if err != nil {
		return err
	}
	if !k.wanted {
		return ErrNotHeld
	}
	k.wanted = false
	state := uint64(k.tenure)
	for {
		seen, err := l.window.Swap(l.nic.Rank(), tenureWord(id), state, state|tenureOver)
		if err != nil {
			return err
		}
		if seen == state {
			break
		}
		state = seen
	}
	if reserved := int(state >> reservedShift); reserved != 0 {
		if err := l.checkPeer(reserved - 1); err != nil {
			return fmt.Errorf("%w: lock %d, reserved for process %d", ErrCorrupt, id, reserved-1)
		}
		return l.lockAllow(id, reserved-1)
	}
	return nil
}
