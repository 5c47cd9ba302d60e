package kvstest

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"rhinet/internal/kvs"
)

// PlayVariable is the environment variable that makes a process of a test a rank: it names what the rank
// does.
const PlayVariable = "RHINET_TEST_PLAY"

// Main runs the tests of a package, or, in a process that a launcher has started, the function that
// PlayVariable names.
func Main(m *testing.M, plays map[string]func() error) {
	play := plays[os.Getenv(PlayVariable)]
	if play == nil {
		os.Exit(m.Run())
	}
	if err := play(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// A Launched store belongs to a launcher, which also gives the rank its place in the job.
type Launched interface {
	kvs.Store
	Rank() int
	Size() int
	Hosts() ([]int, error)
	Gone(f func())
}

// Live is what a rank does that a launcher has started: it exercises the store, closes it, and prints its
// rank and the name of the store.
func Live(s Launched, name string) error {
	s.Gone(func() { panic("the launcher has ended before the ranks") })
	hosts, err := s.Hosts()
	if err != nil {
		return err
	}
	if err := Exercise(s, s.Rank(), s.Size()); err != nil {
		return err
	}
	fmt.Println("rank", s.Rank(), "of", s.Size(), "on", hosts, name)
	return s.Close()
}

// Lived runs a command that starts ranks on the given hosts, and checks what they print in [Live]. A warning that
// the command's own process writes, behind its host and number as Open MPI's does, says nothing of the ranks: it
// warns of a daemon that runs before its process group is set.
func Lived(t *testing.T, cmd *exec.Cmd, play string, hosts []int, name string) {
	t.Helper()
	cmd.Env = append(cmd.Environ(), PlayVariable+"="+play)
	out, err := cmd.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if cmd.Process != nil {
		own := fmt.Sprintf(":%05d] ", cmd.Process.Pid)
		lines = slices.DeleteFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, "[") && strings.Contains(line, own)
		})
	}
	slices.Sort(lines)
	var want []string
	for r := range hosts {
		want = append(want, fmt.Sprintf("rank %d of %d on %v %s", r, len(hosts), hosts, name))
	}
	if err != nil || !slices.Equal(lines, want) {
		t.Errorf("%v: %v\n%s", cmd.Args, err, out)
	}
}
