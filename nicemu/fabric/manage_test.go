package fabric

import (
	"errors"
	"sync"
	"testing"
	"time"
)

var (
	errTaken      = errors.New("taken")
	errUnfinished = errors.New("unfinished")
	errAbsent     = errors.New("absent")
)

func managementOf(f *Fabric) Management {
	return Management{State: &f.Words(0, Device)[0], Taken: errTaken, Unfinished: errUnfinished, Absent: errAbsent}
}

// TestOneManager: of many processes that try to manage a job one succeeds, and the others learn
// that when it has finished the set-up.
func TestOneManager(t *testing.T) {
	const many = 8
	f, err := Heap(3, Small())
	if err != nil {
		t.Fatal(err)
	}
	var started [3]int
	errs := make([]error, many)
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			errs[i] = f.Manage(managementOf(f), func(rank int) {
				time.Sleep(time.Millisecond)
				started[rank]++
			})
			if started != [3]int{1, 1, 1} {
				t.Errorf("after Manage %v NICs have started", started)
			}
		})
	}
	all.Wait()
	managers := 0
	for _, err := range errs {
		if err == nil {
			managers++
		} else if !errors.Is(err, errTaken) {
			t.Error(err)
		}
	}
	if managers != 1 {
		t.Errorf("%d managers", managers)
	}
	if err := f.Admit(managementOf(f), func() error { return errTaken }); err != nil {
		t.Error(err)
	}
}

// TestManagerTooLate: a job that runs, or whose manager has not finished the set-up, gets no
// manager.
func TestManagerTooLate(t *testing.T) {
	t.Parallel()
	f, err := Heap(2, Small())
	if err != nil {
		t.Fatal(err)
	}
	none := func(int) { t.Error("a NIC has started") }
	if err := f.Enter(1); err != nil {
		t.Fatal(err)
	}
	if err := f.Manage(managementOf(f), none); !errors.Is(err, errTaken) || err.Error() != "taken: rank 1 runs" {
		t.Error(err)
	}
	f.Leave(1)
	*managementOf(f).State = Rising
	if err := f.Manage(managementOf(f), none); !errors.Is(err, errUnfinished) {
		t.Error(err)
	}
	if err := f.Admit(managementOf(f), func() error { return errUnfinished }); !errors.Is(err, errUnfinished) {
		t.Error(err)
	}
}

// TestDrain: a wait ends with the transfer; after one timeout the later waits are short.
func TestDrain(t *testing.T) {
	t.Parallel()
	var d Drain
	holds := uint64(0)
	if !d.Done(&holds) {
		t.Error("waits for nothing")
	}
	holds = 1
	if d.Done(&holds) {
		t.Error("what does not end has ended")
	}
	start := time.Now()
	for range 10 {
		d.Done(&holds)
	}
	if took := time.Since(start); took > DrainLimit {
		t.Errorf("ten waits after one in vain took %v", took)
	}
}

// TestRingPool: rings are disjoint, and there is none beyond the pool.
func TestRingPool(t *testing.T) {
	f, err := Heap(2, Small())
	if err != nil {
		t.Fatal(err)
	}
	p, g := f.RingPool(), f.Geometry()
	for i := range g.Rings {
		mem := p.Memory(1, i)
		if len(mem) != g.Ring.Size() {
			t.Fatalf("ring %d has %d bytes, not %d", i, len(mem), g.Ring.Size())
		}
		if mem[0] != 0 || mem[len(mem)-1] != 0 {
			t.Errorf("ring %d lies in another", i)
		}
		mem[0], mem[len(mem)-1] = 1, 1
	}
	if p.ready > readyRings {
		t.Errorf("%d rings have all their pages", p.ready)
	}
	for _, i := range []int{-1, g.Rings} {
		if p.Memory(0, i) != nil || p.Reader(0, i) != nil {
			t.Errorf("there is a ring %d", i)
		}
	}
}

// TestAccounts: each pair has two accounts in each direction, all of them different.
func TestAccounts(t *testing.T) {
	f, err := Heap(3, Small())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[any]bool{}
	for to := range 3 {
		for from := range 3 {
			for _, which := range []int{PacketAccount, RecordAccount} {
				seen[f.Account(to, from, which)] = true
			}
		}
	}
	if len(seen) != 18 {
		t.Errorf("%d accounts", len(seen))
	}
}

// TestSeal: one word more, less or changed gives another seal.
func TestSeal(t *testing.T) {
	seen := map[uint64]bool{}
	for _, w := range [][]uint64{{0}, {0, 0}, {1}, {1, 0}, {0, 1}, {1, 2, 3}, {3, 2, 1}} {
		seen[Seal(w...)] = true
	}
	if Seal4(1, 2, 3, 4) != Seal(1, 2, 3, 4) {
		t.Error("four words have two seals")
	}
	if len(seen) != 7 {
		t.Errorf("%d seals of 7", len(seen))
	}
}
