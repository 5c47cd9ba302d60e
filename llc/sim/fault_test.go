package sim

import (
	"strings"
	"testing"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// TestFaultsAreNoticed plants one fault that a correct network does not have, which must be noticed within a
// few seeds: what no run notices, no run tests. An engine cannot do harm by losing a Grant, a Refuse or a
// CTSSplit packet: then nothing gets faster, and all messages arrive (next test).
func TestFaultsAreNoticed(t *testing.T) {
	for _, fault := range []string{
		"(Drop (And eager (OnIndex 2)))", "(Drop (And fragment (OnIndex 1)))", "(Drop (And offer (OnIndex 1)))",
		"(Drop (And ack (OnIndex 0)))", "(Drop (And stream (OnIndex 0)))", "(Drop (And data (OnIndex 1)))",
		"(Drop (And part (OnIndex 0)))", "(Drop (And finish (OnIndex 0)))", "(Drop (And switch (OnIndex 0)))",
		"(Repeat (And eager (OnIndex 2)))", "(Repeat (And fragment (OnIndex 1)))", "(Repeat (And offer (OnIndex 1)))",
		"(Repeat (And ack (OnIndex 0)))", "(Repeat (And split (OnIndex 0)))", "(Repeat (And stream (OnIndex 0)))",
		"(Repeat (And data (OnIndex 1)))", "(Repeat (And part (OnIndex 0)))", "(Repeat (And finish (OnIndex 0)))",
		"(Repeat (And switch (OnIndex 0)))", "(Repeat (And grant (OnIndex 0)))", "(Repeat (And refuse (OnIndex 0)))",
		"(Delay (And eager (OnIndex 2)))", "(Delay (And fragment (OnIndex 1)))", "(Delay (And (From 0) (To 1) data))",
	} {
		if n := firstNoticed(func(seed uint64) Params {
			p := calm(seed)
			p.Fault = fault
			return p
		}); n < 0 {
			t.Errorf("%s: not noticed", fault)
		}
	}
}

func TestLossThatDoesNoHarm(t *testing.T) {
	for _, fault := range []string{"(Drop grant)", "(Drop refuse)", "(Drop cts-split)"} {
		for seed := range uint64(300) {
			p := calm(seed)
			p.Fault = fault
			if err := Run(p); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// calm returns a world in which nothing else goes wrong.
func calm(seed uint64) Params {
	p := Random(seed)
	p.Crash, p.Forger, p.Refuse, p.Deny, p.Fault = 0, 0, 0, 0, ""
	if seed%2 == 0 {
		p.Caps.Split, p.Caps.SplitUnit, p.Caps.Words, p.Bytes, p.Caps.Remote = 200, 64, 4, 2500, true
	}
	return p
}

// firstNoticed returns the first seed whose run fails, or -1.
func firstNoticed(params func(seed uint64) Params) int {
	for seed := range uint64(500) {
		if Run(params(seed)) != nil {
			return int(seed)
		}
	}
	return -1
}

func TestRecipesReplay(t *testing.T) {
	failed := 0
	for seed := range uint64(60) {
		p := Random(seed)
		p.Fault = "(Drop (And eager (OnIndex 3)))"
		p.Tags++
		p.Caps.Remote = !p.Caps.Remote
		q, err := Parse(p.String())
		if err != nil {
			t.Fatal(err)
		}
		if p.String() != q.String() {
			t.Fatalf("%v became %v", p, q)
		}
		want, got := Run(p), Run(q)
		if (want == nil) != (got == nil) || want != nil && want.Error() != got.Error() {
			t.Fatalf("first %v, then %v", want, got)
		}
		if want != nil {
			failed++
			if !strings.Contains(want.Error(), p.String()) {
				t.Fatalf("%v does not print its recipe", want)
			}
		}
	}
	if failed == 0 {
		t.Fatal("no run failed")
	}
}

func TestBadRecipes(t *testing.T) {
	for _, recipe := range []string{
		"", "sim: seed=x", "sim: seed=1 peers", "sim: seed=1 peers=two", "sim: seed=1 colour=2", "sim: seed=1 remote=maybe",
		"sim: seed=1 (Drop", "sim: seed=1 (Drop nothing)", "sim: seed=1 (Lose eager)", "sim: seed=1 (Drop eager) more",
		"sim: seed=1 (Drop (And))", "sim: seed=1 (Drop (Not eager data))", "sim: seed=1 (Drop (From x))",
		"sim: seed=1 (Drop (Beside 1))", "sim: seed=1 (Drop (And eager", "sim: seed=1 (Drop (And (OnIndex 1 2)))",
	} {
		if p, err := Parse(recipe); err == nil {
			t.Errorf("%q was read as %v", recipe, p)
		}
	}
	if err := Run(Params{Fault: "nonsense", Peers: 1, Caps: Random(1).Caps}); err == nil {
		t.Error("a run took a fault that cannot be read")
	}
	if _, err := ParseFault("Drop eager"); err == nil {
		t.Error("a fault without parentheses was read")
	}
}

func TestPredicates(t *testing.T) {
	cmd := &ir.Command{Peer: 1, Header: ir.Header{Kind: wire.Ack}}
	for text, want := range map[string]Fate{
		"(Drop ack)": Drop, "(Drop data)": Deliver, "(Repeat (From 0))": Repeat, "(Drop (To 0))": Deliver,
		"(Delay (Or data ack))": Delay, "(Drop (Or data (Not ack)))": Deliver, "(Drop (And ack (Not data) (OnIndex 0)))": Drop,
		"(Drop (OnIndex 1))": Deliver,
	} {
		f, err := ParseFault(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := f(0, cmd); got != want {
			t.Errorf("%s: fate %d, want %d", text, got, want)
		}
	}
}
