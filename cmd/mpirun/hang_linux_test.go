package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"rhinet/mpi"
)

// The parts of the output that differ from run to run, or that depend on the user.
var (
	durations = regexp.MustCompile(`\b([\d.]+(h|m|s|ms|µs))+\b`)
	processes = regexp.MustCompile(`rank 1 \(\S+, pid \d+\)`)
	awaited   = regexp.MustCompile(`Barrier +\d+`) // which of several ranks it is depends on the processors
	blanks    = regexp.MustCompile(` +`)
)

// shape returns the output of a program that hangs without the parts that differ between runs.
func shape(text string) string {
	text = durations.ReplaceAllString(text, "T")
	text = processes.ReplaceAllString(text, "rank 1 (P)")
	text = awaited.ReplaceAllString(text, "Barrier R")
	return blanks.ReplaceAllString(text, " ")
}

// block returns the indented lines of a page from the one with this beginning.
func block(t *testing.T, page, beginning string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, "\n    "+beginning)
	if !found {
		t.Fatalf("the page does not show %q", beginning)
	}
	shown := beginning
	for line := range strings.Lines(rest) {
		if shown != beginning {
			indented := false
			if line, indented = strings.CutPrefix(line, "    "); !indented {
				break
			}
		}
		shown += line
	}
	return shown
}

// hanging builds the program of the page in a directory of its own and changes to that directory.
func hanging(t *testing.T, page, root string) {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	if err := os.WriteFile(source, []byte(program(t, page)), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "hang"), source)
	cmd.Dir = root // the module in which the imports are looked up
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Chdir(dir)
}

// patiently calls try, with more time each time, until it returns "": the ranks may not yet be where the
// page says.
func patiently(t *testing.T, try func(d time.Duration) (problem string)) {
	t.Helper()
	problem := ""
	for _, d := range []time.Duration{time.Second, 4 * time.Second, 20 * time.Second} {
		if problem = try(d); problem == "" {
			return
		}
	}
	t.Error(problem)
}

// The page about hangs shows what its program really prints.
func TestHangPage(t *testing.T) {
	page, root := document(t, "docs/hang.md")
	hanging(t, page, root)
	want := shape(block(t, page, "mpirun: the job was ended after its timeout"))
	patiently(t, func(d time.Duration) string {
		status, _, got := mpirun(t, "-n", "5", "--timeout", d.String(), "./hang")
		if status == 124 && shape(got) == want {
			return ""
		}
		return "the page shows\n" + want + "mpirun printed\n" + got
	})
	want = shape(block(t, page, "mpirun: what the ranks wait for:"))
	where := block(t, page, "[1] main.run(")
	line := regexp.MustCompile(`main\.go:\d+`).FindString(where)
	frame := regexp.MustCompile(`(?m)^\[1\] main\.run\(.*\n\[1\] \t.*/` + line + " ")
	patiently(t, func(d time.Duration) string {
		got := quit(t, d)
		if strings.HasPrefix(shape(got), want) && frame.MatchString(got) {
			return ""
		}
		return "the page shows\n" + want + where + "mpirun printed\n" + got
	})
	if lines := strings.SplitAfter(program(t, page), "\n"); !strings.Contains(lines[23], "mpi.Recv(") || line != "main.go:24" {
		t.Errorf("%s is not the Recv", line)
	}
}

// quit runs the program for a time and then asks for a report.
func quit(t *testing.T, after time.Duration) (report string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-n", "5", "--tag-output", "./hang")
	cmd.Env = append(os.Environ(), playMpirun+"=1")
	var text strings.Builder
	cmd.Stderr = &text
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	cmd.Process.Signal(syscall.SIGQUIT)
	cmd.Wait()
	return text.String()
}

func TestHangPageShowsHowDesertersAreTold(t *testing.T) {
	page, _ := document(t, "docs/hang.md")
	status, _, got := mpirun(t, "-n", "3", "-x", playRank+"=leave Recv", os.Args[0])
	if want := block(t, page, "mpirun: rank 1 ("); status != 1 || shape(got) != shape(want) {
		t.Errorf("status %d\nthe page shows\n%smpirun printed\n%s", status, want, got)
	}
}

// locksBoth makes two ranks lock their own parts of a window, and then each that of the other.
func locksBoth(world *mpi.Comm, kind mpi.LockType) error {
	win, err := mpi.WinAllocate[int](world, 1)
	if err != nil {
		return err
	}
	if err := win.Lock(kind, world.Rank()); err != nil { // "own"
		return err
	}
	if err := mpi.Barrier(world); err != nil {
		return err
	}
	other := 1 - world.Rank()
	return errors.Join(win.Lock(mpi.LockExclusive, other), win.Unlock(other), win.Unlock(world.Rank()))
}

// The report says that a rank waiting for a lock waits for the rank that holds it and, in a checked job,
// where that rank has taken it. In a job that is not checked, only the number of holders of a shared lock is known.
func TestHangReportsNameWhoHasALock(t *testing.T) {
	source, err := os.ReadFile("hang_linux_test.go")
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(source), "// \"own\"")
	own := fmt.Sprintf("hang_linux_test.go:%d", strings.Count(before, "\n")+1)
	for _, c := range []struct {
		kind    string
		checked bool
		row     string
	}{{"alone", false, "Lock +1"}, {"alone", true, "Lock +1"}, {"shared", false, `Lock \(1 rank shares it\) +-`}, {"shared", true, "Lock +1"}} {
		patiently(t, func(d time.Duration) string {
			args := []string{"-n", "2", "--timeout", d.String(), "-x", playRank + "=locks " + c.kind, os.Args[0]}
			if c.checked {
				args = append([]string{"--check"}, args...)
			}
			_, _, got := mpirun(t, args...)
			lines := regexp.MustCompile(`(?m)^lock: rank (0 waits for what rank 1|1 waits for what rank 0) has taken at \S*`+regexp.QuoteMeta(own)+"$").FindAllString(got, -1)
			switch {
			case !regexp.MustCompile(`(?m)^0 +` + c.row + " +-").MatchString(got):
			case strings.Contains(got, "deadlock: 0 -> 1 -> 0") != strings.HasSuffix(c.row, "1"):
			case c.checked && len(lines) == 2 || !c.checked && !strings.Contains(got, "lock: rank"):
				return ""
			}
			return fmt.Sprintf("%+v: mpirun printed\n%s", c, got)
		})
	}
}
