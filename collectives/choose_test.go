package collectives

import (
	"errors"
	"strings"
	"testing"
)

func TestChoice(t *testing.T) {
	zeros := make([]int, 4)
	tests := []struct {
		size      int
		o         Options
		flagArray bool
		call      Call
		recv      int
		reducer   Reducer
		want      string
	}{
		{size: 1, call: Call{Kind: Barrier}, want: "alone"},
		{size: 4, call: Call{Kind: Barrier}, want: "dissemination"},
		{size: 4, call: Call{Kind: Barrier}, flagArray: true, want: "exchange"},
		{size: 4, call: Call{Kind: Barrier}, o: Options{Oversubscribed: true}, want: "linear"},
		{size: 4, call: Call{Kind: Bcast}, recv: 64, flagArray: true, want: "exchange"},
		{size: 4, call: Call{Kind: Bcast}, recv: 65, flagArray: true, want: "binomial"},
		{size: 4, call: Call{Kind: Bcast}, recv: 0, flagArray: true, want: "binomial"},
		{size: 4, call: Call{Kind: Allgatherv, Elem: 1, Send: make([]byte, 3), RecvCounts: []int{3, 64, 0, 1}}, recv: 68, flagArray: true, want: "exchange"},
		{size: 4, call: Call{Kind: Allgatherv, Elem: 1, Send: make([]byte, 3), RecvCounts: []int{3, 65, 0, 0}}, recv: 68, flagArray: true, want: "ring"},
		{size: 4, call: Call{Kind: ReduceScatter, Send: make([]byte, 64), SendCounts: []int{16, 16, 16, 16}}, recv: 16, reducer: sum{}, flagArray: true, want: "exchange"},
		{size: 4, call: Call{Kind: ReduceScatter, Send: make([]byte, 64), SendCounts: []int{64, 0, 0, 0}}, recv: 64, reducer: sum{}, flagArray: true, want: "recursive-halving"},
		// Messages go only to ranks that have a part: those that have none need not wait.
		{size: 4, call: Call{Kind: ReduceScatter, Send: make([]byte, 64), SendCounts: []int{16, 16, 16, 16}}, recv: 16, reducer: sum{}, o: Options{Oversubscribed: true}, flagArray: true, want: "exchange"},
		{size: 4, call: Call{Kind: ReduceScatter, Send: make([]byte, 16), SendCounts: []int{16, 0, 0, 0}}, recv: 16, reducer: sum{}, o: Options{Oversubscribed: true}, flagArray: true, want: "linear"},
		{size: 4, call: Call{Kind: ReduceScatter, Send: make([]byte, 16), SendCounts: []int{16, 0, 0, 0}}, recv: 16, reducer: sum{}, flagArray: true, want: "exchange"},
		{size: 4, call: Call{Kind: Alltoallv, Elem: 1, SendCounts: zeros, RecvCounts: zeros}, flagArray: true, want: "exchange"},
		{size: 4, call: Call{Kind: Alltoallv, Elem: 1, SendCounts: zeros, RecvCounts: zeros}, want: "linear"},
		{size: 4, call: Call{Kind: Alltoallv, Elem: 1, SendCounts: zeros, RecvCounts: zeros}, o: Options{Oversubscribed: true}, flagArray: true, want: "linear"},
		{size: 4, call: Call{Kind: Bcast}, recv: mib, want: "chain"},
		// Ranks that share processors wait for few other ranks, however much data they
		// move.
		{size: 4, call: Call{Kind: Bcast}, recv: 4 * mib, o: Options{Oversubscribed: true}, want: "linear"},
		{size: 4, call: Call{Kind: Allgather, Send: make([]byte, 32*kib)}, recv: 128 * kib, o: Options{Oversubscribed: true}, want: "recursive-doubling"},
		{size: 4, call: Call{Kind: Allgather, Send: make([]byte, 64*kib)}, recv: 256 * kib, o: Options{Oversubscribed: true}, want: "linear"},
		{size: 64, call: Call{Kind: Allgather, Send: make([]byte, 48)}, recv: 64 * 48, o: Options{Oversubscribed: true}, want: "linear"},
		{size: 65, call: Call{Kind: Allgather, Send: make([]byte, 48)}, recv: 65 * 48, o: Options{Oversubscribed: true}, want: "bruck"},
		{size: 65, call: Call{Kind: Allgather, Send: make([]byte, 8*kib)}, recv: 65 * 8 * kib, o: Options{Oversubscribed: true}, want: "linear"},
		{size: 2, call: Call{Kind: Allgather, Send: make([]byte, 48)}, recv: 96, want: "linear"},
		{size: 2, call: Call{Kind: Allreduce}, recv: mib, reducer: sum{}, want: "ring"},
		{size: 2, call: Call{Kind: Allreduce}, recv: mib, reducer: left{}, want: "rabenseifner"},
		{size: 2, call: Call{Kind: Allreduce}, recv: 8, reducer: sum{}, want: "recursive-doubling"},
		{size: 2, call: Call{Kind: Allreduce}, recv: 256 * kib, reducer: left{}, want: "recursive-doubling"},
		{size: 2, call: Call{Kind: Allreduce}, recv: 257 * kib, reducer: sum{}, want: "rabenseifner"},
		{size: 3, call: Call{Kind: Allreduce}, recv: 17 * kib, reducer: sum{}, want: "rabenseifner"},
		{size: 16, call: Call{Kind: Allreduce}, recv: 8, reducer: sum{}, o: Options{Oversubscribed: true}, want: "linear"},
		{size: 8, call: Call{Kind: Bcast}, recv: 8, o: force("bcast=chain"), want: "chain"},
		// Ranks on several hosts, with several ranks on some of them, at all sizes; but
		// hosts whose ranks are not consecutive cannot reduce in order.
		{size: 4, call: Call{Kind: Barrier}, o: Options{Hosts: []int{0, 0, 1, 1}}, want: "hosts"},
		{size: 4, call: Call{Kind: Barrier}, o: Options{Hosts: []int{3, 3, 3, 3}}, want: "dissemination"},
		{size: 4, call: Call{Kind: Barrier}, o: Options{Hosts: []int{3, 2, 1, 0}}, want: "dissemination"},
		{size: 4, call: Call{Kind: Barrier}, o: Options{Hosts: []int{3, 2, 1, 3}, Oversubscribed: true}, want: "hosts"},
		{size: 4, call: Call{Kind: Bcast}, recv: mib, o: Options{Hosts: []int{0, 1, 0, 1}}, want: "hosts"},
		{size: 4, call: Call{Kind: Allreduce}, recv: 8, reducer: left{}, o: Options{Hosts: []int{1, 1, 0, 0}}, want: "hosts"},
		{size: 4, call: Call{Kind: Allreduce}, recv: 8, reducer: left{}, o: Options{Hosts: []int{0, 1, 0, 1}}, want: "recursive-doubling"},
		{size: 4, call: Call{Kind: Allreduce}, recv: 8, reducer: sum{}, o: Options{Hosts: []int{0, 1, 0, 1}}, want: "hosts"},
		{size: 4, call: Call{Kind: Allgather, Send: make([]byte, 64)}, recv: 256, o: Options{Hosts: []int{0, 1, 0, 1}}, want: "recursive-doubling"},
		{size: 4, call: Call{Kind: Allgather, Send: make([]byte, 64)}, recv: 256, o: Options{Hosts: []int{0, 0, 0, 1}}, want: "hosts"},
		{size: 4, call: Call{Kind: Allgather, Send: make([]byte, 64*kib)}, recv: 256 * kib, o: Options{Hosts: []int{0, 0, 0, 1}}, want: "ring"},
		{size: 4, call: Call{Kind: Bcast}, recv: 8, o: force("bcast=hosts"), want: "binomial"},
		// If a forced algorithm cannot be used, the table chooses.
		{size: 8, call: Call{Kind: Allreduce}, recv: mib, reducer: left{}, o: force("allreduce=ring"), want: "rabenseifner"},
		{size: 8, call: Call{Kind: Bcast}, recv: 8, o: force("bcast=exchange"), want: "binomial"},
	}
	for _, tt := range tests {
		var tr Transport = newFake(0, tt.size)
		if tt.flagArray {
			tr = &fakeFlagArray{fake: newFake(0, tt.size)}
		}
		g := mustGroup(t, tr, tt.o)
		tt.call.Recv, tt.call.Reducer = make([]byte, tt.recv), tt.reducer
		if tt.call.Kind == Allreduce {
			tt.call.Send = make([]byte, tt.recv)
		}
		if got, err := g.Algorithm(tt.call); got != tt.want || err != nil {
			t.Errorf("%v of %d bytes, %d ranks, %+v: %s, %v; want %s", tt.call.Kind, tt.recv, tt.size, tt.o, got, err, tt.want)
		}
	}
}

