package compare

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"rhinet/bench"
	"rhinet/bench/pmb"
)

func TestPlanOfTheSuite(t *testing.T) {
	cells, skipped, err := Suite([]string{"pingpong", "Barrier", "PingPong", "biband"}, []int{2, 3, 2}, []int{8, 8})
	if err != nil || fmt.Sprint(cells) != "[{PingPong 2 [8]} {Barrier 2 [0]} {Barrier 3 [0]} {Biband 2 [8]}]" || len(skipped) != 2 {
		t.Errorf("plan %v, skipped %v, %v", cells, skipped, err)
	}
	if cells, _, err = Suite(nil, []int{2}, nil); err != nil || len(cells) != 19 {
		t.Errorf("%d cells, %v", len(cells), err)
	}
	for _, c := range []struct {
		name        string
		ranks, size int
		want        string
	}{
		{"Pong", 2, 8, "the tests are PingPong"}, {"Bcast", 1, 8, "2 or more"}, {"Reduce", 2, 6, "Reduce takes multiples of 4"},
		{"bw", 2, 8, "Uniband"}, {"PingPong", 4, 8, "does not run on 4 ranks"},
	} {
		if _, _, err := Suite([]string{c.name}, []int{c.ranks}, []int{c.size}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// The table of the peers' program has every test that is compared, with the same timing and scale as here.
func TestPeersHaveTheSuite(t *testing.T) {
	source, err := os.ReadFile("../peer/c/peer.c")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for _, r := range regexp.MustCompile(`\{"(\w+)", \w+, ([\w| ]+), ([0-9./ WINDOW]+)\}`).FindAllStringSubmatch(string(source), -1) {
		rows[r[1]] = r[2:]
	}
	scales := map[string]float64{"1": 1, "0.5": 0.5, "1.0 / WINDOW": 1, "0.5 / WINDOW": 1} // the messages of a window are counted separately
	for _, b := range pmb.All() {
		r, ok := rows[b.Name]
		if ok != b.Peers {
			t.Errorf("%s: the table has it is %v", b.Name, ok)
		}
		if !ok {
			continue
		}
		each, window := strings.Contains(r[0], "EACH"), strings.Contains(r[0], "WINDOWS")
		overlap, wait, free := strings.Contains(r[0], "OVERLAP"), strings.Contains(r[0], "WAIT"), strings.Contains(r[0], "FREE")
		start := strings.Contains(r[0], "START")
		if overlap != (b.Kind == pmb.Overlap) || wait != strings.HasSuffix(b.Name, "_pure") || free != (b.Sizeless() && (overlap || wait || start)) || start != strings.HasSuffix(b.Name, "_init") {
			t.Errorf("%s: the table says %q", b.Name, r)
		}
		if grid := strings.HasPrefix(strings.ToLower(strings.TrimPrefix(b.Name, "I")), "neighbor_"); strings.Contains(r[0], "GRID") != grid {
			t.Errorf("%s: the table says %q", b.Name, r)
		}
		if each != (b.Kind == pmb.Collective) || window != (b.Kind == pmb.Window) || strings.Contains(r[0], "TWO") != (b.Kind == pmb.Single) ||
			strings.Contains(r[0], "FLOATS") != (b.Unit == 4) || scales[r[1]] != b.Scale {
			t.Errorf("%s: the table says %q", b.Name, r)
		}
		delete(rows, b.Name)
	}
	if len(rows) > 0 {
		t.Errorf("the table has more: %v", rows)
	}
	p := bench.Steady(time.Second)
	if want := fmt.Sprintf("BATCHES = %d, REPETITIONS = %d, WARMUPS = 2, PROBESHARE = 10, PATIENCE = 2", p.Batches, p.Repetitions); !strings.Contains(string(source), want) {
		t.Errorf("the policy is another than %s", want)
	}
}

func TestOurCommandOfASuitesTest(t *testing.T) {
	r := Ours("mpirun", "bench", "hello", Setting{Name: "x", NIC: "nic"})
	if got := strings.Join(r.command([]Cell{{"PingPong", 2, []int{8}}, {"Barrier", 2, []int{0}}}, time.Millisecond), " "); got != "mpirun --nic nic -n 2 bench pmb --npmin 2 PingPong Barrier --sizes 8 --steady --time 1ms --format csv" {
		t.Errorf("command is %s", got)
	}
	if got := strings.Join(r.With(OwnBarrier).With(Fresh).command([]Cell{{"Bcast", 2, []int{8}}}, time.Millisecond), " "); !strings.HasSuffix(got, " Bcast --sizes 8 --steady --time 1ms --format csv --own-barrier --fresh") {
		t.Errorf("command is %s", got)
	}
	if _, err := r.read([]Cell{{"PingPong", 2, []int{8}}}, "test,ranks\n", 0); err == nil {
		t.Error("foreign output passes")
	}
	text := "test,ranks,groups,bytes,repetitions,t_min_usec,t_max_usec,t_avg_usec,MB_s,msg_s,t_ovrl_usec,t_pure_usec,t_CPU_usec,overlap_percent,defects\nPingPong,2,1,8,1000,1,2,1.5,0,0,0,0,0,0,0\n"
	if s, err := r.read([]Cell{{"PingPong", 2, []int{8}}}, text, 0); err != nil || len(s) != 1 || s[0].Value != 1.5 {
		t.Errorf("samples %+v, %v", s, err)
	}
	// The overlap, as the time that is not hidden and the share that is.
	text = strings.SplitAfter(text, "\n")[0] + "Ibcast,2,1,8,1000,1,2,1.5,0,0,5,4,3.5,62.5,0\n"
	s, err := r.read([]Cell{{"Ibcast", 2, []int{8}}}, text, 0)
	if want := "[{0  Ibcast 2 8 1.5 } {0  Ibcast_overlap 2 8 62.5 %}]"; err != nil || fmt.Sprint(s) != want {
		t.Errorf("samples %v, %v; want %s", s, err, want)
	}
	o := outcome{samples: append(s, Sample{Test: "Iscatter", Ranks: 2})}
	if o.drop(Cell{"Ibcast", 2, []int{8}}); len(o.samples) != 1 {
		t.Errorf("%v are left of a test that failed", o.samples)
	}
}

// The overlaps of the runtimes are shown next to each other, without ratios.
func TestOverlapHasNoRatios(t *testing.T) {
	res := &Result{Runtimes: []string{"rhinet", "openmpi"}, Rounds: 6}
	for round := range 6 {
		for i, name := range res.Runtimes {
			res.Samples = append(res.Samples,
				Sample{round, name, "Ibcast", 2, 8, float64(1 + i), ""}, Sample{round, name, "Ibcast_overlap", 2, 8, float64(40 * i), percent})
		}
	}
	lines := res.Lines()
	if len(lines) != 2 || lines[0].Best().Median != 0.5 || lines[1].Best().Pairs != 0 || fmt.Sprint(lines[1].Medians) != "[0 40]" {
		t.Errorf("lines %+v", lines)
	}
	if c := res.Counts("x"); len(res.Compared()) != 1 || c[0].Cells() != 1 {
		t.Errorf("counts %+v", c)
	}
	var out strings.Builder
	if err := res.Write(&out, "markdown"); err != nil || !strings.Contains(out.String(), "| Ibcast_overlap | 2 | 8 | 0.000 | 40.000 | - | - |") || !strings.Contains(out.String(), "overlap in %") {
		t.Errorf("%s, %v", out.String(), err)
	}
}
