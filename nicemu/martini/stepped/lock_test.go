package stepped

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// lockWorld is a world whose nodes have lock 5, represented by node 0, with the acquisition flags
// at the beginning of their areas. It records the types of the packets that reach FLIT3 of RFend.
type lockWorld struct {
	*world
	seen []uint8 // types of the packets that the link brought
}

func newLockWorld(t *testing.T, ranks int, o Options) *lockWorld {
	l := new(lockWorld)
	told := o.Observe
	o.Observe = func(e Event) {
		if e.Module == RFend && e.From == FLIT3 {
			l.seen = append(l.seen, l.m.nodes[e.Node].rf.h.kind())
		}
		if told != nil {
			told(e)
		}
	}
	l.world = newWorld(t, ranks, 1, o)
	for i := range ranks {
		l.init(i, 5, 0)
		if why := l.last(); why != 0 {
			t.Fatal(why)
		}
		clear(l.areas[i][:8])
	}
	l.seen = nil
	return l
}

// call kicks a special request for a lock.
func (w *world) call(node int, command uint8, id uint64, home int, seg martini.Segment, offset uint64) {
	w.t.Helper()
	serial := w.must(w.m.Request(node, 2, command, martini.Request{Node: home, Segment: seg, Offset: offset}, 0, id))
	if done := w.nics[node].Window(2).Contflag(); done != serial {
		w.t.Errorf("contflag %d of %d", done, serial)
	}
}

func (w *world) init(node, id, home int) {
	w.t.Helper()
	w.call(node, martini.CommandLockInit, uint64(id), home, w.seg[node], 0)
}

func (w *world) lock(node, id int) {
	w.t.Helper()
	w.call(node, martini.CommandLock, uint64(id), node, 0, 0)
}

func (w *world) unlock(node, id int) {
	w.t.Helper()
	w.call(node, martini.CommandUnlock, uint64(id), node, 0, 0)
}

// acquired reports whether a node's acquisition flag is set, and clears it.
func (w *world) acquired(node int) bool {
	v := binary.NativeEndian.Uint64(w.areas[node])
	clear(w.areas[node][:8])
	return v == 1
}

// messages fails unless exactly these packets have passed since the last call.
func (l *lockWorld) messages(when string, want ...uint8) {
	l.t.Helper()
	if !slices.Equal(l.seen, want) {
		l.t.Errorf("%s: packets %v, want %v", when, l.seen, want)
	}
	l.seen = nil
}

const (
	aRequest = martini.PacketLockRequest
	aReserve = martini.PacketLockReserve
	anAllow  = martini.PacketPush
)

// TestLockTakesThreeMessages follows the example of the specification (section 9.2): M represents
// the lock, S2 holds it, S1 requests it.
func TestLockTakesThreeMessages(t *testing.T) {
	const m, s1, s2 = 0, 1, 2
	o := Options{}
	states := visited(&o, m, RFend)
	l := newLockWorld(t, 3, o)
	*states = nil
	l.lock(s2, 5)
	l.messages("nobody had it", aRequest, anAllow)
	if !l.acquired(s2) {
		t.Fatal("the representative does not allow the first")
	}
	want := []State{IDLE, FLIT0, FLIT1, FLIT2, FLIT3, MISS, IDLE}
	if !slices.Equal(*states, want) {
		t.Errorf("Lock Request:\n%v, want\n%v", *states, want)
	}
	l.lock(s1, 5)
	l.messages("held", aRequest, aReserve)
	if _, _, over, to := l.inside(s2).LockTable().State(5); over || to != s1 || l.acquired(s1) {
		t.Fatalf("reserved for %d, over %v", to, over)
	}
	l.unlock(s2, 5)
	l.messages("unlocked", anAllow)
	if !l.acquired(s1) {
		t.Fatal("UNLOCK does not pass the lock on")
	}
	l.unlock(s1, 5)
	l.messages("nobody waits")
	l.lock(s2, 5)
	l.messages("released when Lock Reserve came", aRequest, aReserve, anAllow)
	if !l.acquired(s2) {
		t.Error("the lock is free, and not to be had")
	}
	l.unlock(s2, 5)
	l.lock(m, 5) // the representative is a process like any other
	l.messages("by the representative", aRequest, aReserve, anAllow)
	if !l.acquired(m) || l.last() != 0 {
		t.Error("the representative does not get it")
	}
}

