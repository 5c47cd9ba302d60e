package martini

import "sync/atomic"

// Locks is how many locks a NIC has, numbered from 0 (martini, section 9.2).
const Locks = 64

// A Tenure is one period of a process at a lock, from LOCK to UNLOCK: bits 0-31 number it, 32-47
// are the process, 48-63 the lock. Numbers are never 0. Our choice, not in the specification: a
// reservation names the tenure that it follows. If that tenure is over, the lock is free, whatever
// the process has done since; without the number, a late reservation would be taken for one of the
// next tenure.
type Tenure uint64

// MakeTenure composes a tenure.
func MakeTenure(lock, process int, number uint32) Tenure {
	return Tenure(uint64(uint16(lock))<<48 | uint64(uint16(process))<<32 | uint64(number))
}

// Lock returns the lock's identifier.
func (t Tenure) Lock() int { return int(t >> 48) }

// Process returns the process, whose number is also that of its node.
func (t Tenure) Process() int { return int(uint16(t >> 32)) }

// Number returns the number of the tenure among those of the process.
func (t Tenure) Number() uint32 { return uint32(t) }

const (
	tenureOver    = 1 << 32
	reservedShift = 48
)

// A LockTable is the locks in the memory of one NIC, as its firmware uses them: LOCK and UNLOCK are
// a queue-based lock (martini, section 9.2). The methods do what firmware does on a call or on the
// arrival of a packet; their caller (the stepped model's processor, or a thread on the fast path)
// sends the resulting packets. Any number of threads may call them.
type LockTable struct {
	t           node
	rank, ranks int
}

// locks returns the locks of this NIC.
func (n *NIC) locks() LockTable { return LockTable{n.own, n.rank, n.ranks} }

func (l LockTable) line(id int) *entry { return l.t.line(regLocks + id*entryWords) }

// turn returns the line of a lock that the firmware of other nodes writes too.
func (l LockTable) turn(id uint64) *entry {
	at := pubTurns + int(id)*entryWords
	return (*entry)(l.t.public[at : at+entryWords])
}

// A LockPacket is the content of a Lock Request or a Lock Reserve.
type LockPacket struct {
	Key     uint64 // PGID of the issuer, PID of the receiver
	Tenure  Tenure // the requester's
	Follows Tenure // of a Reserve: the receiver's
	Bytes   int    // of payload, which must be 0
	Issuer  int    // the process for whose LOCK firmware made the packet; negative: not made by firmware
	From    int    // the node that sent it
}

// initLock enters a lock for the owner of key: the node of its representative, and the place of the
// acquisition flags, 8 aligned, pinned bytes, which is the same at all processes (martini, section
// 9.2). It may be repeated while the process has no tenure of the lock.
func (n *NIC) initLock(key, id uint64, representative int, seg Segment, offset uint64) Reason {
	switch {
	case id >= Locks:
		return NoLock
	case uint(representative) >= uint(n.ranks):
		return NoNode
	}
	va, hint, why := n.own.rva(key, seg, offset, 8)
	if why == 0 {
		why = n.pinned(n.own, n.rank, key, va, 8, hint, true)
	}
	if why != 0 {
		return why
	}
	if va%8 != 0 {
		return WrongLength
	}
	e := n.locks().line(int(id))
	state := n.locks().turn(id).load(lockTenure)
	if was := e.load(lockKey); was != 0 && (was != key|winValid || state != 0 && state&tenureOver == 0) {
		return LockWanted
	}
	e.store(lockKey, 0)
	e.store(lockHome, uint64(representative))
	e.store(lockSegment, uint64(seg))
	e.store(lockOffset, offset)
	e.store(lockKey, key|winValid)
	return 0
}

// find returns the line of a lock if the owner of key has entered it.
func (l LockTable) find(key, id uint64) (*entry, Reason) {
	if id >= Locks {
		return nil, NoLock
	}
	e := l.line(int(id))
	switch owner := e.load(lockKey); {
	case owner == 0:
		return nil, NoLock
	case uint32(owner) != uint32(key):
		return nil, WrongJob
	case owner != key|winValid:
		return nil, NoLock
	}
	return e, 0
}

