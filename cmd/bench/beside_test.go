package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rhinet/bench/compare"
)

// Both comparisons run jobs of this runtime, and keep their results.
func TestBesideLongMessages(t *testing.T) {
	mpirun, _ := processes(t)
	for name, want := range map[string][]string{
		"mixed":   {"Mixed 2", "Mixed 3", "Mixed_alone 2", "Mixed_alone 3", "Mixed_idle 2", "Mixed_idle 3", "Mixed_loss_percent 2", "Mixed_loss_percent 3", "Mixed_percent 2", "Mixed_percent 3", "Mixed_stream 2", "Mixed_stream 3"},
		"overlap": {"Overlap_both 2", "Overlap_both_available_percent 2", "Overlap_both_overhead 2", "Overlap_both_percent 2", "Overlap_both_pure 2", "Overlap_receive 2", "Overlap_receive_available_percent 2", "Overlap_receive_overhead 2", "Overlap_receive_percent 2", "Overlap_receive_pure 2", "Overlap_send 2", "Overlap_send_available_percent 2", "Overlap_send_overhead 2", "Overlap_send_percent 2", "Overlap_send_pure 2"},
	} {
		file := filepath.Join(t.TempDir(), name+".json")
		status, out, errs := process(t, "llc", name, "--mpirun", mpirun, "--peers=", "--rounds", "1", "--sizes", "300000", "--time", "1ms", "--out", file, "--format", "markdown")
		if status != 0 || !strings.Contains(out, "beside a long message: Mixed is one way") {
			t.Fatalf("%s: status %d, %s, %s", name, status, out, errs)
		}
		res, err := compare.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range res.Samples {
			got = append(got, s.Test+" "+string(rune('0'+s.Ranks)))
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: samples %q, want %q", name, got, want)
		}
	}
}

// A rank of a job prints rows for people and for programs, and reports wrong input.
func TestRanksBesideLongMessages(t *testing.T) {
	mpirun, self := processes(t)
	for _, c := range []struct{ args, want string }{
		{"-n 2 BENCH llc overlap Overlap_send --sizes 1000 --time 1ms", "Overlap_send_percent"},
		{"-n 3 BENCH llc mixed --sizes 1000 --time 1ms --format csv", "Mixed_loss_percent,3,1000,"},
		{"-n 3 BENCH llc overlap", "bench: Overlap_send runs on 2 ranks, not on 3; start it with mpirun -n 2\n"},
		{"-n 2 BENCH llc mixed --format go", "bench: the format go is for comparisons; a rank prints table, markdown, csv, json\n"},
		{"-n 2 BENCH llc mixed --sizes 0", "bench: size 0; Mixed takes 1 to"},
	} {
		args := append([]string{"-q", "--timeout", "1m"}, strings.Fields(strings.Replace(c.args, "BENCH", self, 1))...)
		text, err := exec.Command(mpirun, args...).CombinedOutput()
		if bad := strings.HasPrefix(c.want, "bench:"); (err != nil) != bad || !strings.Contains(string(text), c.want) {
			t.Errorf("%s: %v, %s; want %q", c.args, err, text, c.want)
		}
	}
}
