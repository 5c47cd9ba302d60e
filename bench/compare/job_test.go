package compare

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// suite are options of a comparison of three tests of the suite on 4 ranks.
func suite(rounds int) Options {
	opts := options(rounds)
	opts.Cells = []Cell{{"Bcast", 4, []int{8, 64}}, {"Reduce", 4, []int{8, 64}}, {"Barrier", 4, []int{0}}}
	return opts
}

// measured prints a result for every test and size that a command requests, and records the request in a
// file.
func measured(log string) string {
	return `echo "$@" >>` + log + `
while [ $# -gt 0 ]; do
	for n in $(echo $2 | tr , ' '); do echo row $1 4 $n 1 1.5; done
	shift 2
done
`
}

func asked(t *testing.T, log string) []string {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestJobsShareACommand(t *testing.T) {
	cells := []Cell{{"Bcast", 2, []int{8}}, {"Bcast", 4, []int{8}}, {"Barrier", 2, []int{0}}, {"Reduce", 2, []int{8}}, {"Scan", 2, []int{16}}, {"hello", 2, []int{0}}, {"Gather", 2, []int{16}}, {"Barrier", 4, []int{0}}}
	if got := fmt.Sprint(jobs(cells)); got != "[[{Bcast 2 [8]} {Barrier 2 [0]} {Reduce 2 [8]}] [{Bcast 4 [8]} {Barrier 4 [0]}] [{Scan 2 [16]}] [{hello 2 [0]}] [{Gather 2 [16]}]]" {
		t.Errorf("jobs are %s", got)
	}
	log := filepath.Join(t.TempDir(), "log")
	res, err := Run(t.Context(), []Runtime{shell("ours", measured(log))}, suite(1))
	if err != nil || len(res.Samples) != 5 {
		t.Errorf("result %+v, %v", res, err)
	}
	if got := asked(t, log); len(got) != 1 || got[0] != "Bcast 8,64 Reduce 8,64 Barrier 0" {
		t.Errorf("commands were %q", got)
	}
}

// Sizes that are too slow are named and shown, and count as tried in their round: if the machine was only
// busy for a moment, they are tried again in the next round.
func TestTooSlowIsBounded(t *testing.T) {
	mine, log := filepath.Join(t.TempDir(), "mine"), filepath.Join(t.TempDir(), "log")
	script := `echo "$@" >>` + log + `
echo row Bcast 4 8 1 900000
case "$*" in *Reduce?8,64*) echo row Reduce 4 8 1 1; echo row Reduce 4 64 1 2;; esac
case "$*" in *Bcast?8,64*) echo slow Bcast 4 64;; esac
echo row Barrier 4 0 1 7
`
	runtimes := []Runtime{shell("ours", measured(mine)), shell("slow", script)}
	opts := suite(2)
	res, err := Run(t.Context(), runtimes, opts)
	if err != nil || len(res.Samples) != 2*5+2*4 || len(res.TooSlow) != 2 || res.TooSlow[1].Round != 1 || len(res.Failures) > 0 {
		t.Fatalf("result %+v, %v", res, err)
	}
	if got := asked(t, log); len(got) != 2 || got[1] != got[0] {
		t.Errorf("commands were %q", got)
	}
	opts.Rounds = 3
	if opts.Previous, err = Resume(save(t, res), runtimes, opts); err != nil {
		t.Fatal(err)
	}
	if res, err = Run(t.Context(), runtimes, opts); err != nil || len(asked(t, log)) != 3 || len(res.TooSlow) != 3 {
		t.Errorf("continued: %q, %v", asked(t, log), err)
	}
	var out bytes.Buffer
	if err := res.Write(&out, "table"); err != nil {
		t.Fatal(err)
	}
	res.Samples = append(res.Samples, Sample{Runtime: "slow", Test: "Bcast", Ranks: 4, Bytes: 64, Value: 1})
	if notes := res.bounds(); len(notes) > 0 || res.Slow(1, res.Lines()[1]) {
		t.Errorf("one round measured it, yet it is left out: %q", notes)
	}
	for _, want := range []string{"| too slow |", "note: slow on 4 ranks is too slow: bounded, left out are from 64 bytes on Bcast\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("table lacks %q:\n%s", want, out.String())
		}
	}
}

// When a test fails, the tests that the command had not reached yet are run again; the results printed
// before are kept.
func TestOthersOfAJobGoOn(t *testing.T) {
	mine := filepath.Join(t.TempDir(), "mine")
	script := `[ $1 = Bcast ] && { echo row Bcast 4 8 1 1; echo row Bcast 4 64 1 2; echo row Reduce 4 8 1 1; echo broken >&2; exit 3; }
echo row $1 4 0 1 3
`
	res, err := Run(t.Context(), []Runtime{shell("ours", measured(mine)), shell("bad", script)}, suite(1))
	if err != nil || len(res.Failures) != 1 || res.Failures[0] != (Failure{0, "bad", "Reduce", 4}) || len(res.Samples) != 5+3 {
		t.Fatalf("result %+v, %v", res, err)
	}
	if len(res.Notes) != 1 || !strings.Contains(res.Notes[0], "bad: Reduce on 4 ranks: exit status 3: broken") {
		t.Errorf("notes are %q", res.Notes)
	}
	// If the command fails at its very end, its last test is not complete.
	res, err = Run(t.Context(), []Runtime{shell("ours", measured(mine)), shell("late", measured(mine)+"exit 1")}, suite(1))
	if err != nil || len(res.Failures) != 1 || res.Failures[0].Test != "Barrier" || len(res.Samples) != 5+4 {
		t.Errorf("result %+v, %v", res, err)
	}
}

// A job that hangs from the start costs the time limit once, not once per test.
func TestHangFromTheStartTakesTheJob(t *testing.T) {
	mine := "" // nothing but what the shell does itself, so that a busy machine is no hang
	for _, row := range []string{"Bcast 4 8", "Bcast 4 64", "Reduce 4 8", "Reduce 4 64", "Barrier 4 0"} {
		mine += "echo row " + row + " 1 1.5\n"
	}
	opts := suite(3)
	opts.Limit = 2 * time.Second
	res, err := Run(t.Context(), []Runtime{shell("ours", mine), shell("stuck", "sleep 60")}, opts)
	if err != nil || len(res.Failures) != failuresAllowed*3 || len(res.Notes) != failuresAllowed || !strings.Contains(res.Notes[0], "stuck: 3 tests on 4 ranks did not end within 2.01s") {
		t.Errorf("result %+v, %v", res, err)
	}
}

// No round begins for which there is not enough time, except the first.
func TestRoundsEndWithTheTime(t *testing.T) {
	opts := options(50)
	opts.Within = time.Nanosecond
	res, err := Run(t.Context(), []Runtime{shell("ours", "echo row barrier 2 0 1 1.5")}, opts)
	if err != nil || res.Rounds != 1 || len(res.Samples) != 1 || res.Interrupted || !strings.Contains(fmt.Sprint(res.Notes), "ended after 1 of 50 rounds, because 1ns had been allowed") {
		t.Errorf("result %+v, %v", res, err)
	}
}