// Want begins the next tenure of a lock for the owner of key. Its firmware then sends a Lock
// Request to the representative.
func (l LockTable) Want(key, id uint64) (t Tenure, representative int, why Reason) {
	e, why := l.find(key, id)
	if why != 0 {
		return 0, 0, why
	}
	home := e.load(lockHome)
	if home >= uint64(l.ranks) {
		return 0, 0, NoNode // not written by firmware
	}
	e = l.turn(id)
	for {
		old := e.load(lockTenure)
		if old != 0 && old&tenureOver == 0 {
			return 0, 0, LockWanted
		}
		number := max(1, uint32(old)+1)
		if atomic.CompareAndSwapUint64(&e[lockTenure], old, uint64(number)) {
			return MakeTenure(int(id), l.rank, number), int(home), 0
		}
	}
}

// admit makes the checks that both packets need.
func (l LockTable) admit(p *LockPacket) (*entry, Reason) {
	if p.Bytes != 0 {
		return nil, WrongLength
	}
	e, why := l.find(p.Key, uint64(p.Tenure.Lock()))
	if why != 0 {
		return nil, why
	}
	if p.Tenure.Process() >= l.ranks || p.Tenure.Number() == 0 || p.Issuer != p.Tenure.Process() {
		return nil, ForgedLock
	}
	return e, 0
}

// Request is what the representative's firmware does on a Lock Request: it records the last
// requester, and returns the tenure requested before, to whose process it then sends a Lock
// Reserve. If that is 0, nobody has had the lock yet, and the firmware sends Lock Allow itself.
func (l LockTable) Request(p *LockPacket) (before Tenure, why Reason) {
	e, why := l.admit(p)
	if why != 0 {
		return 0, why
	}
	if e.load(lockHome) != uint64(l.rank) {
		return 0, NoLock
	}
	before = Tenure(atomic.SwapUint64(&l.turn(uint64(p.Tenure.Lock()))[lockLast], uint64(p.Tenure)))
	if before != 0 && (before.Process() >= l.ranks || before.Lock() != p.Tenure.Lock()) {
		return 0, ForgedLock // not written by firmware
	}
	return before, 0
}

// Reserve is what the previous requester's firmware does on a Lock Reserve: it keeps the
// reservation until UNLOCK or, if the tenure is over, reports that Lock Allow must be sent at once.
func (l LockTable) Reserve(p *LockPacket) (allow bool, why Reason) {
	e, why := l.admit(p)
	if why != 0 {
		return false, why
	}
	if e.load(lockHome) != uint64(p.From) || p.Follows != MakeTenure(p.Tenure.Lock(), l.rank, p.Follows.Number()) {
		return false, ForgedLock
	}
	e = l.turn(uint64(p.Tenure.Lock()))
	for {
		old := e.load(lockTenure)
		switch {
		case uint32(old) != p.Follows.Number() || old&tenureOver != 0:
			return true, 0
		case old>>reservedShift != 0:
			return false, ForgedLock // a tenure has only one successor
		}
		if atomic.CompareAndSwapUint64(&e[lockTenure], old, old|uint64(p.Tenure.Process()+1)<<reservedShift) {
			return false, 0
		}
	}
}

// Release ends the tenure of a lock that the owner of key has; if number is not 0, only the tenure
// of that number. It returns the process for which the lock is reserved, to which firmware then
// sends Lock Allow, or -1.
func (l LockTable) Release(key, id uint64, number uint32) (next int, why Reason) {
	if _, why = l.find(key, id); why != 0 {
		return -1, why
	}
	e := l.turn(id)
	for {
		old := e.load(lockTenure)
		if old == 0 || old&tenureOver != 0 || number != 0 && uint32(old) != number {
			return -1, LockFree
		}
		if atomic.CompareAndSwapUint64(&e[lockTenure], old, uint64(uint32(old))|tenureOver) {
			return int(old>>reservedShift) - 1, 0
		}
	}
}

// Place returns the target of a Lock Allow, which is the acquisition flag, at any process.
func (l LockTable) Place(id int) (seg Segment, offset uint64) {
	e := l.line(id)
	return Segment(e.load(lockSegment)), e.load(lockOffset)
}

// State returns the content of a lock's line: the last requested tenure, if this is the
// representative; the number of this process's tenure, and whether it is over; and the process for
// which the lock is reserved, or -1.
func (l LockTable) State(id int) (last Tenure, number uint32, over bool, reserved int) {
	e := l.turn(uint64(id))
	own := e.load(lockTenure)
	return Tenure(e.load(lockLast)), uint32(own), own == 0 || own&tenureOver != 0, int(own>>reservedShift) - 1
}
