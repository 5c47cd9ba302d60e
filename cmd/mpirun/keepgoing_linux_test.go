package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rhinet/internal/launch"
	"rhinet/mpi"
)

// recovers loses the ranks 1, 4 and 6, by a signal or in the way that how says, and computes a sum on the
// remaining ranks.
func recovers(world *mpi.Comm, how string) error {
	c := world
	for round := 0; ; round++ {
		if me := world.Rank(); round == 0 && (me == 1 || me == 4) || round == 1 && me == 6 {
			if how == "exit" {
				os.Exit(5)
			}
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		sum, good := []int{0}, uint64(1)
		if err := mpi.Allreduce(c, []int{world.Rank()}, sum, mpi.Sum); err != nil {
			good = 0
			if err := c.Revoke(); err != nil {
				return err
			}
		}
		good, err := c.Agree(good)
		if err != nil && !errors.Is(err, mpi.ErrProcFailed) {
			return err
		}
		if err == nil && good == 1 {
			if sum[0] != 28-1-4-6 {
				return fmt.Errorf("the ranks add up to %d", sum[0])
			}
			if c.Rank() == 0 {
				fmt.Printf("%d are left\n", c.Size())
			}
			return nil
		}
		if c, err = c.Shrink(); err != nil {
			return err
		}
	}
}

// Three of eight processes fail, and the others get the right answer. The job is meant to survive a rank
// killed by a signal; if a rank fails by itself, its status is that of the job. The message names the ranks
// that failed.
func TestKeepGoing(t *testing.T) {
	for how, want := range map[string]struct {
		status int
		text   string
	}{"kill": {0, "killed by signal 9, SIGKILL (killed)"}, "exit": {5, "exited with status 5"}} {
		status, out, err := mpirun(t, "--keep-going", "-n", "8", "-x", playRank+"=recover "+how, os.Args[0])
		if status != want.status || out != "5 are left\n" || !strings.HasPrefix(err, "mpirun: 3 ranks of 8 died, 5 went on to the end:\n") {
			t.Errorf("%s: status %d, %q, %s", how, status, out, err)
		}
		for _, r := range []int{1, 4, 6} {
			if !strings.Contains(err, fmt.Sprintf("  rank %d (", r)) || strings.Count(err, want.text) != 3 {
				t.Errorf("%s: rank %d is not named: %s", how, r, err)
			}
		}
	}
}

// computing is how long a rank computes that does nothing else.
const computing = 500 * time.Millisecond

// In a job that survives deaths, each rank has a goroutine that answers the others. It is not a call of the
// program: ranks that compute count as progress, and a report names only the calls of the program.
func TestStallOfAJobThatGoesOn(t *testing.T) {
	stall := (computing / 4).String()
	if status, _, err := mpirun(t, "--keep-going", "-n", "2", "--stall", stall, "-x", playRank+"=compute", os.Args[0]); status != 0 || err != "" {
		t.Errorf("ranks compute: status %d, %s", status, err)
	}
	stall = (2 * computing).String() // on a busy machine ranks take a while to get there
	if status, _, err := mpirun(t, "--keep-going", "-n", "2", "--stall", stall, "-x", playRank+"=observed barrier", os.Args[0]); status != launch.StatusTimeout || !strings.Contains(err, "0     Barrier") {
		t.Errorf("rank 0 is in Barrier: status %d, %s", status, err)
	}
	status, _, err := mpirun(t, "--keep-going", "-n", "2", "--stall", stall, "-x", playRank+"=observed waits", os.Args[0])
	for _, want := range []string{"0     Recv  1     9    8", "1     Recv  0     9    8", "deadlock: 0 -> 1 -> 0: each of these ranks waits for the next\n"} {
		if status != launch.StatusTimeout || !strings.Contains(err, want) {
			t.Errorf("status %d, %q is missing in\n%s", status, want, err)
		}
	}
}

// twoRanksDie makes ranks 1 and 3 be killed, one while it holds a lock of a window, the other in the middle of
// updates; then it continues with the window, and with another one.
func twoRanksDie(world *mpi.Comm) error {
	const n = 64 // a long update
	v, err := mpi.WinAllocate[int64](world, n)
	if err != nil {
		return err
	}
	add := make([]int64, n)
	switch world.Rank() {
	case 1:
		if err := v.Lock(mpi.LockExclusive, 2); err != nil {
			return err
		}
	case 3:
		if err := v.Lock(mpi.LockShared, 0); err != nil {
			return err
		}
		go func() {
			for v.Accumulate(add, 0, 0, mpi.Sum) == nil {
			}
		}()
	}
	if err := leave(world, 1, 3); err != nil {
		return err
	}
	// Calls that wait for the failed ranks return errors, at most once for each of them; then all calls of
	// the others succeed.
	again := func(call func() error) error {
		err := call()
		for tries := 0; err != nil && errors.Is(err, mpi.ErrProcFailed) && tries < 2; tries++ {
			err = call()
		}
		return err
	}
	if err := again(func() error { return v.Lock(mpi.LockExclusive, 2) }); err != nil {
		return err
	}
	if err := errors.Join(v.Put(add, 2, 0), v.Unlock(2), v.Lock(mpi.LockShared, 0)); err != nil {
		return err
	}
	if err := again(func() error { return v.Accumulate(add, 0, 0, mpi.Sum) }); err != nil {
		return err
	}
	if err := errors.Join(v.Unlock(0), v.Free()); err != nil {
		return err
	}
	c, err := world.Shrink()
	if err != nil {
		return err
	}
	return allAdd(c)
}

// allAdd has each rank of c add to a window of rank 0, which says how many have.
func allAdd(c *mpi.Comm) error {
	u, err := mpi.WinAllocate[int64](c, 1)
	if err != nil {
		return err
	}
	if err := errors.Join(u.Fence(), u.Accumulate([]int64{1}, 0, 0, mpi.Sum), u.Fence(mpi.NoSucceed)); err != nil {
		return err
	}
	if c.Rank() == 0 {
		fmt.Printf("%d of %d have added\n", u.Local()[0], c.Size())
	}
	return u.Free()
}

// leave kills some ranks, when they have arrived and the others know that.
func leave(world *mpi.Comm, ranks ...int) error {
	buf := make([]byte, 1)
	if !slices.Contains(ranks, world.Rank()) {
		for _, r := range ranks {
			_, err := mpi.Recv(world, buf, r, 1)
			if err := errors.Join(err, mpi.Send(world, buf, r, 2)); err != nil {
				return err
			}
		}
		return nil
	}
	for r := range world.Size() {
		if slices.Contains(ranks, r) {
			continue
		}
		err := mpi.Send(world, buf, r, 1)
		if _, e := mpi.Recv(world, buf, r, 2); e != nil || err != nil {
			return errors.Join(err, e)
		}
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// Windows survive ranks that are killed: their locks are released, and no rank waits forever.
func TestWindowsOutliveRanks(t *testing.T) {
	for _, nic := range []string{"martini", "martini:vp", "ib"} {
		status, out, err := mpirun(t, "--keep-going", "--nic", nic, "-n", "5", "-x", playRank+"=two die", os.Args[0])
		if status != 0 || out != "3 of 3 have added\n" || strings.Count(err, "killed by signal 9") != 2 {
			t.Errorf("%s: status %d, %q, %s", nic, status, out, err)
		}
	}
}

// revokeAWindow has rank 3 be killed. Rank 0 finds that, while the others wait for it: they continue with
// another window.
func revokeAWindow(world *mpi.Comm) error {
	v, err := mpi.WinAllocate[int64](world, 1)
	if err != nil {
		return err
	}
	g, err := world.Group()
	if err != nil {
		return err
	}
	zero, err := g.Incl(0)
	if err != nil {
		return err
	}
	if world.Rank() == 0 {
		if err := v.Lock(mpi.LockExclusive, 2); err != nil {
			return err
		}
	}
	if err := errors.Join(mpi.Barrier(world), leave(world, 3)); err != nil {
		return err
	}
	switch world.Rank() {
	case 0:
		for err == nil {
			if err = v.Lock(mpi.LockShared, 3); err == nil {
				err = v.Unlock(3)
			}
		}
		if !errors.Is(err, mpi.ErrProcFailed) {
			return err
		}
		if err := world.Revoke(); err != nil {
			return err
		}
	case 1:
		err = v.Start(zero)
	case 2:
		err = v.Lock(mpi.LockExclusive, 2)
	}
	if world.Rank() > 0 && !errors.Is(err, mpi.ErrRevoked) {
		return fmt.Errorf("the wait ended with %v", err)
	}
	c, err := world.Shrink() // the lock of rank 0 is still held
	if err != nil {
		return err
	}
	if world.Rank() == 0 {
		if err := v.Unlock(2); !errors.Is(err, mpi.ErrRevoked) {
			return fmt.Errorf("the lock ended with %v", err)
		}
	}
	if err := v.Free(); err != nil {
		return err
	}
	return allAdd(c)
}

// Revoke of a communicator ends waits on its windows, whichever way the network reaches them.
func TestRevokeReachesWindows(t *testing.T) {
	for _, nic := range []string{"martini", "martini:vp", "ib"} {
		status, out, err := mpirun(t, "--keep-going", "--nic", nic, "-n", "4", "-x", playRank+"=revoke a window", os.Args[0])
		if status != 0 || out != "3 of 3 have added\n" || strings.Count(err, "killed by signal 9") != 1 {
			t.Errorf("%s: status %d, %q, %s", nic, status, out, err)
		}
	}
}
