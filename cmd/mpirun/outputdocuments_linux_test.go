package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// counted returns what does not depend on the clock in the lines of statistics, sorted, since rows are in the
// order of times.
func counted(text string) (lines []string) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		times := regexp.MustCompile(`\d\.\d`).MatchString(line)
		switch {
		case times && regexp.MustCompile(`^[A-Z]`).MatchString(fields[0]): // call, count, bytes
			fields = fields[:3]
		case times: // rank, calls, bytes
			fields = []string{fields[0], fields[len(fields)-2], fields[len(fields)-1]}
		}
		lines = append(lines, strings.Join(fields, " "))
	}
	slices.Sort(lines)
	return lines
}

// The page about observing shows the statistics of its example, but for the times.
func TestStatsOnTheirPage(t *testing.T) {
	page, root := document(t, "docs/observe.md")
	shown := counted(block(t, page, "calls of 4 ranks"))
	t.Chdir(root)
	status, _, got := mpirun(t, "--tuning", "none", "-n", "4", "--stats", "./examples/halo")
	if status != 0 || len(shown) < 15 || !slices.Equal(counted(got), shown) {
		t.Errorf("status %d; the page shows\n%s\nmpirun printed\n%s", status, strings.Join(shown, "\n"), got)
	}
}

// The page about faults shows what its example prints, but for the numbers of processes and the order of deaths.
func TestOutputOnThePageOfFaults(t *testing.T) {
	page, root := document(t, "docs/faults.md")
	_, shown, found := strings.Cut(page, "```\n5 ranks are left")
	shown, _, ended := strings.Cut(shown, "```\n")
	if !found || !ended {
		t.Fatal("the page does not show the output")
	}
	pid := regexp.MustCompile(`pid \d+`)
	lines := func(text string) []string { return slices.Sorted(strings.Lines(pid.ReplaceAllString(text, "pid"))) }
	t.Chdir(root)
	status, out, errs := mpirun(t, "--keep-going", "-n", "8", "./examples/recovery")
	if want := "5 ranks are left" + shown; status != 0 || !slices.Equal(lines(out+errs), lines(want)) {
		t.Errorf("status %d; the page shows\n%s\nmpirun printed\n%s%s", status, want, out, errs)
	}
}
