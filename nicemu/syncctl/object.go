package syncctl

import "fmt"

// Objects at a home node: a request is sent there and an answer comes back; meanwhile the process
// sleeps (sync-controller, sections 4, 5). A request of the home's own process needs no packet.
//
// Non-Collision Lock: the home keeps a FIFO of requests; the head holds the lock. Nodes that wait
// send no packets.

// object is the state of an object in its home's memory.
type object struct {
	kind  Kind     // the kind for which it was prepared
	queue []holder // NCL: the head holds the lock; condition and semaphore: waiting requests
	set   bool     // condition: the bit; mutex: it is locked
	owner int      // mutex
	count int      // semaphore
}

// A holder is an entry of a FIFO: a node, and the kind of its request.
type holder struct {
	node int
	kind Kind
	hops int
}

// Prepare makes an object at its home: an NCLAcquire lock, a ConditionWait bit, a MutexLock, or a
// SemaphoreP with a count. It replaces an existing object.
func (m *Machine) Prepare(home int, kind Kind, id, count int) error {
	if err := m.Check(home, Command{home, kind, id}); err != nil {
		return err
	}
	switch kind {
	case NCLAcquire, ConditionWait, MutexLock:
	case SemaphoreP:
		if count < 0 || count > 1<<16-1 {
			return fmt.Errorf("%w: a semaphore counts from 0 to %d, not from %d", ErrCommand, 1<<16-1, count)
		}
	default:
		return fmt.Errorf("%w: %v has no object; prepare %v, %v, %v or %v", ErrCommand, kind, NCLAcquire, ConditionWait, MutexLock, SemaphoreP)
	}
	m.nodes[home].objects[name{kind, uint16(id)}] = &object{kind: kind, owner: -1, count: count}
	return nil
}

// family returns the kind with which the object for a command is prepared.
func (k Kind) family() Kind {
	switch k {
	case NCLRelease:
		return NCLAcquire
	case ConditionSet, ConditionClear:
		return ConditionWait
	case MutexTry, MutexUnlock:
		return MutexLock
	case SemaphoreV:
		return SemaphoreP
	}
	return k
}

// request sends a command to the home.
func (m *Machine) request(at int, c Command) {
	m.send(at, Packet{Kind: c.Kind, ID: uint16(c.ID), Control: msgRequest, IntLevel: 1}, c.Home, 0)
}

func (m *Machine) handleObject(at int, p *Packet) {
	if p.Control&msgMask == msgRequest {
		m.serve(at, p)
		return
	}
	if p.Kind == MutexLock && p.Control&msgMask == msgRefused {
		m.after(m.set.retry, opRetry, job{at: at, c: Command{int(p.Source), p.Kind, int(p.ID)}})
		return
	}
	m.wake(at, name{p.Kind, p.ID}, p.status())
}

// serve is the home's handler of a request.
func (m *Machine) serve(at int, p *Packet) {
	o := m.nodes[at].objects[name{p.Kind.family(), p.ID}]
	from := holder{int(p.Source), p.Kind, p.hops()}
	if o == nil {
		m.answer(at, p.ID, from, NoObject)
		return
	}
	switch p.Kind {
	case NCLAcquire:
		if !m.line(at, p.ID, o, from) {
			return
		}
		if len(o.queue) == 1 {
			m.answer(at, p.ID, from, OK)
		}
	case NCLRelease:
		m.release(at, p.ID, o, from)
	case ConditionWait:
		if o.set {
			m.answer(at, p.ID, from, OK)
		} else {
			m.line(at, p.ID, o, from)
		}
	case ConditionSet:
		o.set = true
		for _, h := range o.queue {
			m.answer(at, p.ID, h, OK)
		}
		o.queue = o.queue[:0]
		m.answer(at, p.ID, from, OK)
	case ConditionClear:
		o.set = false
		m.answer(at, p.ID, from, OK)
	case MutexLock, MutexTry:
		if o.set {
			m.answer(at, p.ID, from, Refused)
			return
		}
		o.set, o.owner = true, from.node
		m.answer(at, p.ID, from, OK)
	case MutexUnlock:
		if !o.set || o.owner != from.node {
			m.answer(at, p.ID, from, NotOwner)
			return
		}
		o.set, o.owner = false, -1
		m.answer(at, p.ID, from, OK)
	case SemaphoreP:
		if o.count > 0 {
			o.count--
			m.answer(at, p.ID, from, OK)
		} else {
			m.line(at, p.ID, o, from)
		}
	case SemaphoreV:
		if len(o.queue) > 0 {
			m.answer(at, p.ID, o.pop(), OK)
		} else {
			o.count++
		}
		m.answer(at, p.ID, from, OK)
	}
}

// release gives a lock to the next in its FIFO. It sends the grant first, then the response to the
// releasing node (our choice of the order).
func (m *Machine) release(at int, id uint16, o *object, from holder) {
	if len(o.queue) == 0 || o.queue[0].node != from.node {
		m.answer(at, id, from, NotOwner)
		return
	}
	o.pop()
	if len(o.queue) > 0 {
		m.answer(at, id, o.queue[0], OK)
	}
	m.answer(at, id, from, OK)
}

// line puts a request at the end of the FIFO, if there is room.
func (m *Machine) line(at int, id uint16, o *object, h holder) bool {
	if len(o.queue) == m.set.mostQueue {
		m.answer(at, id, h, Overflow)
		return false
	}
	o.queue = append(o.queue, h)
	return true
}

func (o *object) pop() holder {
	h := o.queue[0]
	o.queue = append(o.queue[:0], o.queue[1:]...)
	return h
}

// answer sends the home's response.
func (m *Machine) answer(at int, id uint16, h holder, s Status) {
	p := Packet{Kind: h.kind, ID: id, Control: msgGrant, Status: uint32(s), IntLevel: 1}
	switch {
	case s == Refused:
		p.Control = msgRefused
	case !h.kind.Waits():
		p.Control = msgDone
	}
	m.send(at, p, h.node, h.hops)
}
