package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
)

// endIn is a rank that ends in or outside the world, as how says; rank 1 may differ.
func endIn(how string) {
	err := func() error {
		if how, session := strings.CutPrefix(how, "session "); session {
			return endInSession(how)
		}
		if how == "main exits" {
			mpi.Main(func(world *mpi.Comm) error {
				if world.Rank() == 1 {
					os.Exit(0)
				}
				time.Sleep(time.Minute)
				return nil
			})
		}
		world, err := mpi.Init()
		if err != nil {
			return err
		}
		me := world.Rank()
		switch how {
		case "others compute":
			if me != 1 {
				time.Sleep(time.Minute)
			}
		case "others probe":
			for ; me != 1; time.Sleep(time.Millisecond) {
				if _, _, err := mpi.Iprobe(world, mpi.AnySource, 7); err != nil {
					return err
				}
			}
		case "all":
			return mpi.Barrier(world)
		case "abort of nil":
			if me == 1 {
				mpi.Abort(nil, 7)
			}
			return mpi.Finalize(world)
		case "world then session":
			s, err := world.Session()
			if err != nil {
				return err
			}
			_, err = s.Group(mpi.PsetWorld)
			return errors.Join(err, mpi.Finalize(world)) // the session stays
		case "world before sessions", "world before a session":
			if err := errors.Join(mpi.Barrier(world), mpi.Finalize(world)); err != nil {
				return err
			}
			if how == "world before sessions" {
				return endInSession("finalized again again")
			}
			if me == 1 {
				return nil
			}
			return endInSession("finalized")
		case "one goes":
			if me == 1 {
				return nil
			}
			if _, err := mpi.Recv(world, make([]int, 1), 1, 7); !errors.Is(err, mpi.ErrProcFailed) {
				return fmt.Errorf("a receive from a rank that has gone: %v", err)
			}
			return mpi.Finalize(world)
		}
		return nil
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// endInSession is a rank that uses a session, and leaves it open if how says so.
func endInSession(how string) error {
	s, err := mpi.SessionInit()
	if err != nil {
		return err
	}
	c, err := allOf(s)
	if err != nil {
		return err
	}
	if err := mpi.Barrier(c); err != nil || how == "open" {
		return err
	}
	if how == "then world" {
		err = besideWorld()
	}
	err = errors.Join(err, c.Free(), s.Finalize())
	if again, ok := strings.CutSuffix(how, " again"); ok && err == nil {
		return endInSession(again)
	}
	return err
}

// besideWorld uses a world and another session, which outlives it.
func besideWorld() error {
	s, err := mpi.SessionInit()
	if err != nil {
		return err
	}
	world, err := mpi.Init()
	if err != nil {
		return err
	}
	if err := errors.Join(mpi.Barrier(world), mpi.Finalize(world)); err != nil {
		return err
	}
	c, err := allOf(s)
	if err != nil {
		return err
	}
	return errors.Join(mpi.Barrier(c), c.Free(), s.Finalize())
}

// allOf makes a communicator of all processes.
func allOf(s *mpi.Session) (*mpi.Comm, error) {
	g, err := s.Group(mpi.PsetWorld)
	if err != nil {
		return nil, err
	}
	return mpi.CommFromGroup(g, "ends")
}

// A process that has called Init must call Finalize before it exits; a job in which one does not has failed
// (MPI 4.1, section 11.2.2). A session need not be finalized.
func TestEndInTheWorld(t *testing.T) {
	const without, after = "exited with status 0 without Finalize", "exited with status 0 after Finalize while others wait"
	for how, c := range map[string]struct {
		flags  string
		status int
		says   string
	}{
		"others compute":     {"", 1, "mpirun: rank 1 ("},
		"others probe":       {"", 1, "mpirun: rank 1 ("},
		"main exits":         {"", 1, "mpirun: rank 1 ("},
		"all":                {"", 1, "mpirun: rank "},
		"all ":               {"--nic ib --check", 1, "mpirun: rank "},
		"all  ":              {"--time loggp -q", 1, "mpirun: rank "},
		"abort of nil":       {"", 7, "mpirun: rank 1 ("},
		"one goes":           {"--keep-going", 1, "mpirun: 1 rank of 3 died, 2 went on to the end:\n  rank 1 ("},
		"world then session": {"", 0, ""},
		"session open":       {"", 0, ""},
		"session finalized":  {"", 0, ""},
		"session then world": {"", 0, ""},
		// Ranks open sessions after they have finalized all.
		"session finalized again again":  {"", 0, ""},
		"session finalized again again ": {"--check --keep-going --stats -q", 0, ""},
		// A network that repeats what is not acknowledged, without and with losses.
		"session finalized again  ":  {"--nic ib:ud", 0, ""},
		"session finalized again   ": {"--nic ib:ud:faults=some", 0, ""},
		// Sessions after the world (MPI 4.1, section 11.3).
		"world before sessions":    {"", 0, ""},
		"world before sessions ":   {"--check --keep-going --stats -q", 0, ""},
		"world before sessions  ":  {"--nic ib:ud:faults=some", 0, ""},
		"world before sessions   ": {"--nic tcp", 0, ""},
		"world before a session":   {"", 1, "mpirun: rank 1 ("},
		// With the checks of a job that outlives ranks.
		"session then world ": {"--check --keep-going", 0, ""},
	} {
		t.Run(how+c.flags, func(t *testing.T) {
			args := append(strings.Fields(c.flags), "-n", "3", "-x", playRank+"=end "+strings.TrimRight(how, " "), os.Args[0])
			status, _, errs := mpirun(t, args...)
			if status != c.status || !strings.HasPrefix(errs, c.says) || (strings.Contains(errs, without) || strings.Contains(errs, after)) != (c.status == 1) || strings.Count(errs, "mpirun: ") > 1 {
				t.Errorf("status %d, %s", status, errs)
			}
		})
	}
	for _, how := range []string{"session then world", "session finalized again again", "world before sessions"} {
		if status, _, errs := onHosts(t, "-n", "3", "--check", "-x", playRank+"=end "+how, os.Args[0]); status != 0 || errs != "" {
			t.Errorf("%s on two hosts: status %d, %s", how, status, errs)
		}
	}
	// A program without MPI, and one that its shell hides.
	if status, _, errs := mpirun(t, "-n", "3", "sh", "-c", "exit 0"); status != 0 || errs != "" {
		t.Errorf("without MPI: status %d, %s", status, errs)
	}
	if status, _, errs := mpirun(t, "-n", "1", "-x", playRank+"=end all", "sh", "-c", `"$0"; exit 0`, os.Args[0]); status != 1 || !strings.Contains(errs, "rank 0 (sh, pid ") {
		t.Errorf("below a shell: status %d, %s", status, errs)
	}
}
