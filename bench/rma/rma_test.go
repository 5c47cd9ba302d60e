package rma

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

// Every benchmark measures every kind of window at a few sizes.
func TestAllBenchmarksRun(t *testing.T) {
	for _, o := range []Options{{}, {Aggregate: true}, {Create: true}} {
		o.Sizes, o.Policy = []int{0, 8, 4000}, bench.Policy{Batches: 2, Repetitions: 4, Time: time.Second}
		var rows []Row
		mpitest.Run(t, 3, func(world *mpi.Comm) error {
			return Run(world, All(), o, func(r Row) { rows = append(rows, r) })
		}, mpitest.Unguarded()) // they write repeatedly to the same place, as those of IMB do
		want := 0
		for _, b := range All() {
			want += len(b.sizes(o))
		}
		if len(rows) != want {
			t.Errorf("%d rows, want %d", len(rows), want)
		}
		for _, r := range rows {
			if r.Microsecs <= 0 || r.Min <= 0 || r.Max < r.Min || r.Repetitions < 1 {
				t.Errorf("row %+v", r)
			}
		}
	}
}

func TestMistakes(t *testing.T) {
	if _, err := Choose([]string{"Unidir_Poke"}); err == nil || !strings.Contains(err.Error(), "Unidir_Put, Unidir_Get") {
		t.Error(err)
	}
	some, err := Choose([]string{"unidir_put", "unidir_put"})
	if err != nil || len(some) != 1 {
		t.Fatal(some, err)
	}
	b := some[0]
	if err := Check([]Benchmark{b}, 1, nil); err == nil || !strings.Contains(err.Error(), "mpirun -n 2") {
		t.Error(err)
	}
	if err := Check([]Benchmark{b}, 2, []int{1 << 30}); err == nil {
		t.Error("a size beyond the largest passes")
	}
}

// The peers' program knows every benchmark, where there is an MPI to build it with.
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
	args := append([]string{"-n", "2", bin}, PeerArgs(time.Nanosecond, Options{})...)
	for _, b := range All() {
		args = append(args, b.Name, "8")
	}
	text, err := exec.CommandContext(t.Context(), "mpiexec.mpich", args...).CombinedOutput()
	rows, bad := peer.Parse(string(text))
	if err != nil || bad != nil || len(rows) != len(All()) {
		t.Fatalf("%v, %v, %d rows of %d: %s", err, bad, len(rows), len(All()), text)
	}
	for i, b := range All() {
		if rows[i].Test != b.Name || rows[i].Microsecs <= 0 {
			t.Errorf("%s: %+v", b.Name, rows[i])
		}
	}
}
