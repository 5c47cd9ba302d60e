package sync

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// TestLocksAgainstAQueue: random requests, valid and invalid, have the same results as a queue of
// nodes for each lock.
func TestLocksAgainstAQueue(t *testing.T) {
	type asked struct {
		node int
		turn uint64
	}
	_, goroutines := open(t, 5)
	for kind, n := range map[string][]*NIC{"goroutines": goroutines, "processes": mapped(t, 5)} {
		rng := rand.New(rand.NewPCG(4, 2))
		queues, counts := [5][Locks][]asked{}, [5][Locks]uint64{}
		for range 30_000 {
			node, home, number := rng.IntN(5), rng.IntN(5), rng.IntN(2)*(Locks-1)
			q, count := &queues[home][number], &counts[home][number]
			switch rng.IntN(4) {
			case 0:
				turn, err := n[node].Acquire(home, number)
				if err != nil {
					if len(*q) != LockPlaces || !errors.Is(err, LockFull) {
						t.Fatalf("%s: %d have asked: %v", kind, len(*q), err)
					}
					continue
				}
				*q = append(*q, asked{node, turn})
			case 1:
				if len(*q) == 0 {
					continue
				}
				a := (*q)[rng.IntN(min(2, len(*q)))] // the holder, or the next one
				next, err := n[node].Release(home, number, a.turn)
				if ok := a == (*q)[0] && a.node == node; ok != (err == nil) || !ok && !errors.Is(err, NotHolder) {
					t.Fatalf("%s: node %d gives back the turn of %+v, whose queue is %+v: %v", kind, node, a, *q, err)
				} else if ok {
					*q = (*q)[1:]
					if want := -1; len(*q) > 0 && next != (*q)[0].node || len(*q) == 0 && next != want {
						t.Fatalf("%s: node %d is woken, the queue is %+v", kind, next, *q)
					}
				}
			case 2:
				more := rng.IntN(2) == 0
				holder, err := n[node].Count(home, number, more)
				switch {
				case more:
					*count++
				case *count == 0:
					if !errors.Is(err, NotHolder) {
						t.Fatalf("%s: less than nobody: %v", kind, err)
					}
					continue
				default:
					*count--
				}
				want := -1
				if !more && *count == 0 && len(*q) > 0 {
					want = (*q)[0].node
				}
				if c, e := n[home].Counter(home, number); errors.Join(err, e) != nil || c != *count || holder != want {
					t.Fatalf("%s: %d are counted, want %d; node %d is woken, want %d; %v, %v", kind, c, *count, holder, want, err, e)
				}
			default:
				for i, a := range (*q)[:min(2, len(*q))] {
					if has, err := n[a.node].Granted(home, number, a.turn); has != (i == 0) || err != nil {
						t.Fatalf("%s: %+v has the lock: %v, %v; %+v", kind, a, has, err, *q)
					}
				}
			}
		}
	}
}

