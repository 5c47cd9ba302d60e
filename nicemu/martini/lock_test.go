package martini

import (
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/nicemu/fabric"
)

// flagPlace returns the place of lock id's acquisition flag in the communication memory.
func flagPlace(id int) uint64 { return uint64(id) * 8 }

func lockFlag(n *NIC, id int) *uint64 { return Word64(n.Common(), int(flagPlace(id))) }

// initLocks makes node home the representative of lock id in all NICs of a job.
func initLocks(t testing.TB, all []*NIC, id, home int) {
	t.Helper()
	for _, n := range all {
		if err := n.Window(0).InitLock(id, home, CommonSegment, flagPlace(id)); err != nil {
			t.Fatal(err)
		}
	}
}

// want requests a lock, as a process does.
func want(n *NIC, id int) error {
	atomic.StoreUint64(lockFlag(n, id), 0)
	return n.Window(0).Lock(id)
}

func acquired(n *NIC, id int) bool { return atomic.LoadUint64(lockFlag(n, id)) == 1 }

// hold fails unless a lock's line has this state.
func hold(t *testing.T, when string, n *NIC, id int, last Tenure, number uint32, over bool, reserved int) {
	t.Helper()
	if a, b, c, d := n.locks().State(id); a != last || b != number || c != over || d != reserved {
		t.Errorf("%s: node %d: last %#x, tenure %d, over %v, reserved for %d; want %#x, %d, %v, %d", when, n.rank, a, b, c, d, last, number, over, reserved)
	}
}

// TestLockGoesByItsMessages follows the example of the specification (section 9.2): M represents
// the lock, S2 holds it, S1 requests it.
func TestLockGoesByItsMessages(t *testing.T) {
	all := open(t, 3)
	m, s1, s2 := all[0], all[1], all[2]
	initLocks(t, all, 5, 0)
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	first := MakeTenure(5, 2, 1)
	ok(want(s2, 5))
	hold(t, "first request", m, 5, first, 0, true, -1)
	hold(t, "first request", s2, 5, 0, 1, false, -1)
	if !acquired(s2, 5) {
		t.Error("nobody has it, and the representative does not allow it")
	}
	ok(want(s1, 5))
	second := MakeTenure(5, 1, 1)
	hold(t, "reserved", m, 5, second, 0, true, -1)
	hold(t, "reserved", s2, 5, 0, 1, false, 1)
	if acquired(s1, 5) {
		t.Error("two have the lock")
	}
	ok(s2.Window(0).Unlock(5))
	hold(t, "passed on", s2, 5, 0, 1, true, -1)
	if !acquired(s1, 5) {
		t.Error("UNLOCK does not pass the lock on")
	}
	ok(s1.Window(0).Unlock(5))
	hold(t, "free", s1, 5, 0, 1, true, -1)
	// Lock Reserve finds the lock released: Lock Allow is sent at once.
	ok(want(m, 5))
	hold(t, "after a release", m, 5, MakeTenure(5, 0, 1), 1, false, -1)
	hold(t, "after a release", s1, 5, 0, 1, true, -1)
	if !acquired(m, 5) {
		t.Error("the lock is free, and not to be had")
	}
	// Requests are served in order.
	ok(want(s2, 5))
	ok(want(s1, 5))
	ok(m.Window(0).Unlock(5))
	if !acquired(s2, 5) || acquired(s1, 5) {
		t.Error("who came second goes first")
	}
	ok(s2.Window(0).Unlock(5))
	if !acquired(s1, 5) {
		t.Error("who came second is forgotten")
	}
	if id := first.Lock(); id != 5 || first.Process() != 2 || first.Number() != 1 {
		t.Errorf("tenure %#x is of lock %d, process %d, number %d", first, id, first.Process(), first.Number())
	}
	if serial := s1.Window(0).Contflag(); serial != 4 {
		t.Errorf("contflag is %d after four requests", serial)
	}
}

