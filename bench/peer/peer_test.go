package peer

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"rhinet/bench"
)

func TestParse(t *testing.T) {
	rows, err := Parse("noise\nrow Bcast 2 8 1000 1.5\nhello 0 900\n")
	if err != nil || len(rows) != 1 || rows[0].Test != "Bcast" || rows[0].Microsecs != 1.5 {
		t.Errorf("rows %+v, %v", rows, err)
	}
	if _, err := Parse("row Bcast two 8 1000 1.5"); err == nil {
		t.Error("a word passes as a number")
	}
	if rows := ParseSlow("slow Bcast 16 1024\nrow Bcast 16 8 1 9\nslow down\n"); len(rows) != 1 || rows[0] != (bench.Row{Test: "Bcast", Ranks: 16, Bytes: 1024}) {
		t.Errorf("too slow are %+v", rows)
	}
	if kib, ranks := ParseHello("hello 0 900\nhello 1 1000\nhello 1 x\n"); kib != 1000 || ranks != 2 {
		t.Errorf("%v KiB, %d ranks", kib, ranks)
	}
}

func TestCompilerErrorIsShown(t *testing.T) {
	if _, err := Compile(t.Context(), "false", t.TempDir()); err == nil || !strings.Contains(err.Error(), "false cannot compile") {
		t.Errorf("error is %v", err)
	}
	if _, err := Compile(t.Context(), "true", "/nowhere"); err == nil {
		t.Error("a missing folder passes")
	}
}

// The program runs several tests in turn, and leaves out sizes of a test after one that has taken too long.
// This needs an MPI to build it with.
func TestTestsRunOnOpenMPI(t *testing.T) {
	for _, tool := range []string{"mpicc.openmpi", "mpirun.openmpi"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	bin, err := Compile(t.Context(), "mpicc.openmpi", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (string, []bench.Row) {
		t.Helper()
		// Its ranks poll: if other programs run, a call may take a time slice.
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
		defer cancel()
		text, err := exec.CommandContext(ctx, "mpirun.openmpi", append([]string{"--allow-run-as-root", "--oversubscribe", "-np", "2", bin}, args...)...).CombinedOutput()
		rows, bad := Parse(string(text))
		if err != nil || bad != nil {
			t.Errorf("%v: %v, %v: %s", args, err, bad, text)
		}
		return string(text), rows
	}
	names := []string{"PingPong", "Biband", "Reduce_scatter", "Scatterv", "Barrier", "Exchange", "Ialltoallv_pure", "Ireduce", "Ibarrier", "Allreduce_init", "Barrier_init",
		"Neighbor_alltoallv", "Ineighbor_allgather_pure"}
	args := []string{"100"}
	for _, name := range names {
		args = append(args, name, "8,1024")
	}
	text, rows := run(args...)
	// On a busy machine the second size may be left out, but this must be reported.
	var points []bench.Row
	hidden := 0 // rows that tell how much of a test was hidden by computation
	for _, r := range rows {
		if of, has := strings.CutSuffix(r.Test, "_overlap"); !has {
			points = append(points, r)
		} else if hidden++; r.Microsecs < 0 || r.Microsecs > 100 || !slices.ContainsFunc(rows, func(o bench.Row) bool { return o.Test == of && o.Bytes == r.Bytes }) {
			t.Errorf("overlap %+v", r)
		}
	}
	overlaps := slices.DeleteFunc(slices.Clone(points), func(r bench.Row) bool { return r.Test != "Ireduce" && r.Test != "Ibarrier" })
	if hidden != len(overlaps) || hidden == 0 {
		t.Errorf("%d rows of what is hidden: %s", hidden, text)
	}
	for _, r := range ParseSlow(text) {
		if r.Bytes != 1024 {
			t.Errorf("left out: %+v", r)
		}
		points = append(points, bench.Row{Test: r.Test, Bytes: r.Bytes, Microsecs: 1})
	}
	for _, name := range names {
		for _, n := range []int{8, 1024} {
			if is := func(r bench.Row) bool { return r.Test == name && r.Bytes == n && r.Microsecs > 0 }; !slices.ContainsFunc(points, is) {
				t.Errorf("no row of %s, %d bytes", name, n)
			}
		}
	}
	if len(points) != 2*len(names) {
		t.Fatalf("%d rows: %s", len(points), text)
	}
	if text, rows = run("20", "Bcast", "8", "Scatterv", "8", "Reduce", "8", "--fresh", "--own-barrier"); len(rows) != 3 {
		t.Errorf("%s", text)
	}
	// With a time limit of 0 even the first size is too slow.
	text, rows = run("0", "Bcast", "8,16,32")
	if slow := ParseSlow(text); len(rows) != 1 || rows[0].Bytes != 8 || len(slow) != 2 || slow[1].Bytes != 32 {
		t.Errorf("%s", text)
	}
}
