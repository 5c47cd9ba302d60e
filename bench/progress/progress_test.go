package progress

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"rhinet/bench"
	"rhinet/bench/peer"
	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// brief is a policy with few repetitions.
var brief = bench.Policy{Batches: 2, Repetitions: 4, Time: time.Second}

// Every benchmark runs on every number of ranks that it names, and gives its rows.
func TestAllBenchmarksRun(t *testing.T) {
	for _, b := range All() {
		for _, ranks := range b.Ranks() {
			var rows []bench.Row
			mpitest.Run(t, ranks, func(world *mpi.Comm) error {
				return Run(world, []Benchmark{b}, Options{Sizes: []int{1, 300000}, Policy: brief}, func(r bench.Row) { rows = append(rows, r) })
			})
			if want := 2 * len(b.rows(figures{})); len(rows) != want || rows[0].Test != b.Name || rows[len(rows)-1].Bytes != 300000 {
				t.Fatalf("%s on %d ranks: rows %+v, want %d", b.Name, ranks, rows, want)
			}
			for _, r := range rows {
				if r.Microsecs < 0 || r.Ranks != ranks || r.Repetitions < 1 || !strings.HasPrefix(r.Test, b.Name) {
					t.Errorf("row %+v", r)
				}
			}
		}
	}
}

// Each figure is computed as its name says.
func TestFigures(t *testing.T) {
	check := func(rows []figure, want map[string]float64) {
		t.Helper()
		if len(rows) != len(want) {
			t.Errorf("%v, want %v", rows, want)
		}
		for _, r := range rows {
			if w, ok := want[r.suffix]; !ok || r.value < w*0.999999 || r.value > w*1.000001 {
				t.Errorf("%q is %v, want %v", r.suffix, r.value, w)
			}
		}
	}
	us := 1e-6
	check(mixedRows(figures{of: [4]float64{idle: 2 * us, beside: 6 * us, alone: 90 * us, stream: 120 * us}}), map[string]float64{
		"": 6, "_idle": 2, "_percent": 300, "_alone": 90, "_stream": 120, "_loss_percent": 25,
	})
	check(mixedRows(figures{of: [4]float64{idle: us, beside: us, alone: 120 * us, stream: 90 * us}}), map[string]float64{
		"": 1, "_idle": 1, "_percent": 100, "_alone": 120, "_stream": 90, "_loss_percent": 0,
	})
	for _, c := range []struct{ pure, cpu, total, over, open, hidden, available float64 }{
		{100, 100, 100, 0, 0, 100, 100}, {100, 100, 200, 100, 100, 0, 0}, {100, 100, 110, 1, 10, 90, 99}, {100, 110, 110, 30, 0, 100, 70}, {100, 100, 250, 150, 150, 0, 0}, {100, 100, 90, -5, 0, 100, 100},
	} {
		check(overlapRows(figures{of: [4]float64{pure: c.pure * us, cpu: c.cpu * us, total: c.total * us, overhead: c.over * us}}), map[string]float64{
			"": c.open, "_pure": c.pure, "_percent": c.hidden, "_overhead": max(0, c.over), "_available_percent": c.available,
		})
	}
	if !IsPercent("Mixed_loss_percent") || IsPercent("Mixed") {
		t.Error("what is a percentage is not known")
	}
}

// The figures are those of the rank that computes longest.
func TestRanksAgree(t *testing.T) {
	mpitest.Run(t, 3, func(world *mpi.Comm) error {
		e, r := newEnv(world, 1), float64(world.Rank())
		f, err := e.agree(figures{all: r, main: 10 * r, of: [4]float64{r, 2 * r, 3 * r, 4 * r}}, -(r-1)*(r-1))
		if want := (figures{1, 10, [4]float64{1, 2, 3, 4}}); f != want {
			t.Errorf("%+v, want %+v", f, want)
		}
		return err
	})
}

// Wrong data is an error.
func TestWrongBytes(t *testing.T) {
	mpitest.Run(t, 2, func(world *mpi.Comm) error {
		e := newEnv(world, 100)
		if err := e.check(); (err != nil) != (world.Rank() == 1) {
			t.Errorf("rank %d has received nothing: %v", world.Rank(), err)
		}
		return nil
	})
}

func TestMistakes(t *testing.T) {
	if _, err := Choose(All(), []string{"Overlap_here"}); err == nil || !strings.Contains(err.Error(), "Mixed, Overlap_send") {
		t.Error(err)
	}
	some, err := Choose(All(), []string{"overlap_SEND", "overlap_SEND"})
	if err != nil || len(some) != 1 {
		t.Fatal(some, err)
	}
	b := some[0]
	for _, c := range []struct {
		ranks, size int
		want        string
	}{{1, 8, "mpirun -n 2"}, {3, 8, "runs on 2 ranks, not on 3"}, {2, 0, "size 0"}, {2, 1 << 40, "takes 1 to"}} {
		if err := Check([]Benchmark{b}, c.ranks, []int{c.size}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d ranks, %d bytes: %v, want %q", c.ranks, c.size, err, c.want)
		}
	}
	if err := Check(Mixed(), 4, nil); err == nil || !strings.Contains(err.Error(), "2 or 3 ranks") {
		t.Error(err)
	}
}

// The peers' program gives the same rows, where there is an MPI to build it with.
func TestPeersKnowAll(t *testing.T) {
	for _, tool := range []string{"mpicc.mpich", "mpiexec.mpich"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	bin, err := CompilePeer(t.Context(), "mpicc.mpich", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	args, want := append([]string{"-n", "2", bin}, PeerArgs(time.Nanosecond)...), []string(nil)
	for _, b := range All() {
		args = append(args, b.Name, "100000")
		for _, f := range b.rows(figures{}) {
			want = append(want, b.Name+f.suffix)
		}
	}
	text, err := exec.CommandContext(t.Context(), "mpiexec.mpich", args...).CombinedOutput()
	rows, bad := peer.Parse(string(text))
	if err != nil || bad != nil || len(rows) != len(want) {
		t.Fatalf("%v, %v, %d rows of %d: %s", err, bad, len(rows), len(want), text)
	}
	for i, name := range want {
		if rows[i].Test != name || rows[i].Bytes != 100000 || rows[i].Microsecs < 0 {
			t.Errorf("%s: %+v", name, rows[i])
		}
	}
}