// TestLocksOfAllNodesAtOnce has every node request the lock, and each gets it in turn, in the order
// in which the requests have reached the representative.
func TestLocksOfAllNodesAtOnce(t *testing.T) {
	const nodes = 5
	for wait := range 40 {
		l := newLockWorld(t, nodes, Options{})
		for i := range nodes {
			if _, err := l.m.Request(i, 2, martini.CommandLock, martini.Request{Node: i}, 0, 5); err != nil {
				t.Fatal(err)
			}
			for range wait {
				l.m.Step()
			}
		}
		l.run()
		for turn := range nodes {
			has := -1
			for i := range nodes {
				if l.acquired(i) {
					if has >= 0 {
						t.Fatalf("%d and %d have the lock", has, i)
					}
					has = i
				}
			}
			if has < 0 {
				t.Fatalf("%d steps apart: nobody has the lock in turn %d", wait, turn)
			}
			if wait > 30 && has != turn { // longer than the time of a message
				t.Errorf("%d steps apart: node %d in turn %d", wait, has, turn)
			}
			l.unlock(has, 5)
		}
	}
}

// TestUnlockMeetsReserve has UNLOCK begin at every moment around the arrival of a Lock Reserve: the
// requester always gets the lock, exactly once.
func TestUnlockMeetsReserve(t *testing.T) {
	for wait := 0; wait < 120; wait += 3 {
		l := newLockWorld(t, 3, Options{})
		l.lock(2, 5)
		l.acquired(2)
		l.seen = nil
		if _, err := l.m.Request(1, 2, martini.CommandLock, martini.Request{Node: 1}, 0, 5); err != nil {
			t.Fatal(err)
		}
		for range wait {
			l.m.Step()
		}
		l.unlock(2, 5)
		l.run()
		l.messages("in all", aRequest, aReserve, anAllow)
		if !l.acquired(1) {
			t.Fatalf("UNLOCK after %d steps: the lock is lost", wait)
		}
	}
}

// TestLockMistakes: each is refused with its reason, counted at the issuer and, if it got that far,
// at the node that refused it.
func TestLockMistakes(t *testing.T) {
	l := newLockWorld(t, 3, Options{})
	l.init(1, 6, 0) // node 0 has not initialized it
	l.lock(1, 5)
	must(t, l.boss.Invalidate(1, 3))
	for _, c := range []struct {
		name    string
		do      func()
		want    martini.Reason
		arrived int // node that counts an arrival, or -1
	}{
		{"no such lock", func() { l.lock(1, martini.Locks) }, martini.NoLock, -1},
		{"a lock that nobody initialised", func() { l.lock(1, 9) }, martini.NoLock, -1},
		{"UNLOCK of it", func() { l.unlock(1, 9) }, martini.NoLock, -1},
		{"LOCK twice", func() { l.lock(1, 5) }, martini.LockWanted, -1},
		{"UNLOCK of a free lock", func() { l.unlock(2, 5) }, martini.LockFree, -1},
		{"init of a wanted lock", func() { l.init(1, 5, 0) }, martini.LockWanted, -1},
		{"no such representative", func() { l.init(1, 7, 3) }, martini.NoNode, -1},
		{"no flag there", func() { l.call(1, martini.CommandLockInit, 7, 0, l.seg[1], 5000) }, martini.BeyondSegment, -1},
		{"representative without the lock", func() { l.lock(1, 6) }, martini.NoLock, 0},
		{"Window of nobody", func() {
			l.must(l.m.Request(1, 3, martini.CommandLock, martini.Request{Node: 1}, 0, 5))
		}, martini.InvalidWindow, -1},
	} {
		issued, _ := l.nics[1].Refused(c.want)
		other, _ := l.nics[2].Refused(c.want)
		var arrived uint64
		if c.arrived >= 0 {
			_, arrived = l.nics[c.arrived].Refused(c.want)
		}
		c.do()
		if why := l.last(); why != c.want {
			t.Errorf("%s: %v, want %v", c.name, why, c.want)
		}
		now, _ := l.nics[1].Refused(c.want)
		if far, _ := l.nics[2].Refused(c.want); now+far != issued+other+1 {
			t.Errorf("%s: not counted by the issuer", c.name)
		}
		if c.arrived >= 0 {
			if _, now := l.nics[c.arrived].Refused(c.want); now != arrived+1 {
				t.Errorf("%s: not counted where it arrived", c.name)
			}
		}
	}
	if _, _, over, _ := l.inside(1).LockTable().State(6); !over {
		t.Error("a LOCK that was refused goes on")
	}
	l.acquired(1)
	l.unlock(1, 5)
	l.lock(2, 5)
	if !l.acquired(2) || l.last() != 0 {
		t.Error("the lock does not go on")
	}
}

