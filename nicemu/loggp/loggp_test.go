package loggp

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"rhinet/nicemu/medium"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// arrivals records when packets arrive, by number.
type arrivals struct {
	k   *vtime.Kernel
	at  []vtime.Time
	who []int // in order of arrival
}

func (a *arrivals) Act(_ int, arg uint64) {
	a.at[arg] = a.k.Now()
	a.who = append(a.who, int(arg))
}

// A sending is one packet of a test.
type sending struct {
	at              vtime.Time
	src, dst, bytes int
}

type start struct {
	m   medium.Model
	all []sending
	to  *arrivals
}

func (s start) Act(_ int, arg uint64) {
	p := s.all[arg]
	s.m.Send(p.src, p.dst, p.bytes, s.to, 0, arg)
}

// run sends packets and returns when each arrives, in nanoseconds.
func run(t *testing.T, k *vtime.Kernel, m medium.Model, all ...sending) []float64 {
	t.Helper()
	to := &arrivals{k: k, at: make([]vtime.Time, len(all))}
	src := k.Source("test")
	for i, p := range all {
		src.At(p.at, start{m, all, to}, 0, uint64(i))
	}
	if err := k.Run(1 << 24); err != nil || len(to.who) != len(all) {
		t.Fatalf("%v: %d of %d packets arrived", err, len(to.who), len(all))
	}
	last := map[[2]int]vtime.Time{}
	ns := make([]float64, len(all))
	for i, p := range all {
		ns[i] = to.at[i].Nanoseconds()
		if least := p.at + m.Lookahead(); to.at[i] < least {
			t.Errorf("packet %d arrives at %v; it cannot before %v", i, to.at[i], least)
		}
		pair := [2]int{p.src, p.dst}
		if i > 0 && p.at >= all[i-1].at && to.at[i] < last[pair] {
			t.Errorf("packet %d from %d to %d overtakes", i, p.src, p.dst)
		}
		last[pair] = to.at[i]
	}
	return ns
}

