package compare

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// onLibrary is what a kernel prints, with timers, when it runs on the library of another MPI.
var onLibrary = strings.Replace(timed, `"mops":7,`, `"mops":7,"library":"Open MPI v4.1.4","library_call_s":1.25e-07,`, 1)

func TestCallsFromGo(t *testing.T) {
	c := []Cell{{"CG.S", 2, []int{0}}}
	want := Sample{Test: callTest, Ranks: 2, Value: 0.125}
	if s, err := readTimed(c, onLibrary, 0); err != nil || len(s) != 3 || s[2] != want {
		t.Errorf("%+v, %v", s, err)
	}
	text := strings.Replace(report, " Version ", " Call from Go    =                 0.125 us\n Version ", 1)
	if s, err := readNAS(c, text, 0); err != nil || len(s) != 2 || s[1] != want {
		t.Errorf("%+v, %v", s, err)
	}
	if s := callCost(c[0], "-1"); s != nil {
		t.Errorf("%+v", s)
	}
	got := outcome{samples: []Sample{{Test: "CG.S", Ranks: 2}, want}}
	if got.drop(c[0]); len(got.samples) != 0 {
		t.Errorf("a cell that failed leaves %+v", got.samples)
	}
}

// The cost of calls is noted below the table, not in a line of it.
func TestCallsAreNoted(t *testing.T) {
	res := &Result{Runtimes: []string{"rhinet", "mpich", "openmpi"}, Samples: []Sample{
		{Runtime: "rhinet", Test: "CG.S", Ranks: 2, Value: 1, Unit: seconds},
		{Runtime: "openmpi", Test: callTest, Ranks: 2, Value: 0.1},
		{Runtime: "openmpi", Test: callTest, Ranks: 4, Value: 0.3},
		{Runtime: "openmpi", Test: callTest, Ranks: 4, Value: 0.125, Round: 1},
		{Runtime: "mpich", Test: callTest, Ranks: 4, Value: 0.5, Round: 1},
	}}
	if l := res.Lines(); len(l) != 1 || l[0].Test != "CG.S" {
		t.Errorf("%+v", l)
	}
	notes := res.aboutCalls()
	if len(notes) != 1 || !strings.Contains(notes[0], ": mpich 0.50 us, openmpi 0.12 us a call, median of the runs") || !slices.Contains(res.Remarks(), notes[0]) {
		t.Errorf("%q", notes)
	}
	res.Samples = res.Samples[:1]
	if notes := res.aboutCalls(); notes != nil {
		t.Errorf("%q", notes)
	}
}

// Our kernels run on a library under its launcher, with the shim built by its compiler.
func TestKernelsOnLibraries(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	script(t, filepath.Join(bin, "mpirun.openmpi"), "echo mpirun 4.1.2")
	script(t, filepath.Join(bin, "mpicc.openmpi"), "false")
	if _, err := PeersNPB(t.Context(), []string{"openmpi"}, nil, dir, "npb", true); err == nil || !strings.Contains(err.Error(), "mpicc.openmpi cannot compile") {
		t.Error(err)
	}
	script(t, filepath.Join(bin, "mpicc.openmpi"), "")
	for _, waits := range []bool{true, false} {
		all, err := PeersNPB(t.Context(), []string{"openmpi"}, nil, dir, "npb", waits)
		if err != nil || len(all) != 1 || all[0].Name != "openmpi" || all[0].version != "4.1.2" {
			t.Fatalf("%+v, %v", all, err)
		}
		want := "2 env RHINET_LIBMPI=" + filepath.Join(dir, "shim-mpicc.openmpi") + " GOMAXPROCS=2 npb -class S cg"
		if waits {
			want = strings.Replace(want, " cg", " -timers -format json cg", 1)
		}
		if got := strings.Join(all[0].command([]Cell{{"CG.S", 2, []int{0}}}, 0), " "); !strings.HasPrefix(got, "mpirun.openmpi ") || !strings.HasSuffix(got, want) {
			t.Errorf("%s, want %s at the end", got, want)
		}
		s, err := all[0].read([]Cell{{"CG.S", 2, []int{0}}}, onLibrary, 0)
		if (err == nil) != waits || waits && s[1].Test != WaitTest("CG.S") {
			t.Errorf("%+v, %v", s, err)
		}
	}
	if _, err := PeersNPB(t.Context(), []string{"lam"}, nil, dir, "npb", true); err == nil || !strings.Contains(err.Error(), `unknown runtime "lam"; the others are openmpi, mpich`) {
		t.Error(err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := PeersNPB(t.Context(), []string{"openmpi"}, nil, dir, "npb", true); !errors.Is(err, ErrNoPeers) || !strings.Contains(err.Error(), "apt-get install openmpi-bin") {
		t.Error(err)
	}
}
