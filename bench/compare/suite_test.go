package compare

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestPlanOfTheSuite(t *testing.T) {
	cells, skipped, err := Suite([]string{"pingpong", "Barrier", "PingPong", "biband"}, []int{2, 3, 2}, []int{8, 8})
	if err != nil || fmt.Sprint(cells) != "[{PingPong 2 [8]} {Barrier 2 [0]} {Barrier 3 [0]} {Biband 2 [8]}]" || len(skipped) != 2 {
		t.Errorf("plan %v, skipped %v, %v", cells, skipped, err)
	}
	if cells, _, err = Suite(nil, []int{2}, nil); err != nil || len(cells) != 19 {
		t.Errorf("%d cells, %v", len(cells), err)
	}
	for _, c := range []struct {
		name        string
		ranks, size int
		want        string
	}{
		{"Pong", 2, 8, "the tests are PingPong"}, {"Bcast", 1, 8, "2 or more"}, {"Reduce", 2, 6, "multiple of the 4 bytes"},
		{"bw", 2, 8, "Uniband"}, {"PingPong", 4, 8, "does not run on 4 ranks"},
	} {
		if _, _, err := Suite([]string{c.name}, []int{c.ranks}, []int{c.size}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// Names are told apart by their letters' case: PingPong is of the suite.
func TestOurCommandOfASuitesTest(t *testing.T) {
	r := Ours("mpirun", "bench", "hello", Setting{Name: "x", NIC: "nic"})
	if got := strings.Join(r.command([]Cell{{"PingPong", 2, []int{8}}, {"Barrier", 2, []int{0}}}, time.Millisecond), " "); got != "mpirun --nic nic -n 2 bench pmb --npmin 2 PingPong Barrier --sizes 8 --time 1ms --format csv" {
		t.Errorf("command is %s", got)
	}
	if got := strings.Join(r.command([]Cell{{"pingpong", 2, []int{8}}}, time.Millisecond), " "); got != "mpirun --nic nic -n 2 bench pingpong --sizes 8 --time 1ms --format csv" {
		t.Errorf("command is %s", got)
	}
	if _, err := r.read([]Cell{{"PingPong", 2, []int{8}}}, "test,ranks\n", 0); err == nil {
		t.Error("foreign output passes")
	}
	text := "test,ranks,groups,bytes,repetitions,t_min_usec,t_max_usec,t_avg_usec,MB_s,msg_s,defects\nPingPong,2,1,8,1000,1,2,1.5,0,0,0\n"
	if s, err := r.read([]Cell{{"PingPong", 2, []int{8}}}, text, 0); err != nil || len(s) != 1 || s[0].Value != 1.5 {
		t.Errorf("samples %+v, %v", s, err)
	}
}
