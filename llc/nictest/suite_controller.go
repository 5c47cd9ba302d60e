package nictest

import "rhinet/llc/ir"

// testController has peers execute codes in all orders, each sequence by itself, and checks how far each
// gets.
func testController(r *rig) {
	if ir.AbilitiesOf(r.ts[0]).Controller == nil {
		r.Skip("no barrier controllers")
	}
	all := make([]ir.Controller, len(r.ts))
	for i, t := range r.ts {
		all[i] = ir.AbilitiesOf(t).Controller
	}
	if all[0].Sequences() < 1 {
		r.Fatal("no sequences")
	}
	for number := range all[0].Sequences() {
		testSequence(r, all, number, uint64(number)+1)
	}
	if _, err := all[0].Sequence(0, []int{1}, 1); err == nil {
		r.Error("a sequence is opened at a place where it has been")
	}
	r.quiet()
}

// testSequence opens a sequence between all peers.
func testSequence(r *rig, all []ir.Controller, number int, base uint64) {
	codes := make([]ir.Codes, len(all))
	for i := range all {
		var peers []int
		for p := range all {
			if p != i {
				peers = append(peers, p)
			}
		}
		var err error
		if codes[i], err = all[i].Sequence(number, peers, base); err != nil {
			r.Fatalf("sequence %d: %v", number, err)
		}
	}
	last := len(codes) - 1
	for round := range uint32(40) {
		for i, c := range codes {
			if c.Next() != base+2*uint64(round) {
				r.Fatalf("sequence %d: peer %d is at %d", number, i, c.Next())
			}
		}
		for i := range codes {
			for p := range codes { // those before i have come to where it goes next
				if mark, ok := codes[i].Ahead(p); p != i && (ok != (p < i) || ok && mark != round<<8|uint32(p)) {
					r.Fatalf("sequence %d, round %d: peer %d sees mark %#x of %d ahead, %v", number, round, i, mark, p, ok)
				}
			}
			codes[i].Code(round<<8 | uint32(i))
			if !codes[i].Go() {
				r.Fatalf("sequence %d, round %d: peer %d waits in its first code, though all have been there", number, round, i)
			}
			if i < last {
				codes[i].Code(0)
				if codes[i].Go() {
					r.Fatalf("sequence %d, round %d: peer %d does not wait for the last", number, round, i)
				}
			}
		}
		for i := range last {
			if !codes[i].Go() {
				r.Fatalf("sequence %d, round %d: peer %d waits though all have come", number, round, i)
			}
		}
		if codes[last].Code(0); !codes[last].Go() {
			r.Fatalf("sequence %d, round %d: the last waits", number, round)
		}
		for i, c := range codes {
			for p := range codes {
				if mark, ok := c.Mark(p); p != i && (!ok || mark != round<<8|uint32(p)) {
					r.Fatalf("sequence %d, round %d: peer %d sees mark %#x of %d, %v", number, round, i, mark, p, ok)
				}
			}
		}
	}
}

// testSleepCode has a code wake a sleeper.
func testSleepCode(r *rig, polled func() bool) {
	c := ir.AbilitiesOf(r.ts[0]).Controller
	if c == nil {
		return
	}
	codes, err := c.Sequence(0, []int{1}, 1)
	if err != nil {
		r.Fatal(err)
	}
	r.slumber(1, "Code", func() { codes.Code(0) }, polled)
}
