package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// sorted returns the lines of a text in order.
func sorted(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	sort.Strings(lines)
	return lines
}

func TestEveryRankRuns(t *testing.T) {
	r := run(t, job(self(t, 3, "env=RHINET_RANK", "env=RHINET_SIZE")))
	r.want(t, 0)
	want := []string{"RHINET_RANK=0", "RHINET_RANK=1", "RHINET_RANK=2", "RHINET_SIZE=3", "RHINET_SIZE=3", "RHINET_SIZE=3"}
	if got := sorted(r.out); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if r.err != "" {
		t.Errorf("a job that went well said %q", r.err)
	}
}

func TestContractWithTheRuntime(t *testing.T) {
	r := run(t, job(self(t, 1, "env=RHINET_JOB")))
	want := fmt.Sprintf("RHINET_JOB=version=1 rank=0 size=1 app=0 fabric=3 life=4 nic=martini cpus=%d\n", usableLimit())
	if r.out != want {
		t.Errorf("got %q, want %q", r.out, want)
	}
}

// TestRanksAreToldOfLoad: ranks that share processors are told whether earlier ranks did; for others this
// does not matter.
func TestRanksAreToldOfLoad(t *testing.T) {
	var done atomic.Bool
	defer done.Store(true)
	go func() {
		for !done.Load() {
		}
	}()
	for ranks, want := range map[int]int{1: 0, usableLimit() + 1: usableLimit() + 1} {
		r := run(t, job(self(t, ranks, "env=RHINET_JOB")))
		if got := strings.Count(r.out, " loaded=1"); got != want {
			t.Errorf("%d of %d ranks were told, want %d: %s", got, ranks, want, r.out)
		}
	}
}

func TestRanksInheritFiveDescriptors(t *testing.T) {
	want := []int{0, 1, 2, 3, 4}
	for _, fd := range inherited() { // those inherited from this test's parent
		if fd > 4 {
			want = append(want, fd)
		}
	}
	r := run(t, job(self(t, 2, "files")))
	if text := fmt.Sprintln("files", want); r.out != text+text {
		t.Errorf("ranks have\n%swant\n%s", r.out, text)
	}
}

func TestManyRanks(t *testing.T) {
	r := run(t, job(self(t, 64, "env=RHINET_RANK")))
	r.want(t, 0)
	if n := len(sorted(r.out)); n != 64 {
		t.Errorf("%d lines", n)
	}
}

func TestSeveralPrograms(t *testing.T) {
	a, b := self(t, 1, "print=a", "env=WHO"), self(t, 2, "print=b", "env=WHO", "env=ALL")
	a.Env = append(a.Env, "WHO=first")
	j := job(a, b)
	j.Env = []string{"ALL=1"}
	r := run(t, j)
	r.want(t, 0)
	want := []string{"ALL=1", "ALL=1", "WHO=", "WHO=", "WHO=first", "a", "b", "b"}
	if got := sorted(r.out); !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestThreadsPerRank(t *testing.T) {
	for _, c := range []struct {
		set  []string
		n    int
		want string
	}{
		{nil, 1, fmt.Sprint(usableLimit())},
		{nil, 4 * usableLimit(), "1"},
		{[]string{"GOMAXPROCS=7"}, 1, "7"},
	} {
		p := self(t, c.n, "0:env=GOMAXPROCS")
		p.Env = append(p.Env, c.set...)
		r := run(t, job(p))
		if want := "GOMAXPROCS=" + c.want + "\n"; r.out != want {
			t.Errorf("%d ranks, %v: got %q, want %q", c.n, c.set, r.out, want)
		}
	}
}

func TestThreadsSetByTheUserStay(t *testing.T) {
	t.Setenv("GOMAXPROCS", "5")
	r := run(t, job(self(t, 2, "0:env=GOMAXPROCS")))
	if r.out != "GOMAXPROCS=5\n" {
		t.Errorf("got %q", r.out)
	}
}

func TestWorkingDirectory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := self(t, 2, "dir", "env=PWD")
	p.Dir = dir
	r := run(t, job(p))
	if want := strings.Repeat("PWD="+dir+"\n", 2) + strings.Repeat(dir+"\n", 2); strings.Join(sorted(r.out), "\n")+"\n" != want && len(sorted(r.out)) != 4 {
		t.Errorf("got %q", r.out)
	}
	for _, line := range sorted(r.out) {
		if strings.TrimPrefix(line, "PWD=") != dir {
			t.Errorf("a rank was in %q, not %q", line, dir)
		}
	}
}

func TestRelativeProgramWithWorkingDirectory(t *testing.T) {
	there, elsewhere := t.TempDir(), t.TempDir()
	t.Chdir(there)
	script(t, "prog", "#!/bin/sh\npwd\n")
	r := run(t, job(Part{Ranks: 1, Program: "./prog", Dir: elsewhere}))
	r.want(t, 0)
	if strings.TrimSpace(r.out) != elsewhere {
		t.Errorf("got %q", r.out)
	}
}

// script writes an executable file.
func script(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestNothingIsLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	count := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	run(t, job(self(t, 1))) // opens what stays open, such as the poller
	files, routines := count(), runtime.NumGoroutine()
	for range 3 {
		run(t, job(self(t, 4, "print=x")))
		run(t, job(self(t, 2, "0:exit=1", "sleep=1m")))
	}
	if n := count(); n != files {
		t.Errorf("%d descriptors before, %d after", files, n)
	}
	deadline := time.Now().Add(2 * time.Second)
	for runtime.NumGoroutine() > routines && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > routines {
		t.Errorf("%d goroutines before, %d after", routines, n)
	}
}

func TestVerbosePrintsThePlacement(t *testing.T) {
	j := job(self(t, 2))
	j.Verbose = true
	run(t, j).want(t, 0, "2 ranks on", "rank  cores  directory  program")
}
