package martini

import "errors"

// LOCK and UNLOCK are calls of firmware through a Window. Three messages at
// most pass from request to acquisition (martini, section 9.2):
//
//	Lock Request  requester -> representative    which notes who asks last
//	Lock Reserve  representative -> who asked before
//	Lock Allow    that one, once it has unlocked -> requester: a PUSH
//
// On the fast path a packet has no time to travel: the thread that sends it
// does, at the tables of the NIC where it arrives, what the firmware of that
// NIC would do, and sends what comes of it. So a process that computes, or has
// ended, holds nobody up, whether it represents the lock or held it last; and
// none needs a thread that serves. Firmware is one processor and does one
// thing at a time; here the words of a lock change by compare-and-swap.

// InitLock names the representative of a lock and the place of its acquisition
// flag: 8 aligned and pinned bytes, in the same segment and at the same offset
// at every process. Before the flag is polled, its owner clears it.
func (w *Window) InitLock(id, representative int, seg Segment, offset uint64) error {
	return w.call(CommandLockInit, id, representative, seg, offset)
}

// Lock asks for a lock. It is acquired when the acquisition flag is 1.
func (w *Window) Lock(id int) error { return w.call(CommandLock, id, w.nic.rank, 0, 0) }

// Unlock gives a lock up that has been acquired.
func (w *Window) Unlock(id int) error { return w.call(CommandUnlock, id, w.nic.rank, 0, 0) }

func (w *Window) call(command uint64, id, node int, seg Segment, offset uint64) error {
	r := Refusal{Op: opName(command), Node: node, Segment: seg, Offset: offset}
	switch {
	case uint(id) >= Locks:
		r.Reason = NoLock
	case uint(node) >= uint(w.nic.ranks):
		r.Reason = NoNode
	}
	if r.Reason != 0 {
		return w.nic.refuse(r)
	}
	w.page[DWCommand] = command | uint64(id)<<24
	w.page[DWTarget] = uint64(node) | uint64(node)<<16
	w.page[DWSegment] = uint64(seg)
	w.page[DWOffset] = offset
	return w.Write(DWKick, 1)
}

// special is the firmware's handler of what the Initiator does not know
// (martini, section 10.7, IDLE). r says what a refusal would.
func (w *Window) special(command uint64, r *Refusal) error {
	n := w.nic
	defer w.cont()
	if command < CommandLockInit || command > CommandUnlock {
		return n.refuse(*r) // of no primitive that it has
	}
	key, id := w.entry.load(winKey), w.page[DWCommand]>>24
	r.Bytes, r.Reason = 0, 0
	if key&winValid == 0 {
		r.Reason = InvalidWindow
		return n.refuse(*r)
	}
	key &^= winValid
	switch command {
	case CommandLockInit:
		if r.Reason = n.InitLock(key, id, r.Node, r.Segment, r.Offset); r.Reason != 0 {
			return n.refuse(*r)
		}
		return nil
	case CommandLock:
		return n.lock(key, id, r)
	}
	next, why := n.LockTable().Release(key, id, 0)
	if why != 0 {
		r.Reason = why
		return n.refuse(*r)
	}
	return n.pass(n.LockTable(), key, int(id), next, r)
}

// lock begins a tenure and has it queued. If that is refused, the tenure is
// over.
func (n *NIC) lock(key, id uint64, r *Refusal) error {
	t, home, why := n.LockTable().Want(key, id)
	if why != 0 {
		r.Reason = why
		return n.refuse(*r)
	}
	err := n.queue(key, t, home, r)
	if err == nil {
		return nil
	}
	next, why := n.LockTable().Release(key, id, t.Number())
	if why != 0 {
		return err
	}
	return errors.Join(err, n.pass(n.LockTable(), key, int(id), next, r))
}

// queue is the way of Lock Request and Lock Reserve.
func (n *NIC) queue(key uint64, t Tenure, home int, r *Refusal) error {
	p := LockPacket{Key: makeKey(uint32(key), home), Tenure: t, Issuer: n.rank}
	at, err := n.locksOf(home, r)
	if err != nil {
		return err
	}
	if p.Follows, r.Reason = at.Request(&p); r.Reason != 0 {
		return n.refuse(*r)
	}
	if p.Follows == 0 {
		return n.pass(at, key, t.Lock(), t.Process(), r)
	}
	p.From, p.Key = home, makeKey(uint32(key), p.Follows.Process())
	if at, err = n.locksOf(p.Follows.Process(), r); err != nil {
		return err
	}
	allow, why := at.Reserve(&p)
	if r.Reason = why; why != 0 {
		return n.refuse(*r)
	}
	if allow {
		return n.pass(at, key, t.Lock(), t.Process(), r)
	}
	return nil
}

// locksOf returns the locks of a node, where the next packet goes.
func (n *NIC) locksOf(rank int, r *Refusal) (LockTable, error) {
	r.Node = rank
	t, ok := n.node(rank)
	if !ok {
		r.Reason = NoNode
		return LockTable{}, n.refuse(*r)
	}
	return LockTable{t, rank, n.ranks}, nil
}

// pass sends Lock Allow to a process, if it is one, from the node that at is
// the table of.
func (n *NIC) pass(at LockTable, key uint64, id, to int, r *Refusal) error {
	if to < 0 {
		return nil
	}
	if r.Node = to; to >= n.ranks {
		r.Reason = NoNode // no firmware has written that
		return n.refuse(*r)
	}
	seg, offset := at.Place(id)
	return n.move(r.Op, true, to, makeKey(uint32(key), to), seg, offset, n.allow[:])
}

// lockPacket is the arrival of a lock packet that a user made, by BOTF: the
// firmware checks it as any other, and takes none that no firmware has made.
func (n *NIC) lockPacket(r *Refusal, key uint64, kind uint8, h []uint64, size int) error {
	at, err := n.locksOf(r.Node, r)
	if err != nil {
		return err
	}
	p := LockPacket{Key: key, Tenure: Tenure(h[flitLocal]), Follows: Tenure(h[flitOffset]), Bytes: size, Issuer: -1, From: n.rank}
	if kind == PacketLockRequest {
		_, r.Reason = at.Request(&p)
	} else {
		_, r.Reason = at.Reserve(&p)
	}
	return n.refuse(*r)
}

// Names of operations in a Refusal.
const (
	opLockInit = "LOCK INIT"
	opLock     = "LOCK"
	opUnlock   = "UNLOCK"
)
