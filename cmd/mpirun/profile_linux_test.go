package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"rhinet/internal/launch"
)

// A profile of a job has the samples of all ranks, each with its number.
func TestProfileOfAllRanks(t *testing.T) {
	before, _ := filepath.Glob(filepath.Join(os.TempDir(), "rhinet-profile-*"))
	for _, kind := range []string{"heap", "cpu", "mutex", "block"} {
		file := filepath.Join(t.TempDir(), "x.pprof")
		status, _, text := mpirun(t, "-n", "3", "--profile", kind+":"+file, "-x", playRank+"=observed profile", os.Args[0])
		if status != 0 || text != "" {
			t.Fatalf("%s: status %d, %s", kind, status, text)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.ParseData(b)
		if err != nil {
			t.Fatal(err)
		}
		ranks := map[string]bool{}
		for _, s := range p.Sample {
			ranks[fmt.Sprint(s.NumLabel["rank"])] = true
		}
		if got := slices.Sorted(maps.Keys(ranks)); kind == "heap" && !slices.Equal(got, []string{"[0]", "[1]", "[2]"}) {
			t.Errorf("%s: ranks %v", kind, got)
		}
		if kind == "heap" {
			focus(t, file)
		}
	}
	if after, _ := filepath.Glob(filepath.Join(os.TempDir(), "rhinet-profile-*")); len(after) > len(before) {
		t.Errorf("left behind: %v", after)
	}
}

// focus checks that pprof finds each of 3 ranks by its number, and no fourth.
func focus(t *testing.T, file string) {
	t.Helper()
	for rank := range 4 {
		text, err := exec.Command("go", "tool", "pprof", "-top", "-tagfocus", fmt.Sprint("rank=", rank), file).CombinedOutput()
		if found := !strings.Contains(string(text), "matched no samples"); err != nil || found != (rank < 3) {
			t.Errorf("rank %d: %v, %s", rank, err, text)
		}
	}
}

// The profile of a job that failed has the ranks that have ended by themselves.
func TestProfileOfAJobThatFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.pprof")
	status, _, text := mpirun(t, "-n", "2", "--profile", "heap:"+file, "-x", playRank+"=kill Barrier", os.Args[0])
	if status != 128+9 || !strings.Contains(text, "mpirun: no profile of ") || !strings.Contains(text, "rank 1: a rank writes it when it ends with Finalize or an error\n") {
		t.Errorf("status %d, %s", status, text)
	}
}

func TestWrongProfile(t *testing.T) {
	dir := t.TempDir()
	const known = "there are profiles of cpu, heap, mutex, block; give one of these, or KIND:FILE"
	for value, want := range map[string]string{
		"":                           known,
		"disk":                       known,
		":x":                         known,
		"cpu:":                       "the file's name is empty",
		"cpu:" + dir:                 "it is a directory; name a file",
		"heap:" + dir + "/no/x.prof": "there is no directory " + dir + "/no to write to",
	} {
		status, out, err := mpirun(t, "--profile", value, "true")
		if want := fmt.Sprintf("mpirun: --profile %s: %s\n", value, want); status != launch.StatusUsage || out != "" || err != want {
			t.Errorf("status %d, %q, want %q", status, err, want)
		}
	}
	gone := filepath.Join(dir, "gone")
	os.Mkdir(gone, 0o755)
	status, _, err := mpirun(t, "--profile", "heap:"+filepath.Join(gone, "x"), "-x", playRank+"=observed gone "+gone, os.Args[0])
	if status != launch.StatusFailed || !strings.HasPrefix(err, "mpirun: cannot write the profile: open ") {
		t.Errorf("status %d, %q", status, err)
	}
}

// A job that cannot start says why, and nothing of profiles. With C code, each thread takes address space for its
// stack and for an arena of malloc, of which the limit would leave too little for some.
func TestProfileOfAJobThatDoesNotStart(t *testing.T) {
	cmd := exec.Command("sh", "-c", `export MALLOC_ARENA_MAX=1; ulimit -s 1024; ulimit -v 1000000; exec "$0" -n 2 --profile "cpu:$1" true`, os.Args[0], filepath.Join(t.TempDir(), "x.pprof"))
	cmd.Env = append(os.Environ(), playMpirun+"=1")
	out, _ := cmd.CombinedOutput()
	if text := string(out); cmd.ProcessState.ExitCode() != launch.StatusFailed || strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "mpirun: no memory for 2 ranks to share: ") {
		t.Errorf("status %d, %q", cmd.ProcessState.ExitCode(), text)
	}
}
