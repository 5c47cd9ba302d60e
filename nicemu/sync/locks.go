package sync

import (
	"sync/atomic"

	"rhinet/nicemu/dma"
	"rhinet/nicemu/fabric"
)

// The Non-Collision Lock (NCL; sync-controller, section 4). The home RP keeps a FIFO of the nodes
// that have requested a lock; the node at its head has the lock. On the fast path the sender of a
// request acts for the home RP, and polls for the response in the home's memory.
//
//	head          the turn that has the lock
//	tail          the turn of the next request
//	counter       number of nodes that share the lock: our choice in place of a counting
//	              semaphore (sync-controller, section 5)
//	entry, ...    node and turn, by turn
//
// A node that no longer wants what it has requested withdraws the request: our choice, since the
// specification has a request wait until it is granted. Its entry stays in the FIFO, and the head
// passes over it. If the node requests the lock again before that, it has its old turn back, so that
// no node ever has more than one entry (4.2).
//
//	requested --Withdraw--> withdrawn --pass--> passed
//	     ^---Acquire-----------/

// Locks is the number of locks of an RP; LockPlaces is the number of entries in the FIFO of each:
// at most one for each node of a job (4.2). Our choice.
const (
	Locks      = 16
	LockPlaces = 1024
)

// A lockName is the home and the number of a lock.
type lockName struct{ home, number int }

// A lock is the state of a lock at its home RP.
type lock []uint64

// lock returns a lock of a node.
func (n *NIC) lock(home, number int) (l lock, why Reason) {
	t, why := n.peer(home)
	if why != 0 {
		return nil, why
	}
	if uint(number) >= Locks {
		return nil, NoLock
	}
	return t.public[pubLocks+number*lockWords:][:lockWords:lockWords], 0
}

// entryOf returns the FIFO's entry for the request with a turn; turns are less than 2^48.
func entryOf(node int, turn uint64) uint64 { return turn<<16 | uint64(node) + 1 }

// Marks in the place of the node, of entries that no node waits for.
const (
	withdrawn = 1 << 15   // and the node
	passed    = 1<<16 - 2 // the head passes it, or has passed it

	_ = uint(withdrawn - fabric.MaxRanks)
)

// pass has the head pass over withdrawn requests, and returns the node that has the lock then, or -1.
// What it does is left half done if the node ends; the next one to call it does the rest.
func (l lock) pass(nodes int) int {
	for range LockPlaces {
		turn := atomic.LoadUint64(&l[lockHead])
		if atomic.LoadUint64(&l[lockTail]) <= turn {
			return -1
		}
		at := &l[lockFIFO+turn%LockPlaces]
		switch e := atomic.LoadUint64(at); {
		case e == entryOf(passed, turn):
			atomic.CompareAndSwapUint64(&l[lockHead], turn, turn+1)
		case e>>16 == turn && e&(1<<16-1) > withdrawn:
			atomic.CompareAndSwapUint64(at, e, entryOf(passed, turn)) // unless its node wants it again
		default:
			return l.waiting(turn, nodes)
		}
	}
	return -1
}

// waiting returns the node with a turn, or -1 if no node has it, or if the node is still writing
// its entry: then it has not checked yet whether it has the lock.
func (l lock) waiting(turn uint64, nodes int) int {
	if atomic.LoadUint64(&l[lockTail]) <= turn {
		return -1
	}
	e := atomic.LoadUint64(&l[lockFIFO+turn%LockPlaces])
	if node := int(e&(1<<16-1)) - 1; e == entryOf(node, turn) && uint(node) < uint(nodes) {
		return node
	}
	return -1
}

// ReserveLock reserves a lock of this node's RP that is unused and whose FIFO is empty.
func (n *NIC) ReserveLock() (number int, err error) {
	for number := range Locks {
		l, why := n.lock(n.rank, number)
		if why != 0 {
			return -1, n.refuse("lock", n.rank, why)
		}
		if n.reserved&(1<<number) == 0 && l[lockHead] == atomic.LoadUint64(&l[lockTail]) && atomic.LoadUint64(&l[lockCount]) == 0 {
			n.reserved |= 1 << number
			return number, nil
		}
	}
	return -1, n.refuse("lock", n.rank, NoLock)
}

// FreeLock ends the use of a lock of this node's RP.
func (n *NIC) FreeLock(number int) { n.reserved &^= 1 << number }

