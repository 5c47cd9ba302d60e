package cenju4

import (
	"bytes"
	"errors"
	"testing"

	"rhinet/llc/ir"
	"rhinet/nicemu/cenju4"
)

// switches returns the Switch of each translator of a job.
func switches(t *testing.T, peers int) (all []ir.Switch) {
	t.Helper()
	for _, tr := range open(t, peers, cenju4.Options{}) {
		all = append(all, ir.AbilitiesOf(tr).Switch)
	}
	return all
}

// joined has peers join a set that the first of them reserves.
func joined(t *testing.T, all []ir.Switch, peers ...int) (number int) {
	t.Helper()
	number, err := all[peers[0]].ReserveSet(peers)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range peers[1:] {
		if err := all[p].JoinSet(number, peers); err != nil {
			t.Fatal(err)
		}
	}
	return number
}

// TestSets: all members, and no other peer, have what a member multicasts; they have met when the last one
// has come; sets do not meet each other.
func TestSets(t *testing.T) {
	all := switches(t, 4)
	some, others := joined(t, all, 2, 0, 3), joined(t, all, 0, 1)
	if some == others {
		t.Fatal("two sets have one number")
	}
	data := []byte("to many, and to no others")
	if err := all[3].Multicast(some, 64, data); err != nil {
		t.Fatal(err)
	}
	for p, s := range all {
		if got := s.SetArea(some)[64:][:len(data)]; bytes.Equal(got, data) != (p != 1) {
			t.Errorf("peer %d has %q", p, got)
		}
	}
	for round := range uint64(3) {
		for i, p := range []int{0, 3, 2} {
			if err := all[p].Meet(some); err != nil {
				t.Fatal(err)
			}
			want := round
			if i == 2 {
				want++
			}
			if met := all[0].Met(some); met != want || all[2].Met(some) != want || all[0].Met(others) != 0 {
				t.Errorf("round %d, %d have come: met %d", round, i+1, met)
			}
		}
	}
}

// TestSetsAreGivenBack: a number is free when its last member leaves, and counts from 0 in the next set; the
// number of sets is limited.
func TestSetsAreGivenBack(t *testing.T) {
	all := switches(t, 2)
	for range 3 * 256 {
		n := joined(t, all, 0, 1)
		if all[0].Meet(n) != nil || all[1].Meet(n) != nil || all[0].Met(n) != 1 {
			t.Fatalf("set %d has met %d times", n, all[0].Met(n))
		}
		if err := errors.Join(all[1].LeaveSet(n, false), all[0].LeaveSet(n, true)); err != nil {
			t.Fatal(err)
		}
	}
	for range sets {
		joined(t, all, 0, 1)
	}
	if n, err := all[0].ReserveSet([]int{0, 1}); err == nil {
		t.Errorf("set %d of %d", n, sets)
	}
}

// TestWrongSets: wrong sets are errors, and nothing happens.
func TestWrongSets(t *testing.T) {
	all := switches(t, 3)
	n := joined(t, all, 0, 1)
	for name, err := range map[string]error{
		"joined twice":    all[0].JoinSet(n, []int{0, 1}),
		"another set":     all[2].JoinSet(n, []int{2, 1}),
		"no such number":  all[2].JoinSet(sets, []int{2, 1}),
		"not a member":    all[2].JoinSet(n+1, []int{0, 1}),
		"never joined":    all[2].LeaveSet(n, true),
		"beyond the area": all[0].Multicast(n, setBytes-8, make([]byte, 9)),
		"before it":       all[0].Multicast(n, -8, make([]byte, 8)),
		"not at 8 bytes":  all[0].Multicast(n, 4, make([]byte, 8)),
		"in no set":       all[2].Multicast(n, 0, make([]byte, 8)),
		"met in no set":   all[2].Meet(n),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := all[0].Meet(n); err != nil {
		t.Fatal(err)
	}
	if err := all[0].Meet(n); !errors.Is(err, cenju4.Pending) {
		t.Errorf("before the others have come: %v", err)
	}
	if err := errors.Join(all[1].LeaveSet(n, false), all[0].LeaveSet(n, true)); err != nil { // a packet waits for ever
		t.Fatal(err)
	}
	if other := joined(t, all, 0, 1); other == n {
		t.Error("a number is free whose packets wait in a switch")
	}
}