func force(list string) Options {
	f, err := ParseForce(list)
	if err != nil {
		panic(err)
	}
	return Options{Force: f}
}

// Prepared calls use messages, since ranks may start them in different orders; blocking
// calls use the exchange also while such calls are in progress, and make progress on
// them.
func TestBlockingCallsExchangeBesidePreparedOnes(t *testing.T) {
	f := &fakeFlagArray{fake: newFake(0, 4)}
	slow := &slowFlagArray{fakeFlagArray: f, left: 2}
	g := mustGroup(t, slow, Options{})
	if g.Barrier(); f.exchanges != 1 {
		t.Fatalf("%d exchanges", f.exchanges)
	}
	if g.run(&Call{Kind: Barrier}); f.exchanges != 2 { // by its schedule
		t.Fatalf("%d exchanges", f.exchanges)
	}
	op, err := g.Prepare(Call{Kind: Barrier})
	if err != nil || f.exchanges != 2 {
		t.Fatalf("%d exchanges, %v", f.exchanges, err)
	}
	if g.Barrier(); f.exchanges != 3 || f.tests != 0 {
		t.Errorf("%d exchanges, with nothing under way; %d tests", f.exchanges, f.tests)
	}
	if op.Start(); f.exchanges != 3 || !op.active {
		t.Fatalf("%d exchanges by a prepared call, active %t", f.exchanges, op.active)
	}
	if err := g.Barrier(); err != nil || f.exchanges != 4 || op.active {
		t.Errorf("%d exchanges, %v, active %t", f.exchanges, err, op.active)
	}
	if g.Size() != 4 {
		t.Errorf("size %d", g.Size())
	}
	for _, want := range []*error{&f.refused, &f.failed} {
		*want, slow.left = errWait, 10
		op.Start()
		if err := g.Barrier(); !errors.Is(err, errWait) {
			t.Errorf("error %v", err)
		}
		*want, slow.left = nil, 0
		if err := op.Wait(); err != nil {
			t.Error(err)
		}
	}
}