func set(t *testing.T, table *param.Table, settings ...string) *param.Table {
	t.Helper()
	for _, s := range settings {
		if err := table.Set(s); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

// TestLogGP: the formulas of the model.
func TestLogGP(t *testing.T) {
	ns := vtime.Nanosecond
	for name, c := range map[string]struct {
		all  []sending
		want []float64
	}{
		"L":                       {[]sending{{0, 0, 1, 0}}, []float64{1000}},
		"L + kG":                  {[]sending{{5 * ns, 0, 1, 100}}, []float64{1055}},
		"g between small packets": {[]sending{{0, 0, 1, 0}, {0, 0, 2, 0}}, []float64{1000, 1020}},
		"G between large packets": {[]sending{{0, 0, 1, 100}, {0, 0, 2, 100}}, []float64{1050, 1100}},
		"g at the receiver":       {[]sending{{0, 0, 2, 0}, {0, 1, 2, 0}}, []float64{1000, 1020}},
		"G at the receiver":       {[]sending{{0, 0, 2, 100}, {10 * ns, 1, 2, 100}}, []float64{1050, 1100}},
		"pairs apart":             {[]sending{{0, 0, 1, 100}, {0, 2, 3, 100}}, []float64{1050, 1050}},
		"to itself":               {[]sending{{0, 1, 1, 10}}, []float64{1005}},
	} {
		k := new(vtime.Kernel)
		m := New(k, 4, set(t, Parameters(), "L=1000", "g=20", "G=0.5"))
		if got := run(t, k, m, c.all...); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestCosts(t *testing.T) {
	for _, m := range []medium.Model{
		New(new(vtime.Kernel), 2, set(t, Parameters(), "o=7", "O=0.25", "S=99", "poll=3")),
		tree(t, 2, "o=7", "O=0.25", "S=99", "poll=3"),
	} {
		c := m.Costs()
		if c.Send.Of(8, false) != 9*vtime.Nanosecond || c.Receive.Of(8, true) != 9*vtime.Nanosecond || c.Eager != 99 || c.Poll != 3*vtime.Nanosecond {
			t.Errorf("%T: %+v", m, c)
		}
	}
}

func tree(t *testing.T, ranks int, settings ...string) *FatTree {
	t.Helper()
	m, err := NewFatTree(new(vtime.Kernel), ranks, set(t, FatTreeParameters(), settings...))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRoutes: a route climbs no further than it must, comes down to its destination, and uses links
// of the levels in order; no two places of the tree share a link.
func TestRoutes(t *testing.T) {
	for _, c := range []struct {
		ranks, k, taper, levels int
	}{{1, 2, 1, 1}, {2, 2, 1, 1}, {3, 2, 1, 2}, {16, 2, 1, 4}, {27, 3, 3, 3}, {64, 4, 2, 3}, {100, 4, 1, 4}, {1024, 16, 4, 3}} {
		m := tree(t, c.ranks, fmt.Sprintf("k=%d", c.k), fmt.Sprintf("taper=%d", c.taper))
		if m.Levels() != c.levels {
			t.Errorf("%+v: %d levels", c, m.Levels())
		}
		names := map[string]bool{}
		for _, l := range m.Links(0) {
			names[l.Name] = true
		}
		if len(names) != len(m.links) {
			t.Errorf("%+v: %d links have %d names", c, len(m.links), len(names))
		}
		rng := rand.New(rand.NewPCG(1, uint64(c.ranks)))
		for range 300 {
			src, dst := rng.IntN(c.ranks), rng.IntN(c.ranks)
			checkRoute(t, m, src, dst)
		}
	}
}

func checkRoute(t *testing.T, m *FatTree, src, dst int) {
	t.Helper()
	level := 1
	for a, b := src/m.k, dst/m.k; a != b; a, b = a/m.k, b/m.k {
		level++
	}
	var names []string
	for i, last := 0, false; !last; i++ {
		var link int
		if link, _, last = m.hop(src, dst, i); link < 0 || link >= len(m.links) {
			t.Fatalf("from %d to %d: link %d of %d", src, dst, link, len(m.links))
		}
		names = append(names, m.name(link))
	}
	if len(names) != 2*level || names[0] != fmt.Sprintf("out of rank %d", src) || names[len(names)-1] != fmt.Sprintf("into rank %d", dst) {
		t.Fatalf("from %d to %d over level %d: %v", src, dst, level, names)
	}
	for i := 1; i < level; i++ {
		var at, n int
		if _, err := fmt.Sscanf(names[i], "up from level %d, link %d", &at, &n); err != nil || at != i {
			t.Fatalf("from %d to %d: %v", src, dst, names)
		}
		if _, err := fmt.Sscanf(names[2*level-1-i], "down to level %d, link %d", &at, &n); err != nil || at != i {
			t.Fatalf("from %d to %d: %v", src, dst, names)
		}
	}
	// All routes to a rank from elsewhere come down the same links.
	for other := range min(m.ranks, 8) {
		if a, b := m.climb(src, dst), m.climb(other, dst); a == b && a > 1 {
			x, _, _ := m.hop(src, dst, a)
			y, _, _ := m.hop(other, dst, a)
			if x != y {
				t.Fatalf("to %d from %d and %d: links %d and %d", dst, src, other, x, y)
			}
		}
	}
}

// TestFatTree: times without contention, and contention where there are fewer parents than
// children.
func TestFatTree(t *testing.T) {
	settings := []string{"k=4", "nic=100", "hop=10", "rate=1", "g=0"}
	for dst, want := range map[int]float64{1: 100 + 10 + 100 + 50, 4: 100 + 3*10 + 100 + 50} {
		m := tree(t, 16, settings...)
		if got := run(t, m.flow.k, m, sending{0, 0, dst, 50}); got[0] != want {
			t.Errorf("to %d: %v ns, want %v", dst, got[0], want)
		}
	}
	// Ranks 0 to 3 send to 4 to 7: with four parents each has one, with one parent they take turns.
	all := []sending{{0, 0, 4, 100}, {0, 1, 5, 100}, {0, 2, 6, 100}, {0, 3, 7, 100}}
	for taper, want := range map[string]string{"1": "[330 330 330 330]", "4": "[330 430 530 630]"} {
		m := tree(t, 16, append(settings, "taper="+taper)...)
		if got := run(t, m.flow.k, m, all...); fmt.Sprint(got) != want {
			t.Errorf("taper %s: %v, want %s", taper, got, want)
		}
		for _, l := range m.Links(630 * vtime.Nanosecond) {
			if l.Used < 0 || l.Used > 1 {
				t.Errorf("%s is used %v", l.Name, l.Used)
			}
		}
	}
	bad := set(t, FatTreeParameters(), "k=4", "taper=3")
	if _, err := NewFatTree(new(vtime.Kernel), 4, bad); err == nil {
		t.Error("a third of 4 parents")
	}
}

// TestConservation: every packet arrives exactly once, in both models and under load.
func TestConservation(t *testing.T) {
	for _, m := range []medium.Model{New(new(vtime.Kernel), 9, Parameters()), tree(t, 9, "k=2")} {
		k := &vtime.Kernel{}
		if f, ok := m.(*FatTree); ok {
			k = f.flow.k
		} else {
			k = m.(*LogGP).flow.k
		}
		rng := rand.New(rand.NewPCG(5, 6))
		all := make([]sending, 2000)
		for i := range all {
			all[i] = sending{vtime.Time(i) * vtime.Nanosecond, rng.IntN(9), rng.IntN(9), rng.IntN(3000)}
		}
		run(t, k, m, all...)
	}
}

// TestParametersMatter: halving any parameter changes a time.
func TestParametersMatter(t *testing.T) {
	all := []sending{{0, 0, 1, 10}, {0, 0, 1, 10}, {0, 0, 5, 2000}, {0, 3, 5, 2000}, {0, 2, 5, 1}, {0, 1, 7, 2000}}
	base := []string{"o=300", "O=0.5"}
	figure := func(fat bool, settings ...string) string {
		var m medium.Model
		k := new(vtime.Kernel)
		if fat {
			f := tree(t, 16, append(append([]string{"k=4", "taper=2", "g=40"}, base...), settings...)...)
			m, k = f, f.flow.k
		} else {
			m = New(k, 16, set(t, set(t, Parameters(), append([]string{"g=40"}, base...)...), settings...))
		}
		return fmt.Sprint(run(t, k, m, all...), m.Costs())
	}
	for _, fat := range []bool{false, true} {
		table, whole := Parameters(), figure(fat)
		if fat {
			table = FatTreeParameters()
		}
		for _, p := range set(t, table, base...).All() {
			setting := fmt.Sprintf("%s=%v", p.Name, p.Value/2)
			switch p.Name {
			case "g":
				setting = "g=20"
			case "k":
				setting = "k=2"
			case "taper":
				setting = "taper=1"
			}
			if figure(fat, setting) == whole {
				t.Errorf("%s changes nothing", setting)
			}
		}
	}
}