// Acquire is the NCL acquire request: it appends this node to the FIFO of a lock, and returns its turn;
// a turn that this node has withdrawn, and that has not come yet, is its turn again.
func (n *NIC) Acquire(home, number int) (turn uint64, err error) {
	l, why := n.lock(home, number)
	if why != 0 {
		return 0, n.refuse("lock", home, why)
	}
	if turn, ok := n.withdrew[lockName{home, number}]; ok {
		delete(n.withdrew, lockName{home, number})
		if atomic.CompareAndSwapUint64(&l[lockFIFO+turn%LockPlaces], entryOf(n.rank|withdrawn, turn), entryOf(n.rank, turn)) {
			n.signal(home)
			return turn, nil
		}
	}
	for {
		var head uint64
		turn, head = dma.Pair(&l[lockTail], &l[lockHead])
		switch asked := turn - head; {
		case asked > LockPlaces || turn >= 1<<48:
			return 0, n.refuse("lock", home, LockBroken)
		case asked == LockPlaces:
			return 0, n.refuse("lock", home, LockFull)
		}
		if atomic.CompareAndSwapUint64(&l[lockTail], turn, turn+1) {
			break
		}
	}
	atomic.StoreUint64(&l[lockFIFO+turn%LockPlaces], entryOf(n.rank, turn))
	n.signal(home)
	return turn, nil
}

// signal counts the event packet of a request; a request to the node's own RP needs none.
func (n *NIC) signal(home int) {
	if home != n.rank {
		n.own.tables[regEvents]++
	}
}

// Granted reports whether the "lock acquired" response to the request with a turn has come.
func (n *NIC) Granted(home, number int, turn uint64) (bool, error) {
	l, why := n.lock(home, number)
	if why != 0 {
		return false, n.refuse("lock", home, why)
	}
	head := atomic.LoadUint64(&l[lockHead])
	if head > turn {
		return false, n.refuse("lock", home, LockBroken)
	}
	return head == turn, nil
}

// Holder returns the node that has a lock, or -1: no node has it, or its request is not complete yet.
func (n *NIC) Holder(home, number int) int {
	l, why := n.lock(home, number)
	if why != 0 {
		return -1
	}
	return l.waiting(atomic.LoadUint64(&l[lockHead]), n.f.Ranks())
}

// Release is the NCL release request: it deletes the head of the FIFO, and returns the next node,
// or -1 if there is none. Only the node that has the lock may release it.
func (n *NIC) Release(home, number int, turn uint64) (next int, err error) {
	l, why := n.lock(home, number)
	if why == 0 && (l.waiting(turn, n.f.Ranks()) != n.rank || !atomic.CompareAndSwapUint64(&l[lockHead], turn, turn+1)) {
		why = NotHolder
	}
	if why != 0 {
		return -1, n.refuse("release", home, why)
	}
	n.signal(home)
	return l.pass(n.f.Ranks()), nil
}

// Withdraw takes back the request with a turn of this node, or releases the lock if that turn has come.
// It returns the node that has the lock then, or -1 if there is none.
func (n *NIC) Withdraw(home, number int, turn uint64) (holder int, err error) {
	l, why := n.lock(home, number)
	if why == 0 && (atomic.LoadUint64(&l[lockHead]) > turn ||
		!atomic.CompareAndSwapUint64(&l[lockFIFO+turn%LockPlaces], entryOf(n.rank, turn), entryOf(n.rank|withdrawn, turn))) {
		why = NotHolder
	}
	if why != 0 {
		return -1, n.refuse("withdraw", home, why)
	}
	n.signal(home)
	n.withdrew[lockName{home, number}] = turn
	return l.pass(n.f.Ranks()), nil
}

// Count adds 1 to the counter of a lock, or subtracts 1. If the result is 0 it returns the node
// that has the lock, else -1.
func (n *NIC) Count(home, number int, more bool) (holder int, err error) {
	l, why := n.lock(home, number)
	if why != 0 {
		return -1, n.refuse("count", home, why)
	}
	n.signal(home)
	if more {
		atomic.AddUint64(&l[lockCount], 1)
		return -1, nil
	}
	for {
		was := atomic.LoadUint64(&l[lockCount])
		if was == 0 {
			return -1, n.refuse("count", home, NotHolder)
		}
		if !atomic.CompareAndSwapUint64(&l[lockCount], was, was-1) {
			continue
		}
		if was > 1 {
			return -1, nil
		}
		return l.waiting(atomic.LoadUint64(&l[lockHead]), n.f.Ranks()), nil
	}
}

// Counter returns the counter of a lock.
func (n *NIC) Counter(home, number int) (uint64, error) {
	l, why := n.lock(home, number)
	if why != 0 {
		return 0, n.refuse("count", home, why)
	}
	return atomic.LoadUint64(&l[lockCount]), nil
}
