package mpi

import (
	"errors"
	"testing"
)

// ranksOnMapped are the ways of n ranks to a part of 8 bytes of each.
func ranksOnMapped(n int) (ranks []*mapped, parts [][]byte) {
	size := controlBytes(false)
	mem := alignedBytes(n * size)
	for range n {
		parts = append(parts, alignedBytes(8))
	}
	for r := range n {
		ranks = append(ranks, newMapped(&Comm{core: &core{size: n, rank: r}}, mem, size, parts))
	}
	return ranks, parts
}

// meanwhile is an int64 whose additions call f between reading and writing, or, if
// they are atomic operations, before.
func meanwhile(f func()) *elem {
	e := &elem{size: 8, atomics: integers64[int64]()}
	e.fetch[Sum] = func(p *byte, in uint64) uint64 {
		f()
		return add64(p, in)
	}
	e.ops[Sum] = &reducer{fold: func(in, inout []byte) {
		a, b := elements[int64](in), elements[int64](inout)
		was := b[0]
		f()
		b[0] = was + a[0]
	}}
	return e
}

func addOne(e *elem) *update { return &update{e: e, op: Sum, data: view([]int64{1})} }

// TestUpdateAfterALongOne: an update that has found a long one under way, and waited for
// its end, loses nothing that others do by atomic operations then (12.7.1).
func TestUpdateAfterALongOne(t *testing.T) {
	ranks, parts := ranksOnMapped(3)
	var failed error
	e := meanwhile(func() {
		*ranks[0].bulk[0] = 0
		failed = errors.Join(failed, ranks[2].update(0, 0, addOne(&elem{size: 8, atomics: integers64[int64]()})))
	})
	*ranks[0].bulk[0] = 1
	if err := errors.Join(ranks[1].update(0, 0, addOne(e)), failed); err != nil {
		t.Fatal(err)
	}
	if sum := elements[int64](parts[0])[0]; sum != 2 {
		t.Errorf("two additions of 1 make %d", sum)
	}
}

// TestUpdatesUnderAnExclusiveLock: the goroutines of the rank that has it exclude each
// other, also where elements have no atomic operations (12.7.1).
func TestUpdatesUnderAnExclusiveLock(t *testing.T) {
	ranks, parts := ranksOnMapped(1)
	m := ranks[0]
	e := meanwhile(func() {
		if m.mu.TryLock() {
			m.mu.Unlock()
			t.Error("another goroutine may update the same element meanwhile")
		}
	})
	e.atomics = atomics{}
	u := addOne(e)
	u.alone = true
	if err := m.update(0, 0, u); err != nil {
		t.Fatal(err)
	}
	if sum := elements[int64](parts[0])[0]; sum != 1 {
		t.Errorf("an addition of 1 makes %d", sum)
	}
}
