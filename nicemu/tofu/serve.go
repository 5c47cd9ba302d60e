package tofu

import (
	"sync/atomic"

	"rhinet/nicemu/dma"
	"rhinet/nicemu/fabric"
)

// A service is one order in progress: at the port, at the target, and back.
type service struct {
	nic   *NIC
	order *Order

	target node
	memory region

	moved int
	seen  uint64
	cause error
}

// holdBytes is the number of bytes after which a transfer checks again that the memory is still
// registered. It bounds how long a withdrawal waits (about 100 us).
const holdBytes = 1 << 20

// run carries the order out. All possible checks are made before the first byte moves.
func (s *service) run() Reason {
	n, o := s.nic, s.order
	if why := n.admit(o); why != 0 {
		return why
	}
	s.target = nodeOf(n.f, o.Node)
	var why Reason
	if s.memory, why = s.target.find(o.Tag, makeKey(uint32(n.key), o.Node), commands[o.Command].need, o.Offset, o.bytes()); why != 0 {
		return why
	}
	if s.far() && !n.engine.Attached() {
		return NoAccess
	}
	if o.Command == Swap {
		return s.swap()
	}
	if !o.Notify {
		return s.move()
	}
	return s.notify()
}

// far reports whether the memory is private memory of another process.
func (s *service) far() bool {
	return s.memory.rights&inJob == 0 && s.order.Node != s.nic.rank && s.nic.f.Shared()
}

// notify is move followed by a notice. It reserves room for the notice before the first byte moves:
// a node receives one such order at a time.
func (s *service) notify() Reason {
	o, q := s.order, s.nic.queue(s.order.Node)
	space, ok, err := q.Begin(s.nic.rank, noticeBytes)
	switch {
	case err != nil:
		return QueueBroken
	case !ok:
		return QueueFull
	}
	if why := s.move(); why != 0 {
		q.Cancel(space)
		return why
	}
	n := Notice{o.Tag, o.Offset, uint64(len(o.Local))}
	text := n.text()
	q.End(space, &o.Immediate, text[:], &s.nic.sent[o.Node])
	return 0
}

// move copies between local memory and the target, part by part. It holds the memory that it
// accesses, so that a withdrawal either waits for the part or is seen here.
func (s *service) move() Reason {
	for {
		part := s.order.Local[s.moved:min(s.moved+holdBytes, len(s.order.Local))]
		why := s.target.hold(s.order.Tag)
		if why != 0 {
			return why
		}
		n, why := s.copy(part)
		s.target.drop(s.order.Tag)
		if s.moved += n; why != 0 {
			return why
		}
		if s.moved == len(s.order.Local) {
			return 0
		}
	}
}

// reasons translates those of the DMA engine.
var reasons = [...]Reason{dma.NoAccess: NoAccess, dma.Gone: Gone, dma.Fault: Fault}

func (s *service) copy(part []byte) (int, Reason) {
	at := s.memory.start + s.order.Offset + uint64(s.moved)
	write := s.order.Command != Get
	mem := s.near(at, uint64(len(part)))
	switch {
	case mem != nil || len(part) == 0:
		if write {
			dma.Write(mem, part)
		} else {
			dma.Read(part, mem)
		}
		return len(part), 0
	case !s.nic.f.Shared() || s.memory.rights&inJob != 0:
		return 0, Fault // an entry that no owner wrote
	}
	moved, why, cause := s.nic.engine.Process(s.order.Node, at, part, write)
	s.cause = cause
	return moved, reasons[why]
}

// near returns n bytes at a place of the target if this process has them in its own address space.
func (s *service) near(at, n uint64) []byte {
	if s.memory.rights&inJob != 0 {
		return s.nic.f.Memory(at, n)
	}
	return dma.Within(s.nic.f.Borrow(s.order.Node, s.order.Tag.Number()), at, n)
}

// swap compares and swaps a word.
func (s *service) swap() Reason {
	if s.memory.rights&inJob == 0 || s.memory.start%wordBytes != 0 {
		return Fault // an entry that no owner wrote
	}
	word := wordAt(s.nic.f.Memory(s.memory.start, s.memory.size), s.order.Offset)
	if word == nil {
		return Fault // an entry that no owner wrote
	}
	if why := s.target.hold(s.order.Tag); why != 0 {
		return why
	}
	for s.seen = atomic.LoadUint64(word); s.seen == s.order.Old; s.seen = atomic.LoadUint64(word) {
		if atomic.CompareAndSwapUint64(word, s.order.Old, s.order.New) {
			break
		}
	}
	s.target.drop(s.order.Tag)
	return 0
}

// wordAt returns the word at an aligned offset of memory of the job, or nil if there is none.
func wordAt(mem []byte, at uint64) *uint64 {
	words := fabric.WordsOf(mem)
	if at/wordBytes >= uint64(len(words)) {
		return nil
	}
	return &words[at/wordBytes]
}
