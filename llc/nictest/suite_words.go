package nictest

import (
	"encoding/binary"

	"rhinet/llc/ir"
)

// testAtomics has peers update words of each other and of their own, and asks for words that are out of
// reach.
func testAtomics(r *rig) {
	can := ir.AbilitiesOf(r.ts[0])
	if can.Atomics == nil || can.Memory == nil {
		r.Skip("no atomic operations on memory that peers share")
	}
	const words, peers = 64, 3
	at, err := can.Memory.Reserve(peers * words * ir.WordBytes)
	if err != nil {
		r.Skip(err)
	}
	parts, segs := make([][]byte, peers), make([]ir.Segment, peers)
	for i := range parts {
		parts[i] = ir.AbilitiesOf(r.ts[i]).Memory.Reserved(at+uint64(i*words*ir.WordBytes), words*ir.WordBytes)
		if segs[i], err = ir.AbilitiesOf(r.ts[i]).Atomics.ExposeWords(parts[i]); err != nil {
			r.Fatal(err)
		}
	}
	want := func(what string, is, want uint64, err error) {
		r.Helper()
		if err != nil || is != want {
			r.Errorf("%s: %d, want %d, %v", what, is, want, err)
		}
	}
	for by, t := range r.ts {
		a := ir.AbilitiesOf(t).Atomics
		for target, seg := range segs {
			offset := uint64((by*peers + target) * ir.WordBytes)
			word := func() uint64 { return binary.NativeEndian.Uint64(parts[target][offset:]) }
			want("add", word(), 0, nil)
			err := a.AddWord(target, seg, offset, 1<<63+5)
			want("added", word(), 1<<63+5, err)
			err = a.AddWord(target, seg, offset, 1<<63)
			want("added beyond 64 bits", word(), 5, err)
			was, err := a.SwapWord(target, seg, offset, 9)
			want("what was swapped", was, 5, err)
			was, err = a.CompareSwapWord(target, seg, offset, 8, 1)
			want("what was compared and differed", was, 9, err)
			want("what differed", word(), 9, nil)
			was, err = a.CompareSwapWord(target, seg, offset, 9, 1)
			want("what was compared", was, 9, err)
			want("compared and swapped", word(), 1, nil)
		}
	}
	testWrongWords(r, parts, segs)
	r.quiet()
}

// testWrongWords asks for words that do not exist, or are not exposed any more.
func testWrongWords(r *rig, parts [][]byte, segs []ir.Segment) {
	a := ir.AbilitiesOf(r.ts[1]).Atomics
	before := string(parts[0]) + string(parts[2])
	all := func(what string, peer int, s ir.Segment, offset uint64) {
		r.Helper()
		_, swap := a.SwapWord(peer, s, offset, 77)
		_, compare := a.CompareSwapWord(peer, s, offset, 0, 77)
		if add := a.AddWord(peer, s, offset, 77); add == nil || swap == nil || compare == nil {
			r.Errorf("%s: add %v, swap %v, compare and swap %v", what, add, swap, compare)
		}
	}
	size := uint64(len(parts[0]))
	all("behind the end", 0, segs[0], size)
	all("across a boundary of 8 bytes", 0, segs[0], 4)
	all("far away", 0, segs[0], 1<<63)
	all("before the beginning", 0, segs[0], ^uint64(7))
	if err := ir.AbilitiesOf(r.ts[2]).Atomics.ConcealWords(segs[2]); err != nil {
		r.Error(err)
	}
	all("concealed", 2, segs[2], 0)
	if after := string(parts[0]) + string(parts[2]); after != before {
		r.Error("a word was updated that must not be")
	}
	if s, err := a.ExposeWords(parts[1][1:9]); err == nil {
		r.Errorf("words are exposed from an odd byte on, as %d", s)
	}
	for i := range 2 {
		if err := ir.AbilitiesOf(r.ts[i]).Atomics.ConcealWords(segs[i]); err != nil {
			r.Error(err)
		}
	}
}

// testLocks has peers ask for locks of each other: the peer that asked first has it first, and no other peer
// has it.
func testLocks(r *rig) {
	if ir.AbilitiesOf(r.ts[0]).Locker == nil {
		r.Skip("no locks")
	}
	var all []ir.Locker
	for _, t := range r.ts {
		all = append(all, ir.AbilitiesOf(t).Locker)
	}
	seen := map[int]bool{}
	for {
		n, err := all[0].ReserveLock()
		if err != nil {
			break
		}
		if seen[n] {
			r.Fatalf("lock %d is reserved twice", n)
		}
		seen[n] = true
	}
	for n := range seen {
		testLock(r, all, 0, n)
		all[0].FreeLock(n)
	}
	if n, err := all[0].ReserveLock(); err != nil || !seen[n] {
		r.Errorf("lock %d after all were given back, %v", n, err)
	}
	if _, err := all[1].Acquire(0, len(seen)); err == nil {
		r.Error("a lock that is none is asked for")
	}
	if h := all[1].Holder(0, len(seen)); h != ir.NoPeer {
		r.Errorf("peer %d has a lock that is none", h)
	}
	r.quiet()
}

