package launch

import (
	"os"
	"slices"
	"strings"
	"testing"

	"rhinet/internal/integer"

	"golang.org/x/sys/unix"
)

func TestRanksAreBound(t *testing.T) {
	cores := usableCores()
	if len(cores) < 2 || usableLimit() < len(cores) {
		t.Skip("needs two cores")
	}
	var before, after unix.CPUSet
	unix.SchedGetaffinity(os.Getpid(), &before)
	show := Part{Ranks: 2, Program: "sh", Args: []string{"-c", "grep Cpus_allowed_list /proc/self/status"}}
	j := job(show)
	r := run(t, j)
	half := len(cores) / 2
	want := []string{"Cpus_allowed_list:\t" + listOf(cores[:half]), "Cpus_allowed_list:\t" + listOf(cores[half:2*half])}
	slices.Sort(want)
	if got := sorted(r.out); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	unix.SchedGetaffinity(os.Getpid(), &after)
	if before != after {
		t.Error("the launcher stays bound")
	}
	j = job(show)
	j.Bind = BindNone
	if got := sorted(run(t, j).out); got[0] != got[1] {
		t.Errorf("unbound ranks differ: %q", got)
	}
}

// listOf prints cores in the kernel's format.
func listOf(cores []int) string {
	cores = slices.Clone(cores)
	slices.Sort(cores)
	return integer.Ranges(cores)
}

func TestKernelLists(t *testing.T) {
	for text, want := range map[string][]int{
		"0":      {0},
		"0-2,8":  {0, 1, 2, 8},
		"3,1-2":  {3, 1, 2},
		"x":      nil,
		"1-y":    nil,
		"":       nil,
		"0-1,,2": nil,
	} {
		if got := parseList(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v", text, got)
		}
	}
	if s := siblings(100000); s != nil {
		t.Errorf("a core that does not exist has siblings %v", s)
	}
	if !strings.Contains(integer.Ranges(usableCores()), "0") && len(usableCores()) == 0 {
		t.Error("no usable cores")
	}
}
