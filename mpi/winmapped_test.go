package mpi

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/llc/ir"
)

// A waiting is a transport on which a wait for a lock ends when its condition holds.
type waiting struct {
	instant
	begin func()
	lost  error // the failure of other ranks
}

func (t *waiting) AwaitCollective(_ string, _ *ir.Collective, _ func(), cond func() bool) {
	if t.begin != nil {
		t.begin()
	}
	for !cond() {
		runtime.Gosched()
	}
}

func (t *waiting) Failure() error { return t.lost }

// ranksOnMapped returns the reaches of n ranks to parts of so many bytes.
func ranksOnMapped(n, bytes int) (ranks []*mapped, parts [][]byte) {
	size := controlBytes(false)
	mem := alignedBytes(n * size)
	for range n {
		parts = append(parts, alignedBytes(bytes))
	}
	for r := range n {
		ranks = append(ranks, newMapped(&Comm{core: &core{w: new(world), size: n, rank: r, t: &waiting{}}}, mem, size, parts))
	}
	return ranks, parts
}

// meanwhile is an int64 whose additions call f between reading and writing, or, if they
// are atomic operations, before.
func meanwhile(f func()) *elem {
	e := &elem{size: 8, atomics: atomicsOf(codeInt64)}
	add := e.fetch[Sum]
	e.fetch[Sum] = func(p *byte, in uint64) uint64 {
		f()
		return add(p, in)
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

// TestUpdateAfterALongOne: an update that has found a long one in progress, and waited
// for its end, loses nothing that others do by atomic operations then (12.7.1).
func TestUpdateAfterALongOne(t *testing.T) {
	ranks, parts := ranksOnMapped(3, 8)
	var failed error
	e := meanwhile(func() {
		failed = errors.Join(failed, ranks[2].update(0, 0, addOne(&elem{size: 8, atomics: atomicsOf(codeInt64)})))
	})
	if !ranks[0].seize(0) {
		t.Fatal("the lock of updates is not free")
	}
	ranks[1].c.t.(*waiting).begin = func() { ranks[0].yield(0) }
	if err := errors.Join(ranks[1].update(0, 0, addOne(e)), failed); err != nil {
		t.Fatal(err)
	}
	if sum := elements[int64](parts[0])[0]; sum != 2 {
		t.Errorf("two additions of 1 make %d", sum)
	}
}

// TestUpdatesUnderAnExclusiveLock: the goroutines of the rank that holds it exclude
// each other, also if elements have no atomic operations (12.7.1).
func TestUpdatesUnderAnExclusiveLock(t *testing.T) {
	ranks, parts := ranksOnMapped(1, 8)
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

// TestLongUpdatesBesideShortOnes: a long update does not begin during one by atomic
// operations, and the reverse; and two long ones exclude each other.
func TestLongUpdatesBesideShortOnes(t *testing.T) {
	ranks, _ := ranksOnMapped(3, 8)
	if !ranks[1].enter(0) {
		t.Fatal("an update cannot begin where there is none")
	}
	if ranks[0].seize(0) {
		t.Error("a long update begins beside one by atomic operations")
	}
	if *ranks[0].latches[0].state != 0 {
		t.Error("a long update that has not begun keeps the lock")
	}
	ranks[1].leave()
	if !ranks[0].seize(0) {
		t.Fatal("a long update cannot begin where there is none")
	}
	if ranks[2].enter(0) || ranks[2].seize(0) || ranks[0].seize(0) {
		t.Error("an update begins beside a long one")
	}
	if !ranks[2].seize(1) {
		t.Error("a long update of one rank's part keeps another part's away")
	}
	ranks[0].yield(0)
	if !ranks[2].enter(0) {
		t.Error("an update cannot begin after a long one")
	}
}

// TestLongUpdateWaits: a long update begins when those by atomic operations have ended.
func TestLongUpdateWaits(t *testing.T) {
	ranks, _ := ranksOnMapped(2, 8)
	if !ranks[1].enter(0) {
		t.Fatal("an update cannot begin where there is none")
	}
	begun := make(chan error)
	go func() { begun <- ranks[0].await(0) }()
	deadline := time.Now().Add(10 * time.Second)
	for atomic.LoadUint64(ranks[0].latches[0].state)&longUpdate == 0 { // from then on it waits for rank 1
		if time.Now().After(deadline) {
			t.Fatal("a long update that waits shows no mark")
		}
		runtime.Gosched()
	}
	select {
	case err := <-begun:
		t.Fatalf("a long update began beside one by atomic operations: %v", err)
	case <-time.After(10 * time.Millisecond):
	}
	ranks[1].leave()
	if err := <-begun; err != nil {
		t.Fatal(err)
	}
}

// TestLongUpdateOfTheLost: a long update that waits for a lost rank fails, and releases
// the lock.
func TestLongUpdateOfTheLost(t *testing.T) {
	ranks, parts := ranksOnMapped(2, bulkBytes)
	ranks[1].enter(0)
	boom := errors.New("rank 1 is lost")
	ranks[0].c.t.(*waiting).lost = boom
	u := &update{e: &elem{size: 8, atomics: atomicsOf(codeInt64)}, op: Replace, data: alignedBytes(len(parts[0]))}
	if err := ranks[0].update(0, 0, u); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	if *ranks[0].latches[0].state != 0 {
		t.Error("the lock is not given back")
	}
}

// TestUpdatesThatCannotWait: an update fails if its wait for the end of a long update
// ends early.
func TestUpdatesThatCannotWait(t *testing.T) {
	ranks, parts := ranksOnMapped(2, bulkBytes)
	if !ranks[0].seize(0) {
		t.Fatal("the lock of updates is not free")
	}
	ranks[1].c.t = &instant{} // waits once
	for _, n := range []int{8, len(parts[0])} {
		u := &update{e: &elem{size: 8, atomics: atomicsOf(codeInt64)}, op: Replace, data: alignedBytes(n)}
		if err := ranks[1].update(0, 0, u); !errors.Is(err, errHolder) {
			t.Errorf("update of %d bytes: got %v", n, err)
		}
	}
}

// windowOnMapped returns a window of rank 0 on memory of ranksOnMapped, in an epoch of
// LockAll.
func windowOnMapped[T any](m *mapped) *Win[T] {
	b := &window{c: m.c, reach: m, mem: m.parts, shared: m, open: make([]atomic.Uint32, m.c.size)}
	for _, part := range m.parts {
		b.bytes = append(b.bytes, uint64(len(part)))
	}
	b.c.w = &world{}
	b.mode.Store(winLockAll)
	return viewOf[T](b, elemOf[T](&b.c.w.elems))
}

// TestLongUpdatesOfGoroutines: updates of goroutines of one rank exclude each other,
// long and short ones (12.7.1).
func TestLongUpdatesOfGoroutines(t *testing.T) {
	const n, goroutines, rounds = bulkBytes, 4, 300
	ranks, parts := ranksOnMapped(2, 4*n)
	w := windowOnMapped[float32](ranks[0])
	ones := make([]float32, n)
	for i := range ones {
		ones[i] = 1
	}
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			old := make([]float32, n)
			for i := range rounds {
				var err error
				switch (g + i) % 3 {
				case 0:
					err = w.Accumulate(ones, 1, 0, Sum)
				case 1:
					err = w.GetAccumulate(ones, old, 1, 0, Sum)
				default:
					for k := 0; k < n; k += 8 {
						err = errors.Join(err, w.Accumulate(ones[:8], 1, k, Sum))
					}
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for i, v := range elements[float32](parts[1]) {
		if v != goroutines*rounds {
			t.Fatalf("element %d is %v, want %d", i, v, goroutines*rounds)
		}
	}
}

// TestQuickUpdates: the fast path of windows in shared memory gives the same results as
// the other path, and allocates nothing.
func TestQuickUpdates(t *testing.T) {
	const longest = 3 * bulkBytes
	ranks, parts := ranksOnMapped(1, 8*longest)
	w := windowOnMapped[int64](ranks[0])
	slow := *w
	slow.near = nil
	part := elements[int64](parts[0])
	for _, n := range []int{1, bulkBytes/8 - 1, bulkBytes / 8, longest - 1} {
		data, old, other := make([]int64, n), make([]int64, n), make([]int64, n)
		for i := range data {
			data[i] = int64(3*i + 1)
		}
		for op := Sum; op < numUpdates; op++ {
			if w.elem.fetch[op] == nil {
				continue
			}
			for i := range part {
				part[i] = int64(5*i - n)
			}
			start := slices.Clone(part)
			if err := w.GetAccumulate(data, old, 0, 1, op); err != nil {
				t.Fatal(err)
			}
			result := slices.Clone(part)
			copy(part, start)
			if err := slow.GetAccumulate(data, other, 0, 1, op); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(result, part) || !slices.Equal(old, other) {
				t.Errorf("%v of %d elements: the two ways differ", op, n)
			}
			if op == NoOp {
				continue // not an update
			}
			copy(part, start)
			if err := w.Accumulate(data, 0, 1, op); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(result, part) {
				t.Errorf("%v of %d elements without what was there: the two ways differ", op, n)
			}
		}
		if allocs := testing.AllocsPerRun(100, func() {
			_ = w.Accumulate(data, 0, 1, Sum)
			_ = w.GetAccumulate(data, old, 0, 1, Sum)
			_ = w.GetAccumulate(data, old, 0, 1, Replace)
		}); allocs != 0 {
			t.Errorf("updates of %d elements: %v allocations", n, allocs)
		}
	}
}