// TestLockExcludes has processes that own several locks count under them.
func TestLockExcludes(t *testing.T) {
	const ranks, locks, rounds = 4, 3, 200
	all := open(t, ranks)
	for id := range locks {
		initLocks(t, all, id, id)
	}
	var counters [locks]int // under their locks
	done := make(chan error)
	for _, n := range all {
		go func() {
			for i := range rounds {
				id := i % locks
				err := want(n, id)
				for end := time.Now().Add(20 * time.Second); err == nil && !acquired(n, id); {
					time.Sleep(time.Microsecond)
					if time.Now().After(end) {
						err = errors.New("the lock never comes")
					}
				}
				counters[id]++
				if err = errors.Join(err, n.Window(0).Unlock(id)); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range all {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	for id, c := range counters {
		if want := ranks * ((rounds + locks - 1 - id) / locks); c != want {
			t.Errorf("counter %d is %d, want %d", id, c, want)
		}
	}
}

// TestLockMistakes: a wrong call is an error with its reason, is counted, and changes no lock.
func TestLockMistakes(t *testing.T) {
	all := open(t, 3)
	n := all[0]
	w, forged := n.Window(0), n.Window(3)
	initLocks(t, all, 0, 1)
	initLocks(t, all[:1], 1, 1) // its representative has not initialized it
	initLocks(t, all[:1], 2, 1)
	initLocks(t, all[1:], 2, 2) // they do not agree
	if err := want(n, 0); err != nil {
		t.Fatal(err)
	}
	s, err := serve(n, 2*page)
	if err != nil {
		t.Fatal(err)
	}
	forged.nic.own.assign(3, 0xbad, 0)
	n.own.invalidate(4)
	raw := func(command, id uint64) error {
		w.page[DWCommand], w.page[DWTarget] = command|id<<24, 0
		return w.Write(DWKick, 1)
	}
	for _, c := range []struct {
		name string
		err  error
		want Reason
	}{
		{"no such lock", w.Lock(Locks), NoLock},
		{"lock -1", w.Unlock(-1), NoLock},
		{"init of no such lock", w.InitLock(Locks, 0, CommonSegment, 0), NoLock},
		{"no such lock, in the Window", raw(CommandLock, Locks), NoLock},
		{"init of none, in the Window", raw(CommandLockInit, 1<<39), NoLock},
		{"nobody has initialised it", w.Lock(9), NoLock},
		{"UNLOCK of it", w.Unlock(9), NoLock},
		{"LOCK twice", w.Lock(0), LockWanted},
		{"init of a lock that is wanted", w.InitLock(0, 1, CommonSegment, 0), LockWanted},
		{"UNLOCK of what is free", all[1].Window(0).Unlock(0), LockFree},
		{"no such representative", w.InitLock(3, 3, CommonSegment, 0), NoNode},
		{"the representative has no such lock", w.Lock(1), NoLock},
		{"it names another representative", w.Lock(2), NoLock},
		{"flag in no segment", w.InitLock(3, 0, 0, 0), NoSegment},
		{"flag in a withdrawn segment", w.InitLock(3, 0, s.stale, 0), Stale},
		{"flag beyond the end", w.InitLock(3, 0, s.good, uint64(len(s.mem))-7), BeyondSegment},
		{"flag on no pinned page", w.InitLock(3, 0, s.unpinned, 0), NotPinned},
		{"flag off a double word", w.InitLock(3, 0, s.good, 4), WrongLength},
		{"Window of another job", forged.InitLock(3, 0, CommonSegment, 0), WrongJob},
		{"LOCK by it", forged.Lock(0), WrongJob},
		{"Window of nobody", n.Window(4).Lock(0), InvalidWindow},
		{"unknown command", raw(99, 0), SpecialRequest},
	} {
		var r *Refusal
		if !errors.As(c.err, &r) || r.Reason != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.err, c.want)
		}
	}
	hold(t, "after all mistakes", n, 0, 0, 1, false, -1)
	if issued, arrived := all[1].Refused(NoLock); issued != 0 || arrived != 2 {
		t.Errorf("the representative counts %d and %d", issued, arrived)
	}
	// After the refusals the same lock, initialized correctly, works.
	initLocks(t, all, 1, 1)
	if err := want(n, 1); err != nil || !acquired(n, 1) {
		t.Error(err)
	}
	hold(t, "at last", n, 1, 0, 2, false, -1)
	if err := want(all[2], 2); err != nil || !acquired(all[2], 2) {
		t.Error(err)
	}
}

// TestForgedLockPackets: Lock Request and Lock Reserve that users send by BOTF are refused, counted
// on both sides, and change no lock.
func TestForgedLockPackets(t *testing.T) {
	f, err := fabric.Heap(3, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	all := openOn(t, f, 3, Options{}, Options{}, Options{Job: 0xbad})
	initLocks(t, all[:2], 0, 1)
	if err := want(all[1], 0); err != nil {
		t.Fatal(err)
	}
	held := MakeTenure(0, 1, 1)
	for _, kind := range []uint8{PacketLockRequest, PacketLockReserve} {
		for _, c := range []struct {
			name  string
			by    *NIC
			node  int
			pid   int
			local Tenure
			bytes int
			want  Reason
		}{
			{"nothing wrong but its maker", all[0], 1, 1, MakeTenure(0, 0, 1), 0, ForgedLock},
			{"for another requester", all[0], 1, 1, MakeTenure(0, 2, 1), 0, ForgedLock},
			{"requester out of range", all[0], 1, 1, MakeTenure(0, 3, 1), 0, ForgedLock},
			{"tenure that nobody has", all[0], 1, 1, MakeTenure(0, 0, 0), 0, ForgedLock},
			{"no such lock", all[0], 1, 1, MakeTenure(Locks, 0, 1), 0, NoLock},
			{"lock that nobody has initialised", all[0], 1, 1, MakeTenure(1, 0, 1), 0, NoLock},
			{"wrong PID", all[0], 1, 0, MakeTenure(0, 0, 1), 0, NoLock},
			{"wrong PGID", all[2], 1, 1, MakeTenure(0, 2, 1), 0, WrongJob},
			{"with payload", all[0], 1, 1, MakeTenure(0, 0, 1), 8, WrongLength},
			{"to no node", all[0], 7, 7, MakeTenure(0, 0, 1), 0, NoNode},
		} {
			issued, _ := c.by.Refused(c.want)
			_, arrived := all[1].Refused(c.want)
			err := c.by.Window(5).Botf(&Packet{
				Type: kind, Node: c.node, PID: c.pid, Offset: uint64(held), Local: uint64(c.local), Payload: make([]byte, c.bytes),
			})
			if !errors.Is(err, c.want) {
				t.Errorf("packet %d, %s: %v", kind, c.name, err)
			}
			if now, _ := c.by.Refused(c.want); now != issued+1 {
				t.Errorf("packet %d, %s: not counted by the issuer", kind, c.name)
			}
			if _, now := all[1].Refused(c.want); c.want != NoNode && now != arrived+1 {
				t.Errorf("packet %d, %s: not counted by the target", kind, c.name)
			}
			hold(t, c.name, all[1], 0, held, 1, false, -1)
		}
	}
	if err := errors.Join(want(all[0], 0), all[1].Window(0).Unlock(0)); err != nil || !acquired(all[0], 0) {
		t.Errorf("the lock does not go on: %v", err)
	}
}

// TestLockPacketsAreChecked: packets of firmware are checked too.
func TestLockPacketsAreChecked(t *testing.T) {
	all := open(t, 3)
	initLocks(t, all, 0, 1)
	if err := want(all[0], 0); err != nil {
		t.Fatal(err)
	}
	key := func(node int) uint64 { return makeKey(all[0].f.Job(), node) }
	asked := MakeTenure(0, 2, 1)
	for name, why := range map[string]Reason{
		"": 0, "not the representative": NoLock, "another's request": ForgedLock,
		"not from the representative": ForgedLock, "another receiver": ForgedLock, "another lock": ForgedLock,
	} {
		p := LockPacket{Key: key(1), Tenure: asked, Issuer: 2, From: 1, Follows: MakeTenure(0, 0, 1)}
		var got Reason
		switch name {
		case "not the representative":
			p.Key = key(0)
			_, got = all[0].locks().Request(&p)
		case "another's request":
			p.Issuer = 0
			_, got = all[1].locks().Request(&p)
		case "not from the representative", "another receiver", "another lock":
			p.Key = key(0)
			switch name {
			case "not from the representative":
				p.From = 2
			case "another receiver":
				p.Follows = MakeTenure(0, 1, 1)
			default:
				p.Follows = MakeTenure(1, 0, 1)
			}
			_, got = all[0].locks().Reserve(&p)
		}
		if got != why {
			t.Errorf("%s: %v", name, got)
		}
	}
	hold(t, "after all", all[0], 0, 0, 1, false, -1)
}

// lines are the lines of lock 0 in the memory of a NIC.
type lines struct{ own, turn *entry }

func linesOf(n *NIC) lines { return lines{n.locks().line(0), n.locks().turn(0)} }

// TestForgedLockMemory: values that another process may have written into NIC memory are checked
// before they are used.
func TestForgedLockMemory(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(home, me lines)
		then  func(n *NIC) error
		want  Reason
	}{
		"last requester that is none": {
			func(home, _ lines) { home.turn[lockLast] = uint64(MakeTenure(0, 77, 1)) }, func(n *NIC) error { return want(n, 0) }, ForgedLock,
		},
		"last requester of another lock": {
			func(home, _ lines) { home.turn[lockLast] = uint64(MakeTenure(3, 0, 1)) }, func(n *NIC) error { return want(n, 0) }, ForgedLock,
		},
		"reserved twice": {
			func(home, _ lines) {
				home.turn[lockLast], home.turn[lockTenure] = uint64(MakeTenure(0, 1, 9)), 1<<reservedShift|9
			},
			func(n *NIC) error { return want(n, 0) }, ForgedLock,
		},
		"representative that is none": {
			func(_, me lines) { me.own[lockHome] = 1 << 40 }, func(n *NIC) error { return want(n, 0) }, NoNode,
		},
		"reserved for nobody": {
			func(_, me lines) { me.turn[lockTenure] = 9<<reservedShift | 1 }, func(n *NIC) error { return n.Window(0).Unlock(0) }, NoNode,
		},
		"flag in no segment": {
			func(_, me lines) { me.own[lockSegment], me.turn[lockTenure] = 77, 1<<reservedShift|1 }, func(n *NIC) error { return n.Window(0).Unlock(0) }, NoSegment,
		},
	} {
		all := open(t, 2)
		initLocks(t, all, 0, 1)
		c.spoil(linesOf(all[1]), linesOf(all[0]))
		if err := c.then(all[0]); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, over, _ := all[0].locks().State(0); !over {
			t.Errorf("%s: the tenure goes on", name)
		}
	}
}

// TestNoiseInLockMemory: whatever a lock's lines hold, operations on the lock end, and write
// nothing but acquisition flags.
func TestNoiseInLockMemory(t *testing.T) {
	all := open(t, 3)
	rng := rand.New(rand.NewPCG(15, 16))
	initLocks(t, all, 0, 1)
	good := *linesOf(all[0]).own
	for range 5000 {
		for _, n := range all {
			e := linesOf(n)
			*e.own, *e.turn = good, entry{}
			e.own[lockKey] = n.key | winValid
			for range rng.IntN(4) {
				word := &e.turn[rng.IntN(2)]
				if i := rng.IntN(5); i < 3 {
					word = &e.own[1+i]
				}
				*word = rng.Uint64() >> rng.IntN(64)
			}
		}
		for range 3 {
			w := all[rng.IntN(3)].Window(0)
			if rng.IntN(2) == 0 {
				_ = w.Lock(0)
			} else {
				_ = w.Unlock(0)
			}
		}
	}
	*linesOf(all[1]).own, *linesOf(all[1]).turn = good, entry{}
	linesOf(all[1]).own[lockKey] = all[1].key | winValid
	if err := want(all[1], 0); err != nil || !acquired(all[1], 0) {
		t.Errorf("after all noise: %v", err)
	}
}

// TestRefusedLockIsPassedOn: a LOCK that is refused on its way may have been reserved meanwhile;
// then the process with the reservation gets it.
func TestRefusedLockIsPassedOn(t *testing.T) {
	all := open(t, 2)
	initLocks(t, all, 0, 1)
	if err := want(all[0], 0); err != nil {
		t.Fatal(err)
	}
	if err := want(all[1], 0); err != nil || acquired(all[1], 0) {
		t.Fatal(err)
	}
	// This is what lock does after queue has failed.
	key, _ := (&Hardware{all[0]}).Owner(0)
	next, why := all[0].locks().Release(key, 0, 2)
	if why != LockFree {
		t.Errorf("a tenure that is not this one: %d, %v", next, why)
	}
	next, why = all[0].locks().Release(key, 0, 1)
	if next != 1 || why != 0 {
		t.Errorf("reserved for %d, %v", next, why)
	}
}

func TestTenuresWrapAround(t *testing.T) {
	all := open(t, 2)
	initLocks(t, all, 0, 1)
	linesOf(all[0]).turn.store(lockTenure, tenureOver|0xffffffff)
	for number := range uint32(3) {
		if err := want(all[0], 0); err != nil || !acquired(all[0], 0) {
			t.Fatal(err)
		}
		hold(t, "wrapped", all[0], 0, 0, number+1, false, -1)
		if err := all[0].Window(0).Unlock(0); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLockAllocatesNothing(t *testing.T) {
	all := open(t, 2)
	initLocks(t, all, 0, 1)
	if used := testing.AllocsPerRun(100, func() {
		if want(all[0], 0) != nil || all[0].Window(0).Unlock(0) != nil {
			t.Fail()
		}
	}); used != 0 {
		t.Errorf("%v allocations", used)
	}
}