// A slowFlagArray completes messages after some tests.
type slowFlagArray struct {
	*fakeFlagArray
	left int
}

func (s *slowFlagArray) Test(int, int) (bool, error) { s.left--; return s.left <= 0, nil }

// Every operation has algorithms, and the last one serves any call, with and without
// oversubscription.
func TestTableIsComplete(t *testing.T) {
	for _, k := range Kinds() {
		ns := names(k)
		if len(ns) == 0 {
			t.Errorf("%v has no algorithm", k)
			continue
		}
		for i := range table {
			r := &table[i]
			if r.kind == k && r.name == ns[len(ns)-1] && (r.normal != always || r.oversubscribed != always || r.needs != 0 || r.exchange != nil) {
				t.Errorf("%v/%s is the last resort and has limits", k, r.name)
			}
		}
	}
}

func TestWrongNames(t *testing.T) {
	for list, want := range map[string]string{
		"bcast=ring":  "binomial",
		"brodcast=x":  "reduce_scatter_block",
		"bcast":       "operation=algorithm",
		"barrier=,=1": "",
	} {
		_, err := ParseForce(list)
		if !errors.Is(err, ErrName) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one with %q", list, err, want)
		}
	}
	if f, err := ParseForce(" bcast = chain, ,barrier=tree"); err != nil || f["bcast"] != "chain" || f["barrier"] != "tree" {
		t.Errorf("%v, %v", f, err)
	}
	if _, err := New(newFake(0, 2), Options{Force: map[string]string{"scan": "x"}}); !errors.Is(err, ErrName) {
		t.Errorf("New: %v", err)
	}
}

func TestTablePrints(t *testing.T) {
	text := Table()
	for _, want := range []string{
		"allreduce", "recursive-doubling", "2^k ranks, commutative", "by name only", "..16K bytes", "512K.. bytes", "8.. ranks", "any",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if got := limits(1, 3*mib) + limits(kib, 0); got != "1..3M1K.." {
		t.Error(got)
	}
	if got := numKinds.String(); got != "kind 16" {
		t.Error(got)
	}
}