// TestForgedLockPackets tries the packets that a user can send by BOTF: they are refused and
// counted, and no lock changes.
func TestForgedLockPackets(t *testing.T) {
	w := hostile(t, Options{})
	for i := range 2 {
		w.init(i, 5, 1)
		clear(w.areas[i][:8])
	}
	w.lock(1, 5)
	if !w.acquired(1) {
		t.Fatal("not acquired")
	}
	held := martini.MakeTenure(5, 1, 1)
	for _, kind := range []uint8{aRequest, aReserve} {
		for _, c := range []struct {
			name     string
			by       int
			tenure   martini.Tenure
			pid      int
			payload  []byte
			want     martini.Reason
			reserved martini.Tenure
		}{
			{"nothing wrong but its maker", 0, martini.MakeTenure(5, 0, 1), 1, nil, martini.ForgedLock, held},
			{"for another requester", 0, martini.MakeTenure(5, 1, 1), 1, nil, martini.ForgedLock, held},
			{"requester out of range", 0, martini.MakeTenure(5, 3, 1), 1, nil, martini.ForgedLock, held},
			{"no such lock", 0, martini.MakeTenure(martini.Locks, 0, 1), 1, nil, martini.NoLock, held},
			{"lock that nobody has", 0, martini.MakeTenure(6, 0, 1), 1, nil, martini.NoLock, held},
			{"wrong PID", 0, martini.MakeTenure(5, 0, 1), 0, nil, martini.NoLock, held},
			{"wrong PGID", 2, martini.MakeTenure(5, 0, 1), 1, nil, martini.WrongJob, held},
			{"with payload", 0, martini.MakeTenure(5, 0, 1), 1, make([]byte, 8), martini.WrongLength, held},
		} {
			p := path{"BOTF", func(w *world, by, win int, _ martini.Segment, _ uint64, victim uint32) (uint64, error) {
				return w.m.Botf(by, win, &martini.Packet{
					Type: kind, PGID: victim, PID: c.pid, Node: 1, Local: uint64(c.tenure), Offset: uint64(c.reserved), Payload: c.payload,
				})
			}}
			w.attack(c.name, p, c.by, 0, 0, 0, c.want, 1)
			last, number, over, to := w.inside(1).LockTable().State(5)
			if last != held || number != 1 || over || to != -1 {
				t.Fatalf("%s: last %#x, tenure %d, over %v, reserved for %d", c.name, last, number, over, to)
			}
		}
	}
	clear(w.areas[0][:8])
	w.lock(0, 5)
	w.unlock(1, 5)
	if !w.acquired(0) || w.last() != 0 {
		t.Error("the lock does not go on")
	}
}

// TestRefusedReserveEndsTheLock: a LOCK ends if the previous requester's firmware refuses its Lock
// Reserve; the requester learns that, and may try again. A process that has reserved the lock after
// it meanwhile gets the lock.
func TestRefusedReserveEndsTheLock(t *testing.T) {
	l := newLockWorld(t, 4, Options{})
	l.lock(2, 5)
	l.init(2, 5, 0) // refused: it has a tenure
	if why := l.last(); why != martini.LockWanted {
		t.Fatal(why)
	}
	l.acquired(2)
	l.unlock(2, 5)
	l.init(2, 5, 1) // from now on it has another representative
	l.lock(1, 5)    // node 2 no longer accepts its Reserve from node 0
	if why := l.last(); why != martini.ForgedLock {
		t.Fatalf("refused for %v", why)
	}
	if _, arrived := l.nics[2].Refused(martini.ForgedLock); arrived != 1 {
		t.Errorf("counted %d times at node 2", arrived)
	}
	if _, number, over, _ := l.inside(1).LockTable().State(5); number != 1 || !over || l.acquired(1) {
		t.Errorf("tenure %d, over %v", number, over)
	}
	l.lock(3, 5) // node 1 was the last requester, and has given up
	if !l.acquired(3) || l.last() != 0 {
		t.Error("the lock does not go on")
	}
}