// testLock goes through turns of a lock.
func testLock(r *rig, all []ir.Locker, home, number int) {
	has := func(peer int, turn uint64, want bool) {
		r.Helper()
		if ok, err := all[peer].Granted(home, number, turn); ok != want || err != nil {
			r.Errorf("lock %d: peer %d has it: %v, want %v, %v", number, peer, ok, want, err)
		}
	}
	turns := make([]uint64, len(all))
	for round := range 5 {
		order := []int{round % 3, (round + 1) % 3, (round + 2) % 3}
		for _, p := range order {
			var err error
			if turns[p], err = all[p].Acquire(home, number); err != nil {
				r.Fatal(err)
			}
		}
		for i, p := range order {
			for k, other := range order[i:] {
				has(other, turns[other], k == 0)
				if h := all[other].Holder(home, number); h != p {
					r.Errorf("lock %d: to peer %d, peer %d has it; want %d", number, other, h, p)
				}
			}
			if i < 2 {
				if err := all[order[2]].ReleaseLock(home, number, turns[order[2]]); err == nil {
					r.Errorf("lock %d: peer %d gives back what peer %d has", number, order[2], p)
				}
			}
			if err := all[p].ReleaseLock(home, number, turns[p]); err != nil {
				r.Fatal(err)
			}
			if err := all[p].ReleaseLock(home, number, turns[p]); err == nil {
				r.Errorf("lock %d: peer %d gives it back twice", number, p)
			}
		}
	}
	if h := all[1].Holder(home, number); h != ir.NoPeer {
		r.Errorf("lock %d: peer %d has what all have given back", number, h)
	}
	testWithdraw(r, all, home, number)
	for i, more := range []bool{true, true, false, true, false, false} {
		if err := all[i%3].Count(home, number, more); err != nil {
			r.Error(err)
		}
		if n, err := all[(i+1)%3].Counter(home, number); n != []uint64{1, 2, 1, 2, 1, 0}[i] || err != nil {
			r.Errorf("lock %d: %d are counted, %v", number, n, err)
		}
	}
	if err := all[1].Count(home, number, false); err == nil {
		r.Errorf("lock %d counts less than nobody", number)
	}
}

// testWithdraw has peers withdraw requests: the first, one between others, and the last, which then is made
// again. No other peer waits for those.
func testWithdraw(r *rig, all []ir.Locker, home, number int) {
	turns := make([]uint64, len(all))
	ask := func(p int) {
		var err error
		if turns[p], err = all[p].Acquire(home, number); err != nil {
			r.Fatal(err)
		}
	}
	has := func(p int) {
		r.Helper()
		if ok, err := all[p].Granted(home, number, turns[p]); !ok || err != nil {
			r.Errorf("lock %d: peer %d has it: %v, %v", number, p, ok, err)
		}
	}
	must := func(err error) {
		r.Helper()
		if err != nil {
			r.Error(err)
		}
	}
	for p := range 3 {
		ask(p)
	}
	must(all[1].Withdraw(home, number, turns[1]))
	if err := all[1].Withdraw(home, number, turns[1]); err == nil {
		r.Errorf("lock %d: a request is withdrawn twice", number)
	}
	has(0)
	must(all[0].Withdraw(home, number, turns[0]))
	has(2)
	ask(0)
	must(all[0].Withdraw(home, number, turns[0]))
	ask(0)
	must(all[2].ReleaseLock(home, number, turns[2]))
	has(0)
	must(all[0].ReleaseLock(home, number, turns[0]))
}

// testSleepLock has a lock wake a sleeper: when its turn comes, and when it has the lock and the counter goes
// to 0.
func testSleepLock(r *rig, polled func() bool) {
	can := ir.AbilitiesOf(r.ts[0])
	if can.Locker == nil {
		return
	}
	l, other := can.Locker, ir.AbilitiesOf(r.ts[1]).Locker
	n, err := l.ReserveLock()
	if err != nil {
		r.Fatal(err)
	}
	turn := func(of ir.Locker) uint64 {
		t, err := of.Acquire(0, n)
		if err != nil {
			r.Fatal(err)
		}
		return t
	}
	must := func(err error) {
		if err != nil {
			r.Fatal(err)
		}
	}
	r.slumber(1, "Release", func() {
		first, second := turn(l), turn(other)
		must(l.ReleaseLock(0, n, first))
		must(other.ReleaseLock(0, n, second))
	}, polled)
	r.slumber(1, "Withdraw", func() {
		first, second := turn(l), turn(other)
		must(l.Withdraw(0, n, first))
		must(other.ReleaseLock(0, n, second))
	}, polled)
	r.slumber(1, "Count", func() {
		must(l.Count(0, n, true))
		second := turn(other)
		must(l.Count(0, n, false))
		must(other.ReleaseLock(0, n, second))
	}, polled)
	l.FreeLock(n)
}
