package compare

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rhinet/bench/progress"
)

func TestPlanBesideLongMessages(t *testing.T) {
	cells, err := Progress(progress.All(), nil, nil)
	if err != nil || fmt.Sprint(cells) != "[{Mixed 2 [67108864]} {Mixed 3 [67108864]} {Overlap_send 2 [4194304]} {Overlap_receive 2 [4194304]} {Overlap_both 2 [4194304]}]" {
		t.Errorf("plan %v, %v", cells, err)
	}
	if cells, err := Progress(progress.Mixed(), []int{3, 3}, []int{8, 1, 8}); err != nil || fmt.Sprint(cells) != "[{Mixed 3 [1 8]}]" {
		t.Errorf("plan %v, %v", cells, err)
	}
	if _, err := Progress(progress.Overlap(), []int{3}, nil); err == nil || !strings.Contains(err.Error(), "runs on 2 ranks, not on 3") {
		t.Error(err)
	}
	if list := jobs(cells); len(list) != 3 {
		t.Errorf("jobs %v", list)
	}
}

// Tests of one size share a command, percentages have their unit and no ratio, and when a test fails
// everything that belongs to it is left out.
func TestJobsBesideLongMessages(t *testing.T) {
	cells, err := Progress(progress.Overlap(), nil, []int{8})
	if err != nil {
		t.Fatal(err)
	}
	r := OursProgress("mpirun", "bench", "overlap", Setting{Name: "rhinet"})
	const want = "mpirun -n 2 bench llc overlap Overlap_send Overlap_receive Overlap_both --sizes 8 --time 20ms --format json"
	if got := strings.Join(r.command(jobs(cells)[0], 20*time.Millisecond), " "); got != want {
		t.Errorf("command %q, want %q", got, want)
	}
	got := outcome{}
	got.samples, err = r.read(cells[:1], `[{"test":"Overlap_send","ranks":2,"bytes":8,"usec":0.5},{"test":"Overlap_send_percent","ranks":2,"bytes":8,"usec":90}]`, 0)
	if err != nil || len(got.samples) != 2 || got.samples[0].unit() != "usec" || got.samples[1].unit() != percent {
		t.Errorf("samples %+v, %v", got.samples, err)
	}
	if got.drop(cells[1]); len(got.samples) != 2 {
		t.Error("another test's samples are gone")
	}
	if got.drop(cells[0]); len(got.samples) != 0 {
		t.Errorf("left are %+v", got.samples)
	}
	for _, bad := range []string{"no json", "[{}]"} {
		if _, err := r.read(cells[:1], bad, 0); err == nil {
			t.Errorf("%s passes", bad)
		}
	}
	res := &Result{Runtimes: []string{"rhinet"}, Samples: []Sample{{Test: "Mixed_percent", Unit: percent}}}
	if !strings.Contains(res.Legend(), "Mixed is one way of 8 bytes") {
		t.Error(res.Legend())
	}
}