// TestLocksExclude: of nodes that request a lock at the same time one has it, in the order of their
// turns.
func TestLocksExclude(t *testing.T) {
	const nodes, rounds = 4, 200
	_, n := open(t, nodes)
	var order []uint64 // protected by the lock
	var all sync.WaitGroup
	for _, nic := range n {
		all.Go(func() {
			for range rounds {
				turn, err := nic.Acquire(1, 3)
				if err != nil {
					t.Error(err)
					return
				}
				for has := false; !has; runtime.Gosched() {
					if has, err = nic.Granted(1, 3, turn); err != nil {
						t.Error(err)
						return
					}
				}
				order = append(order, turn)
				if _, err := nic.Release(1, 3, turn); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if len(order) != nodes*rounds || !slices.IsSorted(order) {
		t.Errorf("%d turns, in order: %v", len(order), slices.IsSorted(order))
	}
	if events, _ := n[0].Sent(); events != 2*rounds {
		t.Errorf("%d event packets for %d locks of another node: 2 each (sync-controller, section 4.2)", events, rounds)
	}
	if events, _ := n[1].Sent(); events != 0 {
		t.Errorf("%d event packets for locks of the own node", events)
	}
}

// TestReservedLocks: a lock with a pending request is not reserved for another use.
func TestReservedLocks(t *testing.T) {
	_, n := open(t, 2)
	first, err := n[0].ReserveLock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n[1].Acquire(0, first); err != nil {
		t.Fatal(err)
	}
	n[0].FreeLock(first)
	for range Locks - 1 {
		if number, err := n[0].ReserveLock(); number == first || err != nil {
			t.Errorf("lock %d, %v", number, err)
		}
	}
	if number, err := n[0].ReserveLock(); !errors.Is(err, NoLock) {
		t.Errorf("lock %d, %v", number, err)
	}
}

// TestForgedLocks: implausible values in the memory of a lock are refused, counted at its home, and
// wake nobody.
func TestForgedLocks(t *testing.T) {
	for name, c := range map[string]struct {
		forge func(l lock)
		do    func(n *NIC) error
		want  Reason
	}{
		"tail far ahead":  {func(l lock) { l[lockTail] = 1 << 20 }, func(n *NIC) error { _, err := n.Acquire(0, 2); return err }, LockBroken},
		"tail behind":     {func(l lock) { l[lockHead] = 5 }, func(n *NIC) error { _, err := n.Acquire(0, 2); return err }, LockBroken},
		"one too many":    {func(l lock) { l[lockTail] = LockPlaces }, func(n *NIC) error { _, err := n.Acquire(0, 2); return err }, LockFull},
		"turns run out":   {func(l lock) { l[lockHead], l[lockTail] = 1<<48, 1<<48 }, func(n *NIC) error { _, err := n.Acquire(0, 2); return err }, LockBroken},
		"head beyond":     {func(l lock) { l[lockHead] = 1 }, func(n *NIC) error { _, err := n.Granted(0, 2, 0); return err }, LockBroken},
		"another's entry": {func(l lock) { l[lockTail], l[lockFIFO] = 1, entryOf(2, 0) }, func(n *NIC) error { _, err := n.Release(0, 2, 0); return err }, NotHolder},
		"an older entry":  {func(l lock) { l[lockTail], l[lockFIFO] = 1, entryOf(1, 7) }, func(n *NIC) error { _, err := n.Release(0, 2, 0); return err }, NotHolder},
		"no such lock":    {func(lock) {}, func(n *NIC) error { _, err := n.Acquire(0, Locks); return err }, NoLock},
		"lock -1":         {func(lock) {}, func(n *NIC) error { _, err := n.Granted(0, -1, 0); return err }, NoLock},
		"count of none":   {func(lock) {}, func(n *NIC) error { _, err := n.Count(0, Locks, true); return err }, NoLock},
		"counter of none": {func(lock) {}, func(n *NIC) error { _, err := n.Counter(0, Locks); return err }, NoLock},
		"no such node":    {func(lock) {}, func(n *NIC) error { _, err := n.Acquire(3, 0); return err }, NoNode},
		"a closed NIC":    {func(lock) {}, func(n *NIC) error { _ = n.Close(); _, err := n.Acquire(0, 0); return err }, Closed},
		"reserve, closed": {func(lock) {}, func(n *NIC) error { _ = n.Close(); _, err := n.ReserveLock(); return err }, Closed},
	} {
		_, n := open(t, 3)
		l, _ := n[0].lock(0, 2)
		c.forge(l)
		if err := c.do(n[1]); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		own, _ := n[1].Refused(c.want)
		if _, at := n[0].Refused(c.want); own != 1 || at == 1 != c.want.Arrived() {
			t.Errorf("%s: counted %d times, %d at the home", name, own, at)
		}
	}
	_, n := open(t, 3)
	l, _ := n[0].lock(0, 0)
	for node, turn := range map[int]uint64{7: 1, 1<<16 - 1: 1} { // the next one is no node
		l[lockHead], l[lockTail], l[lockFIFO], l[lockFIFO+1] = 0, 2, entryOf(1, 0), turn<<16|uint64(node)
		if next, err := n[1].Release(0, 0, 0); next != -1 || err != nil {
			t.Errorf("node %d is woken, %v", next, err)
		}
	}
	boss, n := open(t, 2)
	boss.Join(0, 7)
	if _, err := n[1].Acquire(0, 0); !errors.Is(err, WrongJob) {
		t.Error(err)
	}
}

// TestAskingWhileOthersComeAndGo: a node that requests a lock while others acquire and release it
// does not report it as broken because the head has passed the tail that it has just read.
func TestAskingWhileOthersComeAndGo(t *testing.T) {
	_, n := open(t, 4)
	var all sync.WaitGroup
	for _, nic := range n {
		all.Go(func() {
			for range 60_000 {
				turn, err := nic.Acquire(0, 0)
				for has := false; err == nil && !has && !t.Failed(); has, err = nic.Granted(0, 0, turn) {
					runtime.Gosched()
				}
				if t.Failed() { // a node that has a turn and gives up blocks all others
					return
				}
				if err == nil {
					_, err = nic.Release(0, 0, turn)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}
