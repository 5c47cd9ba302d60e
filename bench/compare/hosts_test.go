package compare

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rhinet/internal/netns"
)

func TestHostsShareRanks(t *testing.T) {
	h := &Hosts{net: new(netns.Network)}
	for ranks, want := range map[int]string{
		2: "10.77.0.1:1,10.77.0.2:1",
		4: "10.77.0.1:2,10.77.0.2:2",
		5: "10.77.0.1:2,10.77.0.2:1,10.77.0.3:1,10.77.0.4:1",
		6: "10.77.0.1:2,10.77.0.2:2,10.77.0.3:1,10.77.0.4:1",
		8: "10.77.0.1:2,10.77.0.2:2,10.77.0.3:2,10.77.0.4:2",
	} {
		if got := h.list(ranks); got != want {
			t.Errorf("%d ranks: %s", ranks, got)
		}
	}
}

// Without hosts, the commands are those for a single host.
func TestNoHostsChangeNothing(t *testing.T) {
	s := Setting{Name: "x", NIC: "x"}
	if got := strings.Join(s.launch("mpirun", 3, "prog", "arg"), " "); got != "mpirun --nic x -n 3 prog arg" {
		t.Error(got)
	}
	var h *Hosts
	for _, k := range kinds {
		if !slices.Equal(h.launch(k, 2), k.launch(2)) {
			t.Errorf("%s: %q", k.name, h.launch(k, 2))
		}
		if text := strings.Join(k.between, " "); !strings.Contains(text, "AGENT") || !strings.Contains(text, "HOSTS") || k.ranks == "" || k.network == "" {
			t.Errorf("%s between hosts: %q", k.name, text)
		}
	}
}

// A runtime with kernels runs them by other commands, and reads their rates.
func TestWithKernels(t *testing.T) {
	report := "CG Benchmark Completed.\n Class = W\n Total processes = 4\n Mop/s total = 5\n Verification = SUCCESSFUL\n"
	kernels := Runtime{read: readNAS, command: func([]Cell, time.Duration) []string { return []string{"printf", "%s", report} }}
	opts := options(1)
	opts.Cells, opts.Notes = []Cell{{"Barrier", 4, []int{0}}, {"CG.W", 4, []int{0}}}, []string{"between hosts"}
	res, err := Run(t.Context(), []Runtime{shell("ours", "echo row Barrier 4 0 1 1.5").WithKernels(kernels)}, opts)
	if err != nil || len(res.Samples) != 2 || res.Samples[1].Value != 5 || res.Samples[1].Unit != mops || res.Notes[0] != "between hosts" {
		t.Fatalf("%+v, %v", res, err)
	}
	if text := res.Legend(); !strings.Contains(text, "microseconds (memory: KiB a rank; kernels: Mop/s, more is better)") {
		t.Error(text)
	}
	res.Samples = res.Samples[1:]
	if text := res.Legend(); !strings.Contains(text, "; Mop/s, more is better") {
		t.Error(text)
	}
}

// Every cell of a plan between hosts uses several hosts.
func TestPlanBetweenHosts(t *testing.T) {
	kernels := []Cell{{"CG.W", 4, []int{0}}}
	for _, plan := range [][]Cell{BetweenHosts(kernels), ShortBetweenHosts()} {
		for _, c := range plan {
			if c.Test != Hello && !isKernel(c.Test) && !inSuite(c.Test) || c.Ranks < fewHosts {
				t.Errorf("%+v", c)
			}
		}
	}
	if plan := BetweenHosts(kernels); plan[len(plan)-1].Test != "CG.W" {
		t.Errorf("%+v", plan)
	}
}