// TestGivenUpLockIsPassedOn: as above, but another process reserves the lock before the notice of
// the refusal arrives.
func TestGivenUpLockIsPassedOn(t *testing.T) {
	passed := 0
	for wait := 0; wait < 150; wait += 5 {
		l := newLockWorld(t, 4, Options{})
		l.lock(2, 5)
		l.acquired(2)
		l.unlock(2, 5)
		l.init(2, 5, 1)
		l.seen = nil
		for _, by := range []int{1, 3} {
			if _, err := l.m.Request(by, 2, martini.CommandLock, martini.Request{Node: by}, 0, 5); err != nil {
				t.Fatal(err)
			}
			for range wait {
				l.m.Step()
			}
		}
		l.run()
		if !l.acquired(3) || l.acquired(1) {
			t.Fatalf("%d steps apart: the lock is lost", wait)
		}
		if slices.Equal(l.seen, []uint8{aRequest, aReserve, aRequest, aReserve, anAllow}) {
			passed++
		}
	}
	if passed == 0 {
		t.Error("never in this order")
	}
}

// TestAllowThatCannotArrive: the flag's memory is gone. The process that unlocks learns that; a
// requester that would get the lock at once gives it up.
func TestAllowThatCannotArrive(t *testing.T) {
	l := newLockWorld(t, 3, Options{})
	l.lock(2, 5)
	l.lock(1, 5)
	if err := l.nics[1].Conceal(l.seg[1]); err != nil {
		t.Fatal(err)
	}
	l.unlock(2, 5)
	if why := l.last(); why != martini.Stale {
		t.Errorf("UNLOCK: %v", why)
	}
	l.unlock(1, 5)
	l.lock(1, 5)
	if why := l.last(); why != martini.Stale {
		t.Errorf("LOCK: %v", why)
	}
	if _, _, over, _ := l.inside(1).LockTable().State(5); !over {
		t.Error("it goes on wanting the lock")
	}
	l.acquired(2)
	l.lock(2, 5)
	if !l.acquired(2) || l.last() != 0 {
		t.Error("the lock does not go on")
	}
}

// TestForgedLockMemory: nothing is sent to a process that does not exist.
func TestForgedLockMemory(t *testing.T) {
	for name, c := range map[string]struct {
		word int // index in the owner's line, then in the other
		v    uint64
		want martini.Reason
	}{
		"last requester": {8, uint64(martini.MakeTenure(5, 77, 1)), martini.ForgedLock},
		"reservation":    {9, 9<<48 | 1, martini.NoNode},
		"representative": {1, 1 << 17, martini.NoNode},
	} {
		l := newLockWorld(t, 2, Options{})
		own, turn := lockLines(l.f, 0, 5)
		if c.word < len(own) {
			own[c.word] = c.v
		} else {
			turn[c.word-len(own)] = c.v
		}
		switch c.word {
		case 8:
			l.lock(1, 5)
		case 1:
			l.lock(0, 5)
		default:
			l.unlock(0, 5)
		}
		if why := l.last(); why != c.want {
			t.Errorf("%s: %v", name, why)
		}
	}
}

// TestBothNICsShareTheLock has one process use the fast path and another the
// stepped model.
func TestBothNICsShareTheLock(t *testing.T) {
	l := newLockWorld(t, 3, Options{})
	fast := l.nics[1].Window(2)
	for range 3 {
		if err := fast.Lock(5); err != nil || !l.acquired(1) {
			t.Fatal(err)
		}
		l.lock(2, 5)
		if l.acquired(2) {
			t.Fatal("two have the lock")
		}
		if err := fast.Unlock(5); err != nil || !l.acquired(2) {
			t.Fatal(err)
		}
		if err := errors.Join(fast.Lock(5), nil); err != nil || l.acquired(1) {
			t.Fatal(err)
		}
		l.unlock(2, 5)
		if !l.acquired(1) {
			t.Fatal("the lock is lost")
		}
		if err := fast.Unlock(5); err != nil {
			t.Fatal(err)
		}
	}
}

// lockLines returns a lock's lines in NIC memory: that of its owner, where locks are the last
// table, and that which the firmware of others writes too.
func lockLines(f *fabric.Fabric, rank, id int) (own, turn []uint64) {
	const words = 8
	at := martini.MemoryBytes/8 - (martini.Locks-id)*words
	own = f.Words(rank, fabric.Device)[at : at+words]
	return own, f.Words(rank, fabric.Public)[64+id*words:][:words]
}
