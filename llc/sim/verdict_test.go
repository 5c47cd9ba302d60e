package sim

import (
	"strings"
	"testing"

	"rhinet/llc"
	"rhinet/llc/wire"
)

// TestOutcomes: what a run with a fault must, may and must not do.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		kind      wire.Kind
		fate      Fate
		must, may bool
	}{
		{wire.Eager, Deliver, false, false},
		{wire.Grant, Drop, false, false}, {wire.Refuse, Drop, false, false}, {wire.CTSSplit, Drop, false, false},
		{wire.Switch, Drop, false, true}, {wire.Eager, Drop, true, true}, {wire.FIN, Drop, true, true},
		{wire.Grant, Repeat, true, true}, {wire.Data, Repeat, true, true}, {wire.Ack, Delay, false, true},
	} {
		w := &world{net: &Net{}}
		w.net.Fates[c.kind][c.fate] = 1
		if must, may := w.expected(); must != c.must || may != c.may {
			t.Errorf("%s, fate %d: must %v, may %v", wire.KindName(c.kind), c.fate, must, may)
		}
	}
}

// TestCheck: a fault that is noticed is right; one that is not noticed and an endless run are not.
func TestCheck(t *testing.T) {
	noticed := false
	for seed := range uint64(100) {
		p := calm(seed)
		p.Fault = "(Drop (And eager (OnIndex 1)))"
		if err := Check(p); err != nil {
			t.Fatal(err)
		}
		noticed = noticed || Run(p) != nil
	}
	if !noticed {
		t.Error("no run noticed a loss")
	}
	blind := calm(3)
	blind.Fault = "(Repeat grant)"
	blind.Caps.Rings = 0 // no rings are granted: no packet is affected
	if err := Check(blind); err != nil {
		t.Error(err)
	}
	p := calm(1)
	p.Fault = "(Lose eager)"
	if err := Check(p); err == nil || !strings.Contains(err.Error(), "no fault") {
		t.Error(err)
	}
	// An engine that goes wrong without any packet affected is not excused by a fault.
	p = calm(2)
	p.Fault = "(Drop (And data (OnIndex 100000)))"
	p.Prepare = func(peer int, e *llc.Engine) {
		if peer == 0 {
			e.Recv(&llc.Request{Peer: 1, Buf: make([]byte, p.Bytes)})
		}
	}
	if err := Check(p); err == nil || strings.Contains(err.Error(), "nobody noticed") {
		t.Errorf("a message that the program does not know of was taken: %v", err)
	}
}

// TestRandomFaults: seeds draw every fate and every kind, and what they draw can
// be read.
func TestRandomFaults(t *testing.T) {
	missing := map[string]bool{"(Drop": true, "(Repeat": true, "(Delay": true, "(From": true, "none": true}
	for k := wire.Eager; k < wire.NumKinds; k++ {
		missing[" "+wire.KindName(k)] = true
	}
	for seed := range uint64(3000) {
		p := Random(seed)
		if p.Fault == "" {
			delete(missing, "none")
			continue
		}
		if _, err := ParseFault(p.Fault); err != nil {
			t.Fatal(err)
		}
		if p.Crash+p.Forger+p.Refuse+p.Deny != 0 {
			t.Fatalf("a fault beside others: %v", p)
		}
		for word := range missing {
			if strings.Contains(p.Fault, word) {
				delete(missing, word)
			}
		}
	}
	if len(missing) > 0 {
		t.Errorf("never drawn: %v", missing)
	}
}
