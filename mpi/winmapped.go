package mpi

import (
	"sync/atomic"

	"rhinet/internal/vec"
	"rhinet/internal/wait"
)

// A mapped is a reach to memory that all ranks load from and store to.
//
// Updates of a few numbers use the processor's atomic operations, one per number; long
// updates, for which that takes many times as long, use loads and stores under the lock
// of updates. The two exclude each other: a rank counts itself as busy, and checks
// whether a long update has the lock; a long update takes the lock with a mark, and
// waits until it has seen every rank not busy. A rank that finds the mark waits for the
// lock, too, and then uses atomic operations under it: others may be busy again.
type mapped struct {
	control
	parts   [][]byte
	busy    *uint64   // of this rank: updates under way in the low half, and those that have ended
	all     []*uint64 // the same of all ranks
	latches []winLock // the locks of updates, one per target
	mine    uint64    // state of a latch that a long update of this rank holds
}

const (
	// bulkBytes is the length from which on an update is long.
	bulkBytes = 64
	// longUpdate is the mark in the state of a lock of updates, in the field of
	// readers, which such a lock never has.
	longUpdate = 1
)

func newMapped(c *Comm, mem []byte, size int, parts [][]byte) *mapped {
	m := &mapped{control: control{c: c, mem: mem, size: size}, parts: parts, mine: writerState(c.rank) | longUpdate}
	for r := range c.size {
		m.all = append(m.all, &elements[uint64](m.of(r))[busyAt/8])
		m.latches = append(m.latches, m.updates(r))
	}
	m.busy = m.all[c.rank]
	return m
}

// enter begins an update by atomic operations, unless a long one is in progress.
func (m *mapped) enter(target int) bool {
	atomic.AddUint64(m.busy, 1)
	if atomic.LoadUint64(m.latches[target].state)&longUpdate == 0 {
		return true
	}
	m.leave()
	return false
}

// leave ends what enter has begun, and returns how many updates have ended so far: 1 less
// in the low half carries into the high one.
func (m *mapped) leave() uint32 { return uint32(atomic.AddUint64(m.busy, 1<<32-1) >> 32) }

// updating reports whether a rank is busy with an update.
func updating(busy *uint64) bool { return uint32(atomic.LoadUint64(busy)) != 0 }

// seize begins a long update if that is possible without waiting.
func (m *mapped) seize(target int) bool {
	if !atomic.CompareAndSwapUint64(m.latches[target].state, 0, m.mine) {
		return false
	}
	for _, busy := range m.all {
		if updating(busy) {
			m.yield(target)
			return false
		}
	}
	return true
}

// await waits and then begins a long update.
func (m *mapped) await(target int) error {
	if m.seize(target) {
		return nil
	}
	if err := m.queue(target); err != nil {
		return err
	}
	atomic.OrUint64(m.latches[target].state, longUpdate)
	if err := m.quiet(); err != nil {
		m.yield(target)
		return err
	}
	return nil
}

// queue waits for the lock of updates and takes it.
func (m *mapped) queue(target int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.latches[target].acquire(m.c, "Accumulate", true)
}

// yield releases the lock of updates, and so ends a long update.
func (m *mapped) yield(target int) { m.latches[target].surrender(m.c, true) }

// quiet waits until it has seen every rank not busy. A rank is busy for some
// nanoseconds, unless it has lost its processor; so quiet gives way to it.
func (m *mapped) quiet() error {
	var policy wait.Policy
	for r, tries := 0, 0; r < len(m.all); {
		if !updating(m.all[r]) || m.c.failures != nil && m.c.failures.has(r) {
			r++
			continue
		}
		policy.GiveWay()
		if tries++; tries%looksPerFailure == 0 {
			if err := failure(m.c.t); err != nil {
				return err
			}
		}
	}
	return nil
}

// looksPerFailure is how often quiet looks before it checks whether ranks are lost.
const looksPerFailure = 1024

func (m *mapped) put(target int, at uint64, data []byte) error {
	vec.Copy(m.parts[target][at:], data)
	return nil
}

func (m *mapped) get(target int, at uint64, buf []byte) error {
	vec.Copy(buf, m.parts[target][at:])
	return nil
}

func (m *mapped) update(target int, at uint64, u *update) error {
	mem := m.parts[target][at:][:u.bytes()]
	return m.change(target, u,
		func() error { u.apply(mem); return nil },
		func() error { u.applyAtomically(mem); return nil })
}

// change carries out u on memory of target: by plain, which loads and stores, or by
// natural, which uses the processor's atomic operations.
func (m *mapped) change(target int, u *update, plain, natural func() error) error {
	switch {
	case !u.natural():
		return m.alone(target, u, plain)
	case u.bytes() >= bulkBytes:
		if err := m.await(target); err != nil {
			return err
		}
		defer m.yield(target)
		return plain()
	case m.enter(target):
		defer m.leave()
		return natural()
	}
	if err := m.queue(target); err != nil {
		return err
	}
	defer m.yield(target)
	return natural()
}

func (m *mapped) expose(uint64, []byte) error { return errNoRegions }
func (m *mapped) hide(uint64) error           { return errNoRegions }
func (m *mapped) close() error                { return nil }
