package martini

import "errors"

// LOCK and UNLOCK are calls of firmware through a Window. At most three messages are sent from
// request to acquisition (martini, section 9.2):
//
//	Lock Request  requester -> representative, which records the last requester
//	Lock Reserve  representative -> previous requester
//	Lock Allow    previous requester, once it has unlocked -> requester: a PUSH
//
// On the fast path a packet arrives at once: the thread that sends it works on the tables of the
// receiving NIC in place of that NIC's firmware, and sends the resulting packets. So a process that
// computes, or has ended, delays no other, whether it represents the lock or held it last; and no
// process needs a thread for serving. Firmware is one processor and does one thing at a time; here
// the words of a lock change by compare-and-swap.

// InitLock sets the representative of a lock and the place of its acquisition flag: 8 aligned and
// pinned bytes, in the same segment and at the same offset at every process. The owner of a flag
// clears it before polling it.
func (w *Window) InitLock(id, representative int, seg Segment, offset uint64) error {
	return w.call(CommandLockInit, id, representative, seg, offset)
}

// Lock requests a lock. The lock is acquired when the acquisition flag is 1.
func (w *Window) Lock(id int) error { return w.call(CommandLock, id, w.nic.rank, 0, 0) }

// Unlock releases a lock that has been acquired.
func (w *Window) Unlock(id int) error { return w.call(CommandUnlock, id, w.nic.rank, 0, 0) }

func (w *Window) call(command, id, node int, seg Segment, offset uint64) error {
	r := Refusal{Op: opName(command), Node: node, Segment: seg, Offset: offset}
	switch {
	case uint(id) >= Locks:
		r.Reason = NoLock
	case uint(node) >= uint(w.nic.ranks):
		r.Reason = NoNode
	}
	if r.Reason != 0 {
		r.local = true
		return w.nic.refuse(r)
	}
	w.page[DWCommand] = uint64(MakeCommand(command, 0, uint64(id)))
	w.page[DWTarget] = uint64(MakeTarget(node, node))
	w.page[DWSegment] = uint64(seg)
	w.page[DWOffset] = offset
	return w.Write(DWKick, 1)
}

// special is the firmware's handler of requests that the Initiator does not know (martini, section
// 10.7, IDLE). r is the refusal to report, without its reason.
func (w *Window) special(command int, r Refusal) error {
	n, key, id := w.nic, w.key(), Command(w.page[DWCommand]).Bytes()
	r.Bytes = 0
	defer w.cont()
	next := -1
	switch {
	case command < CommandLockInit || command > CommandUnlock:
		r.Reason = SpecialRequest // for no primitive of the firmware
	case key&winValid == 0:
		r.Reason = InvalidWindow
	case command == CommandLockInit:
		r.Reason = n.initLock(key&winOwner, id, r.Node, r.Segment, r.Offset)
	case command == CommandLock:
		return n.lock(key&winOwner, id, r)
	default:
		next, r.Reason = n.locks().Release(key&winOwner, id, 0)
	}
	if r.Reason != 0 {
		r.local = true
		return n.refuse(r)
	}
	return n.pass(n.locks(), key, int(id), next, r)
}

// lock begins a tenure and queues it. If that is refused, the tenure ends.
func (n *NIC) lock(key, id uint64, r Refusal) error {
	t, home, why := n.locks().Want(key, id)
	if why != 0 {
		r.Reason, r.local = why, true
		return n.refuse(r)
	}
	err := n.queue(key, t, home, r)
	if err == nil {
		return nil
	}
	next, why := n.locks().Release(key, id, t.Number())
	if why != 0 {
		return err
	}
	return errors.Join(err, n.pass(n.locks(), key, int(id), next, r))
}

// queue sends a Lock Request, and the Lock Reserve or Lock Allow that follows from it.
func (n *NIC) queue(key uint64, t Tenure, home int, r Refusal) error {
	refuse := func(node int, why Reason) error {
		r.Node, r.Reason = node, why
		return n.refuse(r)
	}
	p := LockPacket{Key: makeKey(uint32(key), home), Tenure: t, Issuer: n.rank}
	at, ok := n.locksOf(home)
	if !ok {
		return refuse(home, NoNode)
	}
	var why Reason
	if p.Follows, why = at.Request(&p); why != 0 {
		return refuse(home, why)
	}
	allow := p.Follows == 0
	if !allow {
		before := p.Follows.Process()
		p.From, p.Key = home, makeKey(uint32(key), before)
		if at, ok = n.locksOf(before); !ok {
			return refuse(before, NoNode)
		}
		if allow, why = at.Reserve(&p); why != 0 {
			return refuse(before, why)
		}
	}
	if allow {
		return n.pass(at, key, t.Lock(), t.Process(), r)
	}
	return nil
}

// locksOf returns the locks of a node, and whether there is one.
func (n *NIC) locksOf(rank int) (LockTable, bool) {
	t, ok := n.node(rank)
	return LockTable{t, rank, n.ranks}, ok
}

// pass sends Lock Allow to process to, unless it is negative, from the node of table at.
func (n *NIC) pass(at LockTable, key uint64, id, to int, r Refusal) error {
	if to < 0 {
		return nil
	}
	r.Node, r.Reason = to, 0
	if to >= n.ranks {
		r.Reason = NoNode // not written by firmware
		return n.refuse(r)
	}
	r.Segment, r.Offset = at.Place(id)
	r.Bytes = len(n.allow)
	var there way
	if r.Reason = there.find(n, to, makeKey(uint32(key), to), r.Segment, r.Offset, uint64(r.Bytes)); r.Reason == 0 {
		r.Moved, r.Reason, r.Cause = n.carry(&there, true, n.allow[:])
	}
	if r.Reason != 0 {
		return n.refuse(r)
	}
	return nil
}

// lockPacket is the arrival of a lock packet that a user made, by BOTF. The firmware checks it like
// any other, and refuses packets that no firmware has made.
func (n *NIC) lockPacket(rank int, key uint64, kind uint8, h []uint64, size int) (why Reason) {
	at, ok := n.locksOf(rank)
	if !ok {
		return NoNode
	}
	p := LockPacket{Key: key, Tenure: Tenure(h[flitLocal]), Follows: Tenure(h[flitOffset]), Bytes: size, Issuer: -1, From: n.rank}
	if kind == PacketLockRequest {
		_, why = at.Request(&p)
	} else {
		_, why = at.Reserve(&p)
	}
	return why
}

// Names of operations in a Refusal.
const (
	opLockInit = "LOCK INIT"
	opLock     = "LOCK"
	opUnlock   = "UNLOCK"
)
