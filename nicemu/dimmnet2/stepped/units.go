package stepped

import (
	"encoding/binary"

	"rhinet/internal/ring"
	"rhinet/nicemu/dimmnet2"
)

// An errand is a command of class (1), for the unit that carries it out.
type errand struct {
	unit     *transfer
	spans    []span
	elements bool // the pattern has elements, one for each clock
	window   []byte
	number   int // of the Prefetch Window on the board
}

func (e *errand) start(hw *dimmnet2.Hardware) {
	u := e.unit
	u.errand, u.hw = e, hw
	if u.module == PrefetchUnit {
		u.become(RequestRight, 0)
		return
	}
	u.become(Activate, 0)
}

// A transfer is a Prefetch Unit or a Write Unit.
type transfer struct {
	unit
	errand *errand
	hw     *dimmnet2.Hardware
}

// step steps one clock.
func (u *transfer) step() {
	if u.state == Idle || !u.tick() {
		return
	}
	switch u.state {
	case RequestRight:
		u.become(AcquireRight, 0)
	case AcquireRight:
		if u.board.acquire(u.errand.number, u.module) {
			u.become(Activate, 0)
		}
	case Activate:
		u.become(Column, 0)
	case Column:
		if n := u.size(); n > 0 {
			u.become(Burst, n)
			return
		}
		u.end()
	case Burst:
		u.move()
		u.end()
	case ReleaseRight:
		u.board.release(u.errand.number)
		u.become(Idle, 0)
	}
}

// size returns the bytes of bursts: an element is a burst of its own.
func (u *transfer) size() int {
	if u.errand.elements {
		return len(u.errand.spans) * 16
	}
	return len(u.errand.window)
}

func (u *transfer) move() {
	window := u.errand.window
	for _, s := range u.errand.spans {
		if mem := s.in(u.hw); u.module == WriteUnit {
			copy(mem, window)
		} else {
			copy(window, mem)
		}
		window = window[s.n:]
	}
}

func (u *transfer) end() {
	if u.module == PrefetchUnit {
		u.become(ReleaseRight, 0)
		return
	}
	u.become(Idle, 0)
}

// acquire gives a module the write right of a Prefetch Window of the board, if it is free.
func (b *board) acquire(window int, m Module) bool {
	if _, taken := b.rights[window]; taken {
		return false
	}
	b.rights[window] = m
	return true
}

func (b *board) release(window int) { delete(b.rights, window) }

// A statusUnit is a Status Write Unit.
type statusUnit struct {
	unit
	now *packet
	hw  *dimmnet2.Hardware
}

// step steps one clock.
func (u *statusUnit) step() {
	if u.state == Idle || !u.tick() {
		return
	}
	p, llcm := u.now, u.hw.LLCM()
	head := binary.NativeEndian.Uint64(llcm[dimmnet2.StatusHead:])
	entry := llcm[dimmnet2.StatusAt+int(head%dimmnet2.StatusEntries)*dimmnet2.StatusBytes:]
	node, process := p.From/dimmnet2.Processes, p.From%dimmnet2.Processes
	binary.NativeEndian.PutUint64(entry[8:], uint64(p.Address)|uint64(p.Tag)<<32|uint64(p.Memory)<<48)
	binary.NativeEndian.PutUint64(entry, uint64(ring.Seq(head))|uint64(node)<<32|uint64(process)<<44|uint64(len(p.Data))<<48)
	binary.NativeEndian.PutUint64(llcm[dimmnet2.StatusHead:], head+1)
	u.now = nil
	u.become(Idle, 0)
}

// room returns why there is no room for a status of a process, or 0.
func (u *statusUnit) room(hw *dimmnet2.Hardware) dimmnet2.Reason {
	head, released := binary.NativeEndian.Uint64(hw.LLCM()[dimmnet2.StatusHead:]), binary.NativeEndian.Uint64(hw.LLCM()[dimmnet2.StatusReleased:])
	used := head - released
	if u.now != nil && u.hw == hw {
		used++
	}
	switch {
	case used < dimmnet2.StatusEntries:
		return 0
	case used == dimmnet2.StatusEntries:
		return dimmnet2.StatusFull
	}
	return dimmnet2.RingBroken
}

// words returns 64-bit lines.
func words(all ...uint64) (b []byte) {
	for _, w := range all {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// halves returns 32-bit addresses packed into lines.
func halves(all []uint32) (b []byte) {
	for _, w := range all {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}
