package sync

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// An asked is a request in a reference queue, and an askedOf says whose it is.
type asked struct {
	node int
	turn uint64
	gone bool // withdrawn
}

type askedOf struct{ node, home, number int }

// head returns q from the first request on that is wanted.
func head(q []asked) []asked {
	for len(q) > 0 && q[0].gone {
		q = q[1:]
	}
	return q
}

// nextOf returns the node that has the lock, or -1.
func nextOf(q []asked) int {
	if len(q) == 0 {
		return -1
	}
	return q[0].node
}

// TestLocksAgainstAQueue: random requests, valid and invalid, have the same results as a queue of
// nodes for each lock.
func TestLocksAgainstAQueue(t *testing.T) {
	_, goroutines := open(t, 5)
	for kind, n := range map[string][]*NIC{"goroutines": goroutines, "processes": mapped(t, 5)} {
		rng := rand.New(rand.NewPCG(4, 2))
		queues, counts := [5][Locks][]asked{}, [5][Locks]uint64{}
		latest, again := map[askedOf]uint64{}, 0
		for range 30_000 {
			node, home, number := rng.IntN(5), rng.IntN(5), rng.IntN(2)*(Locks-1)
			q, count := &queues[home][number], &counts[home][number]
			switch rng.IntN(5) {
			case 0:
				turn, err := n[node].Acquire(home, number)
				if err != nil {
					if len(*q) != LockPlaces || !errors.Is(err, LockFull) {
						t.Fatalf("%s: %d have asked: %v", kind, len(*q), err)
					}
					continue
				}
				name := askedOf{node, home, number}
				was, has := latest[name]
				delete(latest, name)
				if i := slices.Index(*q, asked{node, was, true}); has && i >= 0 {
					if turn != was {
						t.Fatalf("%s: node %d has turn %d, and had withdrawn %d", kind, node, turn, was)
					}
					(*q)[i].gone = false
					again++
					continue
				}
				*q = append(*q, asked{node, turn, false})
			case 1:
				if len(*q) == 0 {
					continue
				}
				a := (*q)[rng.IntN(min(2, len(*q)))] // the holder, or the next one
				next, err := n[node].Release(home, number, a.turn)
				if ok := a == (*q)[0] && a.node == node; ok != (err == nil) || !ok && !errors.Is(err, NotHolder) {
					t.Fatalf("%s: node %d gives back the turn of %+v, whose queue is %+v: %v", kind, node, a, *q, err)
				} else if ok {
					*q = head((*q)[1:])
					if next != nextOf(*q) {
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
				if !more && *count == 0 {
					want = nextOf(*q)
				}
				if c, e := n[home].Counter(home, number); errors.Join(err, e) != nil || c != *count || holder != want {
					t.Fatalf("%s: %d are counted, want %d; node %d is woken, want %d; %v, %v", kind, c, *count, holder, want, err, e)
				}
			case 3:
				if len(*q) == 0 {
					continue
				}
				i := rng.IntN(min(6, len(*q)))
				a := (*q)[i]
				next, err := n[node].Withdraw(home, number, a.turn)
				if ok := !a.gone && a.node == node; ok != (err == nil) || !ok && !errors.Is(err, NotHolder) {
					t.Fatalf("%s: node %d withdraws the turn of %+v, whose queue is %+v: %v", kind, node, a, *q, err)
				} else if ok {
					latest[askedOf{node, home, number}] = a.turn
					(*q)[i].gone = true
					*q = head(*q)
					if next != nextOf(*q) {
						t.Fatalf("%s: node %d is woken, the queue is %+v", kind, next, *q)
					}
				}
			default:
				for i, a := range (*q)[:min(2, len(*q))] {
					if has, err := n[a.node].Granted(home, number, a.turn); has != (i == 0) || err != nil {
						t.Fatalf("%s: %+v has the lock: %v, %v; %+v", kind, a, has, err, *q)
					}
				}
			}
		}
		if again == 0 {
			t.Errorf("%s: no turn was withdrawn and wanted again", kind)
		}
	}
}

// TestWithdrawnTurns: a node that requests and withdraws again and again has one place in the FIFO; a
// turn is not withdrawn twice, nor after its release; a release after that of a withdrawn turn wakes
// the node behind.
func TestWithdrawnTurns(t *testing.T) {
	_, n := open(t, 3)
	first, err := n[0].Acquire(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	var turn uint64
	for range 2 * LockPlaces {
		if turn, err = n[1].Acquire(0, 1); err != nil || turn != first+1 {
			t.Fatalf("turn %d after %d: %v", turn, first, err)
		}
		if next, err := n[1].Withdraw(0, 1, turn); next != 0 || err != nil {
			t.Fatalf("node %d has the lock: %v", next, err)
		}
	}
	for name, do := range map[string]func() (int, error){
		"twice":            func() (int, error) { return n[1].Withdraw(0, 1, turn) },
		"another's":        func() (int, error) { return n[1].Withdraw(0, 1, first) },
		"never requested":  func() (int, error) { return n[1].Withdraw(0, 1, turn+1) },
		"released":         func() (int, error) { return n[1].Release(0, 1, turn) },
		"of no such lock":  func() (int, error) { return n[1].Withdraw(0, Locks, turn) },
		"of no such node":  func() (int, error) { return n[1].Withdraw(3, 1, turn) },
		"of an idle lock":  func() (int, error) { return n[1].Withdraw(0, 2, 0) },
		"of an older turn": func() (int, error) { return n[1].Withdraw(0, 1, turn+LockPlaces) },
	} {
		if next, err := do(); next != -1 || err == nil {
			t.Errorf("%s: node %d, %v", name, next, err)
		}
	}
	last, err := n[2].Acquire(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if next, err := n[0].Release(0, 1, first); next != 2 || err != nil {
		t.Errorf("node %d is woken, %v", next, err)
	}
	if has, err := n[2].Granted(0, 1, last); !has || err != nil {
		t.Errorf("%v, %v", has, err)
	}
	if next, err := n[2].Withdraw(0, 1, last); next != -1 || err != nil {
		t.Errorf("the lock is given back by its holder: node %d, %v", next, err)
	}
	if _, err := n[2].Withdraw(0, 1, last); !errors.Is(err, NotHolder) {
		t.Errorf("a turn that has passed: %v", err)
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
	for name, c := range map[string]struct{ first, head uint64 }{ // of a request in turn 0; node 1 withdraws turn 1
		"being written":    {0, 0},
		"not quite passed": {entryOf(passed, 0), 2},
		"withdrawn":        {entryOf(2|withdrawn, 0), 2},
		"of node 2":        {entryOf(2, 0), 0},
		"of no node":       {entryOf(17, 0), 0},
	} {
		clear(l)
		l[lockTail], l[lockFIFO], l[lockFIFO+1] = 2, c.first, entryOf(1, 1)
		if _, err := n[1].Withdraw(0, 0, 1); err != nil || l[lockHead] != c.head {
			t.Errorf("%s: the head is at %d, want %d; %v", name, l[lockHead], c.head, err)
		}
	}
	boss, n := open(t, 2)
	boss.Join(0, 7)
	if _, err := n[1].Acquire(0, 0); !errors.Is(err, WrongJob) {
		t.Error(err)
	}
}

// TestWithdrawingWhileOthersComeAndGo: nodes that withdraw some of their requests, whether or not the
// turn has come, stop nobody, and never have the lock together.
func TestWithdrawingWhileOthersComeAndGo(t *testing.T) {
	const nodes, rounds = 4, 20_000
	_, n := open(t, nodes)
	var all sync.WaitGroup
	held, had := 0, [nodes]int{} // held is protected by the lock
	for i, nic := range n {
		rng := rand.New(rand.NewPCG(uint64(i), 8))
		all.Go(func() {
			for range rounds {
				turn, err := nic.Acquire(0, 0)
				has := false
				for looks := rng.IntN(6); err == nil && !has && (i == 0 || looks > 0) && !t.Failed(); looks-- {
					runtime.Gosched()
					has, err = nic.Granted(0, 0, turn)
				}
				switch {
				case t.Failed():
					return
				case err == nil && !has:
					_, err = nic.Withdraw(0, 0, turn)
				case err == nil:
					held++
					had[i]++
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
	sum := 0
	for _, h := range had {
		sum += h
	}
	if had[0] != rounds || held != sum || sum == nodes*rounds {
		t.Errorf("%v had the lock, together %d", had, held)
	}
	if number, err := n[0].ReserveLock(); number != 0 || err != nil {
		t.Errorf("requests are left: lock %d is free, %v", number, err)
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
