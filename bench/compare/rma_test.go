package compare

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rhinet/bench/rma"
)

func TestPlanOfOneSided(t *testing.T) {
	cells, skipped, err := RMA([]string{"fetch_and_op", "All_put_all", "Fetch_and_op"}, []int{2, 4, 2}, []int{1024, 8})
	if err != nil || fmt.Sprint(cells) != "[{Fetch_and_op 2 [8]} {All_put_all 2 [8 1024]} {All_put_all 4 [8 1024]}]" || len(skipped) != 1 {
		t.Errorf("plan %v, skipped %v, %v", cells, skipped, err)
	}
	if cells, _, err := RMA(nil, []int{2}, nil); err != nil || len(cells) != len(rma.All()) {
		t.Errorf("%d cells, %v", len(cells), err)
	}
	for _, c := range []struct {
		name        string
		ranks, size int
		want        string
	}{
		{"Unidir_Poke", 2, 8, "there are Unidir_Put"}, {"Unidir_Put", 1, 8, "nobody to access"},
		{"Unidir_Put", 3, 8, "does not run on 3 ranks"}, {"Accumulate", 2, 6, "multiples of 4"},
	} {
		if _, _, err := RMA([]string{c.name}, []int{c.ranks}, []int{c.size}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// One command measures all benchmarks of the same sizes.
func TestJobsOfOneSided(t *testing.T) {
	cells, _, err := RMA([]string{"Unidir_Put", "Unidir_Get", "Fetch_and_op"}, []int{2}, []int{8, 1024})
	if err != nil {
		t.Fatal(err)
	}
	list := jobs(cells)
	if len(list) != 2 {
		t.Fatalf("jobs %v", list)
	}
	r := OursRMA("mpirun", "bench", Setting{Name: "rhinet"}, rma.Options{Aggregate: true, Create: true})
	const want = "mpirun -n 2 bench rma Unidir_Put Unidir_Get --sizes 8,1024 --time 20ms --format json --aggregate --create"
	if got := strings.Join(r.command(list[0], 20*time.Millisecond), " "); got != want {
		t.Errorf("command %q, want %q", got, want)
	}
	samples, err := r.read(list[1], `[{"test":"Fetch_and_op","ranks":2,"bytes":8,"usec":0.5}]`, 0)
	if err != nil || len(samples) != 1 || samples[0].Value != 0.5 || samples[0].Test != "Fetch_and_op" {
		t.Errorf("samples %+v, %v", samples, err)
	}
	if _, err := r.read(list[1], "no json", 0); err == nil {
		t.Error("what is no result passes")
	}
}
