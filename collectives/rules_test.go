package collectives

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func mustRules(t *testing.T, list string) []Rule {
	t.Helper()
	rules, err := ParseRules(list)
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestRulesReadAsTheyAreWritten(t *testing.T) {
	const list = "bcast=linear@4..7@65536..@shared,reduce_scatter=pairwise@2..@0..1023,barrier=tree@0..@0.."
	rules := mustRules(t, list)
	want := []Rule{
		{Kind: Bcast, Algorithm: "linear", MinRanks: 4, MaxRanks: 7, MinBytes: 65536, Oversubscribed: true},
		{Kind: ReduceScatter, Algorithm: "pairwise", MinRanks: 2, MaxBytes: 1023},
		{Kind: Barrier, Algorithm: "tree"},
	}
	if !slices.Equal(rules, want) {
		t.Errorf("%+v", rules)
	}
	var back []string
	for _, r := range rules {
		back = append(back, r.String())
	}
	if got := strings.Join(back, ","); got != list {
		t.Errorf("written %s", got)
	}
	if rules, err := ParseRules(""); err != nil || rules != nil {
		t.Errorf("%v, %v", rules, err)
	}
}

func TestWrongRules(t *testing.T) {
	for list, want := range map[string]string{
		"bcast=pigeon@2..@0..":              `no algorithm "pigeon" for bcast; there are exchange`,
		"sing=chain@2..@0..":                `no operation "sing"`,
		"bcast=chain@2..@0..,":              `"" is no rule, such as`,
		"bcast@2..@0..":                     "is no rule, such as",
		"bcast=chain@2..":                   "is no rule, such as",
		"bcast=chain@2..@0..@apart":         "is no rule, such as",
		"bcast=chain@2..@0..@shared@shared": "is no rule, such as",
		"bcast=chain@2@0..":                 "ranks and bytes are ranges",
		"bcast=chain@4..3@0..":              "ranks and bytes are ranges",
		"bcast=chain@2..@x..":               "ranks and bytes are ranges",
		"bcast=chain@2..@0..0":              "ranks and bytes are ranges",
		"bcast=chain@-2..@0..":              "ranks and bytes are ranges",
	} {
		if rules, err := ParseRules(list); !errors.Is(err, ErrName) || !strings.Contains(err.Error(), want) || rules != nil {
			t.Errorf("%s: %v, %v; want %s", list, rules, err, want)
		}
	}
	if _, err := New(newFake(0, 2), Options{Rules: []Rule{{Kind: Scan, Algorithm: "x"}}}); !errors.Is(err, ErrName) {
		t.Errorf("New: %v", err)
	}
}

// A rule applies where it holds and its algorithm can serve the call; a forced
// algorithm comes before it, and the table after it.
func TestRulesComeBeforeTheTable(t *testing.T) {
	const list = "bcast=chain@4..7@100..199,bcast=scatter-allgather@4..@100..,bcast=binomial@2..3@0..,bcast=linear@4..@0..@shared," +
		"allreduce=ring@2..@0..,bcast=binomial@5..@0..63"
	for _, c := range []struct {
		size      int
		bytes     int
		shared    bool
		force     string
		flagArray bool
		want      string
	}{
		{4, 100, false, "", false, "chain"},
		{4, 199, false, "", false, "chain"},
		{4, 200, false, "", false, "scatter-allgather"},
		{8, 100, false, "", false, "scatter-allgather"},
		{4, 99, false, "", false, "binomial"},
		{2, mib, false, "", false, "binomial"},
		{4, 150, true, "", false, "linear"},
		{4, 150, false, "bcast=binomial", false, "binomial"},
		{5, 8, false, "", true, "binomial"},
		{4, 8, false, "", true, "exchange"},
		{5, 64, false, "", true, "exchange"},
	} {
		var tr Transport = newFake(0, c.size)
		if c.flagArray {
			tr = &fakeFlagArray{fake: newFake(0, c.size)}
		}
		o := force(c.force)
		o.Rules, o.Oversubscribed = mustRules(t, list), c.shared
		g := mustGroup(t, tr, o)
		if got := g.Choice(Bcast, c.bytes); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
		if most := o.Exchanges(Bcast, c.size, 64); (most >= 8) != (g.Choice(Bcast, 8) == "exchange") && c.flagArray {
			t.Errorf("%+v: exchanges of %d bytes", c, most)
		}
	}
	// Where ranks know only their own parts, all choose as for 0 bytes.
	for _, rank := range []int{0, 1} {
		g := mustGroup(t, &fakeFlagArray{fake: newFake(rank, 2)}, Options{Rules: mustRules(t, "alltoallv=pairwise@2..@0..7,gatherv=linear@2..@0..7,alltoallv=linear@2..@8..")})
		parts := []int{8, 8}
		if got, err := g.Algorithm(Call{Kind: Alltoallv, Elem: 1, Send: make([]byte, 16), Recv: make([]byte, 16), SendCounts: parts, RecvCounts: parts}); got != "pairwise" || err != nil {
			t.Errorf("%s, %v", got, err)
		}
		if got := g.choose(shape{kind: Gatherv, bytes: 8 * rank, elem: 1}).name; got != "linear" || g.Choice(Alltoallv, 100) != "pairwise" {
			t.Errorf("%s, %s", got, g.Choice(Alltoallv, 100))
		}
	}
	// If a call does not meet the requirements of an algorithm, the table chooses.
	g := mustGroup(t, newFake(0, 2), Options{Rules: mustRules(t, list)})
	if got, err := g.Algorithm(Call{Kind: Allreduce, Send: make([]byte, 8), Recv: make([]byte, 8), Reducer: left{}}); got != "recursive-doubling" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// TestUpToWhichLengthCallsAreExchanges: the combined result of table, rules and forced
// algorithms, in bytes that a rank sends.
func TestUpToWhichLengthCallsAreExchanges(t *testing.T) {
	rules := func(list string) Options { return Options{Rules: mustRules(t, list)} }
	for _, c := range []struct {
		o    Options
		kind Kind
		size int
		want int
	}{
		{Options{}, Bcast, 4, 500}, {force("bcast=exchange"), Bcast, 4, 500}, {force("bcast=chain"), Bcast, 4, -1},
		{rules("bcast=chain@2..@49.."), Bcast, 4, 48}, {rules("bcast=chain@2..@501.."), Bcast, 4, 500}, {rules("bcast=chain@2..@0..7"), Bcast, 4, -1},
		{rules("bcast=chain@2..@49..,bcast=linear@2..@9..10"), Bcast, 4, 8},
		{rules("bcast=chain@2..@0..@shared"), Bcast, 4, 500}, {rules("bcast=exchange@2..@0..,reduce=linear@2..@0.."), Bcast, 4, 500},
		{rules("bcast=chain@5..@0.."), Bcast, 4, 500},
		// Blocks for all ranks.
		{rules("alltoall=linear@2..@10.."), Alltoall, 4, 29}, {rules("scatter=linear@2..@10.."), Scatter, 4, 29}, {rules("scatter=linear@2..@0.."), Scatter, 4, -1},
		// Ranks that know only their own part choose as for 0 bytes.
		{rules("gatherv=linear@2..@8.."), Gatherv, 4, 500}, {rules("gatherv=linear@2..@0..7"), Gatherv, 4, -1}, {rules("barrier=linear@2..@0.."), Barrier, 4, -1},
		// The table has ranges.
		{Options{}, ReduceScatter, 4, 500}, {Options{Oversubscribed: true}, ReduceScatter, 4, 500}, {Options{}, Scatterv, 99, -1},
		{Options{Oversubscribed: true}, Gather, 4, 500}, {Options{}, Alltoallv, 4, 500}, {Options{Oversubscribed: true}, Alltoallv, 4, -1},
		{Options{}, Allgather, fewRanks, 500}, {Options{}, Allgather, fewRanks + 1, exchangeLine}, {Options{Oversubscribed: true}, Allgather, fewRanks + 1, 500},
	} {
		if got := c.o.Exchanges(c.kind, c.size, 500); got != c.want {
			t.Errorf("%v of %d ranks, %+v: %d bytes, want %d", c.kind, c.size, c.o, got, c.want)
		}
	}
	// The ranges of the table do not hold for calls that do not block, but all else does.
	for _, c := range []struct {
		o           Options
		kind        Kind
		size        int
		want, aside int
	}{
		{Options{}, ReduceScatter, 2, kib, 5000}, {Options{}, Bcast, 2, 5000, 5000}, {Options{}, Scatterv, 99, -1, -1},
		{force("reduce_scatter=linear"), ReduceScatter, 2, -1, -1}, {rules("bcast=chain@2..@49.."), Bcast, 4, 48, 48},
	} {
		if got, aside := c.o.Exchanges(c.kind, c.size, 5000), c.o.ExchangesAside(c.kind, c.size, 5000); got != c.want || aside != c.aside {
			t.Errorf("%v of %d ranks, %+v: %d and %d bytes, want %d and %d", c.kind, c.size, c.o, got, aside, c.want, c.aside)
		}
	}
	for _, size := range []int{fewRanks, fewRanks + 1} { // a group chooses the same
		g := mustGroup(t, &fakeFlagArray{fake: newFake(0, size)}, Options{})
		if few := size == fewRanks; g.Choice(Reduce, exchangeLine) != "exchange" || (g.Choice(Reduce, exchangeLine+1) == "exchange") != few || (g.Choice(Scatter, exchangeLine/(size-1)+1) == "exchange") != few {
			t.Errorf("%d ranks: %s, %s, %s", size, g.Choice(Reduce, exchangeLine), g.Choice(Reduce, exchangeLine+1), g.Choice(Scatter, exchangeLine/(size-1)+1))
		}
	}
}
