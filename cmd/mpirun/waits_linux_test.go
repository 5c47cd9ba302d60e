package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"rhinet/internal/launch"
	"rhinet/mpi"
)

// limitedWait is a wait of rank 0 of 2 that never ends by itself: rank 1 receives a message that is never sent.
type limitedWait struct {
	name string
	nic  string // "": the default
	row  string // of rank 0 in the report, as a regular expression
	call func(c *mpi.Comm) error
}

var limitedWaits = []limitedWait{
	{"probe", "", `0 +Probe +1 +5 +- `, func(c *mpi.Comm) error { _, err := mpi.Probe(c, 1, 5); return err }},
	{"mprobe", "", `0 +Mprobe +any +any +- `, func(c *mpi.Comm) error { _, _, err := mpi.Mprobe(c, mpi.AnySource, mpi.AnyTag); return err }},
	{"waitany", "", `0 +WaitAny \(peer 1 tag 1, peer 1 tag 2\) +1 +- +- `, func(c *mpi.Comm) error { _, _, err := mpi.WaitAny(twoReceives(c)...); return err }},
	{"waitany of one", "", `0 +WaitAny +1 +1 +8 `, func(c *mpi.Comm) error { _, _, err := mpi.WaitAny(twoReceives(c)[:1]...); return err }},
	{"waitsome", "", `0 +WaitSome \(peer 1 tag 1, peer 1 tag 2\) +1 +- +- `, func(c *mpi.Comm) error { _, _, err := mpi.WaitSome(twoReceives(c)...); return err }},
	{"waitany with a barrier", "", `0 +WaitAny +- +- +- `, func(c *mpi.Comm) error {
		_, _, err := mpi.WaitAny(append(twoReceives(c), mpi.Ibarrier(c))...)
		return err
	}},
	{"waitall with a barrier", "", `0 +WaitAll \(Ibarrier\) +1 +- +- `, func(c *mpi.Comm) error { return mpi.WaitAll(nil, mpi.Ibarrier(c)) }},
	{"waitall with a broadcast", "", `0 +WaitAll \(Ibcast\) +. +- +`, func(c *mpi.Comm) error { return mpi.WaitAll(mpi.Ibcast(c, make([]int, 1<<16), 1)) }},
	{"waitall with neighbors", "martini", `0 +WaitAll \(IneighborAllgather\) +[1-] +- `, func(c *mpi.Comm) error {
		ring, err := c.CartCreate([]int{2}, []bool{false})
		if err != nil || c.Rank() == 1 {
			return err
		}
		return mpi.WaitAll(mpi.IneighborAllgather(ring, []int{1}, make([]int, 2)))
	}},
	{"waitall of receives", "", `0 +WaitAll +1 +1 +8 `, func(c *mpi.Comm) error { return mpi.WaitAll(twoReceives(c)...) }},
	{"waitall with statuses", "", `0 +WaitAllStatus +1 +1 +8 `, func(c *mpi.Comm) error { return second(mpi.WaitAllStatus(twoReceives(c)...)) }},
	{"waitall with statuses and a barrier", "", `0 +WaitAllStatus \(Ibarrier\) +1 +- +- `, func(c *mpi.Comm) error {
		return second(mpi.WaitAllStatus(mpi.Ibarrier(c)))
	}},
	{"waitall with a partitioned receive", "", `0 +WaitAll \(PrecvInit, no PsendInit with tag 1\) +1 +`, func(c *mpi.Comm) error {
		r, err := mpi.PrecvInit(c, make([]int, 4), 2, 1, 1)
		return errors.Join(err, r.Start(), mpi.WaitAll(r))
	}},
	{"waitall with a partitioned send that nobody receives", "", `0 +WaitAll \(PsendInit, no PrecvInit with tag 7\) +1 +- `, func(c *mpi.Comm) error {
		r, err := mpi.PsendInit(c, make([]int, 4), 2, 1, 7)
		return errors.Join(err, r.Start(), r.PreadyRange(0, 1), mpi.WaitAll(r))
	}},
	{"wait for partitions that are not ready", "martini", `0 +Wait \(PsendInit, no Pready of 0,3,4 and 1 more\) +- +`, func(c *mpi.Comm) error {
		r, err := mpi.PsendInit(c, make([]int, 7), 7, 1, 1)
		if err == nil && c.Rank() == 0 {
			err = errors.Join(r.Start(), r.PreadyRange(1, 2), r.Pready(5), second(r.Wait()))
		} else if err == nil {
			err = startedParts(c)
		}
		return err
	}},
	{"waitall for the last partition", "martini", `0 +WaitAll \(PsendInit, no Pready of 6\) +- +`, func(c *mpi.Comm) error {
		if c.Rank() == 1 {
			return startedParts(c)
		}
		r, err := mpi.PsendInit(c, make([]int, 7), 7, 1, 1)
		if err == nil {
			err = r.Start()
		}
		if err != nil {
			return err
		}
		go func() { // while rank 0 waits
			for i := range 6 {
				time.Sleep(20 * time.Millisecond)
				if err := r.Pready(i); err != nil {
					panic(err)
				}
			}
		}()
		return mpi.WaitAll(r)
	}},
	{"wait after Done", "", `0 +Wait +1 +- +- `, func(c *mpi.Comm) error {
		r := mpi.Irecv(c, []int{0}, 1, 1)
		r.Done()
		_, err := r.Wait()
		return err
	}},
	{"waitany after Done", "", `0 +WaitAny +- +- +- `, func(c *mpi.Comm) error {
		rs := append(twoReceives(c), mpi.Ibarrier(c))
		rs[0].Done()
		rs[2].Done()
		_, _, err := mpi.WaitAny(rs...)
		return err
	}},
	{"agree", "", `0 +Agree +- +- +- `, func(c *mpi.Comm) error { _, err := c.Agree(0); return err }},
	{"iagree", "", `0 +Wait \(Iagree\) +- +- +- `, func(c *mpi.Comm) error { _, err := c.Iagree(new(uint64)).Wait(); return err }},
	{"waitany of an ishrink", "", `0 +WaitAny +- +- +- `, func(c *mpi.Comm) error {
		_, r := c.Ishrink()
		_, _, err := mpi.WaitAny(append(twoReceives(c), r)...)
		return err
	}},
	{"shrink", "", `0 +Shrink +- +- +- `, func(c *mpi.Comm) error { _, err := c.Shrink(); return err }},
	{"finalize", "", `0 +Finalize +[1-] +- +- `, func(c *mpi.Comm) error { return nil }},
	{"window", "", `0 +WinFree +[1-] +- +- `, func(c *mpi.Comm) error {
		v, err := mpi.WinAllocate[int](c, 1)
		if err != nil || c.Rank() == 1 {
			return err
		}
		return v.Free()
	}},
	{"lock", "", `0 +Lock +1 +- +- `, func(c *mpi.Comm) error {
		v, err := mpi.WinAllocate[int](c, 1)
		return lockTaken(c, v, err, 0, mpi.LockExclusive, mpi.LockShared)
	}},
	{"shared lock", "martini", `0 +Lock \(1 rank shares it\) +- +- +- `, func(c *mpi.Comm) error {
		v, err := mpi.WinAllocate[int](c, 1)
		return lockTaken(c, v, err, 0, mpi.LockShared, mpi.LockExclusive)
	}},
	{"lock by messages", "sync", `0 +Lock \(target 1, window world\.win1\) +1 +- +- `, func(c *mpi.Comm) error {
		v, err := mpi.WinCreate(c, make([]int, 1))
		return lockTaken(c, v, err, 1, mpi.LockExclusive, mpi.LockExclusive)
	}},
	{"shared lock by messages", "sync", `0 +Lock \(target 0, window world\.win1\) +1 +- +- `, func(c *mpi.Comm) error {
		v, err := mpi.WinCreate(c, make([]int, 1))
		return lockTaken(c, v, err, 0, mpi.LockShared, mpi.LockExclusive)
	}},
	{"lock by the network", "sync", `0 +Lock (\(target 1, window world\.win1\) )? *1 +- +- `, func(c *mpi.Comm) error {
		v, err := mpi.WinAllocate[int](c, 1, mpi.Info{mpi.HintWindow: "lock=ncl"})
		return lockTaken(c, v, err, 1, mpi.LockExclusive, mpi.LockShared)
	}},
	{"shared lock by the network", "sync", `0 +Lock \((target 1, window world\.win1, )?1 rank shares it\) +- +- +- `, func(c *mpi.Comm) error {
		v, err := mpi.WinAllocate[int](c, 1, mpi.Info{mpi.HintWindow: "lock=ncl"})
		return lockTaken(c, v, err, 1, mpi.LockShared, mpi.LockExclusive)
	}},
	{"unexpected", "martini", `0 +Recv +1 +5 +8 (.*\n)+unexpected: rank 0 has 2 messages that this Recv does not take, the first from rank 1, tag 7\n`, func(c *mpi.Comm) error {
		if c.Rank() == 1 {
			return errors.Join(mpi.Send(c, []int{0}, 0, 7), mpi.Send(c, []int{0}, 0, 8))
		}
		return second(mpi.Recv(c, []int{0}, 1, c.Rank()+5)) // mpivet reports constants that differ
	}},
	{"unexpected elsewhere", "martini", `0 +Recv +1 +5 +8 (.*\n)+unexpected: rank 0 has a message from rank 1, tag 5, on another communicator than that of this Recv\n`, func(c *mpi.Comm) error {
		d, err := c.Dup()
		if err != nil {
			return err
		}
		if c.Rank() == 1 {
			return errors.Join(mpi.Send(c, []int{0}, 0, 7), mpi.Send(d, []int{0}, 0, 5))
		}
		return second(mpi.Recv(c, []int{0}, 1, 5))
	}},
	{"messages of windows", "martini", `0 +Recv +1 +0 +8 .*\n1 .*\n[^u]`, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int](c, 1)
		if err != nil {
			return err
		}
		if c.Rank() == 1 {
			g, _ := c.Group()
			g, _ = g.Incl(0)
			return w.Post(g) // a message with tag 0, for a Start that does not come
		}
		return second(mpi.Recv(c, []int{0}, 1, 0))
	}},
	{"group with another tag", "martini", `0 +CreateGroup \(tag 3\) +1 +- +.*\n1 +CreateGroup \(tag 4\) +0 +- .*\ndeadlock: 0 -> 1 -> 0.*\n` +
		`mismatch: in CreateGroup rank 0 gives tag 3, rank 1 gives tag 4: ranks that make a communicator together must give the same tag`, func(c *mpi.Comm) error {
		g, err := c.Group()
		if err == nil {
			_, err = c.CreateGroup(g, 3+c.Rank())
		}
		return err
	}},
	{"session with another tag", "martini", `0 +CommFromGroup \(tag "a 0"\) +1 +- +.*\n1 +CommFromGroup \(tag "a 1"\) +0 +- (.*\n)+mismatch: in CommFromGroup rank 0 gives tag "a 0", rank 1 `, func(c *mpi.Comm) error {
		g, err := c.Group()
		if err == nil {
			_, err = mpi.CommFromGroup(g, fmt.Sprint("a ", c.Rank()))
		}
		return err
	}},
	{"leaders with other tags", "martini", `0 +IntercommCreate \(tag 5\) +1 +- +.*\n1 +IntercommCreate \(tag 6\) +0 +- (.*\n)+mismatch: in IntercommCreate rank 0 gives tag 5, rank 1 gives tag 6: `, func(c *mpi.Comm) error {
		self, err := mpi.Self(c)
		if err == nil {
			_, err = self.IntercommCreate(0, c, 1-c.Rank(), 5+c.Rank())
		}
		return err
	}},
	{"groups with other tags", "martini", `0 +IntercommFromGroups \(tag "x"\) +1 +- +.*\n1 +IntercommFromGroups \(tag "y"\) +0 +- (.*\n)+mismatch: in IntercommFromGroups rank 0 gives tag "x", rank 1 gives tag "y": `, func(c *mpi.Comm) error {
		all, err := c.Group()
		if err != nil {
			return err
		}
		mine, err1 := all.Incl(c.Rank())
		other, err2 := all.Incl(1 - c.Rank())
		_, err = mpi.IntercommFromGroups(mine, 0, other, 0, []string{"x", "y"}[c.Rank()])
		return errors.Join(err1, err2, err)
	}},
	{"controller", "sync", `0 +Barrier +- +- +- `, func(c *mpi.Comm) error { return barrierBy(c, "barrier=controller") }},
	{"switch", "cenju4", `0 +Barrier +- +- +- `, func(c *mpi.Comm) error { return barrierBy(c, "barrier=synchronization") }},
}

// twoReceives begins receives of messages that are never sent.
func twoReceives(c *mpi.Comm) []*mpi.Request {
	return []*mpi.Request{mpi.Irecv(c, []int{0}, 1, 1), mpi.Irecv(c, []int{0}, 1, 2)}
}

// startedParts begins to receive what rank 0 sends in partitions.
func startedParts(c *mpi.Comm) error {
	r, err := mpi.PrecvInit(c, make([]int, 7), 1, 0, 1)
	if err == nil {
		err = r.Start()
	}
	return err
}

// barrierBy has rank 0 be alone in a barrier by an algorithm that all have used before.
func barrierBy(c *mpi.Comm, algorithm string) error {
	d, err := c.DupWithInfo(mpi.Info{mpi.HintAlgorithms: algorithm})
	if err != nil {
		return err
	}
	if err := mpi.Barrier(d); err != nil || c.Rank() == 1 {
		return err
	}
	return mpi.Barrier(d)
}

// lockTaken has rank 0 want the lock of a rank of v, which has been made or not, while rank 1 has it.
func lockTaken(c *mpi.Comm, v *mpi.Win[int], err error, target int, taken, wanted mpi.LockType) error {
	if err != nil {
		return err
	}
	if c.Rank() == 1 {
		err = v.Lock(taken, target)
	}
	if err := errors.Join(err, mpi.Barrier(c)); err != nil || c.Rank() == 1 {
		return err
	}
	return v.Lock(wanted, target)
}

// waitLimited is what a rank does in TestLimitedWaitsAreReported.
func waitLimited(world *mpi.Comm, what string) error {
	c := world
	if rest, far := strings.CutPrefix(what, "with a deadline: "); far {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		what, c = rest, world.WithContext(ctx)
	}
	for _, w := range limitedWaits {
		if w.name != what {
			continue
		}
		if world.Rank() == 0 || w.nic != "" || what == "lock" || what == "window" {
			if err := w.call(c); err != nil || world.Rank() == 0 {
				return err
			}
		}
		_, err := mpi.Recv(world, []int{0}, 0, 9)
		return err
	}
	return fmt.Errorf("there is no wait %q", what)
}

// Waits in jobs that go on when ranks die, and on communicators with a context, are reported, and end a job that
// does nothing else.
func TestLimitedWaitsAreReported(t *testing.T) {
	for _, w := range limitedWaits {
		for _, how := range []string{"--keep-going", "with a deadline: ", "plain"} {
			if how == "plain" && !strings.HasPrefix(w.name, "waitall") {
				continue // the others are waits that a context or a death can end
			}
			if how != "--keep-going" && (strings.Contains(w.name, "agree") || strings.Contains(w.name, "shrink")) {
				continue // they are for jobs that go on
			}
			t.Run(how+" "+w.name, func(t *testing.T) {
				t.Parallel()
				args, play := []string{"-n", "2", "--timeout", "25s", "--stall", (2 * computing).String()}, w.name
				switch how {
				case "--keep-going":
					args = append(args, how)
				case "with a deadline: ":
					play = how + w.name
				}
				if w.nic != "" {
					args = append(args, "--nic", w.nic)
				}
				cmd := exec.Command(os.Args[0], append(args, "-x", playRank+"=limited "+play, os.Args[0])...)
				cmd.Env = append(os.Environ(), asMpirun)
				out, _ := cmd.CombinedOutput()
				if status := cmd.ProcessState.ExitCode(); status != launch.StatusTimeout || !strings.Contains(string(out), "no rank has made progress") || !regexp.MustCompile(`\n`+w.row).Match(out) {
					t.Errorf("status %d, %q is missing in\n%s", status, w.row, out)
				}
			})
		}
	}
}

// freeAndCompute has rank 0 free a communicator and compute, while rank 1, which frees it later, waits for that.
func freeAndCompute(world *mpi.Comm) error {
	c, err := world.Dup()
	if err != nil {
		return err
	}
	if err := mpi.Barrier(c); err != nil {
		return err
	}
	if world.Rank() == 1 {
		_, err := mpi.Recv(world, []int{0}, 0, 0)
		return errors.Join(err, c.Free())
	}
	if err := c.Free(); err != nil {
		return err
	}
	time.Sleep(computing)
	return mpi.Send(world, []int{0}, 1, 0)
}

// A rank for which the runtime waits until others have freed a communicator, too, computes nevertheless.
func TestStallAfterFree(t *testing.T) {
	for _, how := range [][]string{nil, {"--keep-going"}} {
		args := append(how, "-n", "2", "--stall", (computing / 4).String(), "-x", playRank+"=free and compute", os.Args[0])
		if status, _, err := mpirun(t, args...); status != 0 || err != "" {
			t.Errorf("%v: status %d, %s", how, status, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// supported is err unless it says that a job does not go on when ranks die.
func supported(err error) error {
	if errors.Is(err, mpi.ErrUnsupported) {
		return nil
	}
	return err
}

// leaveAndCompute has rank 0 compute while channels of requests, and freed requests, wait for rank 1.
func leaveAndCompute(world *mpi.Comm) error {
	if world.Rank() == 1 {
		_, err := mpi.Recv(world, []int{0}, 0, 0)
		return errors.Join(err, mpi.Send(world, []int{0}, 0, 1), mpi.Send(world, []int{0}, 0, 2), mpi.WaitAll(mpi.Ibarrier(world)), supported(second(world.Agree(0))))
	}
	agreed := world.Iagree(new(uint64))
	freed, r, barrier := mpi.Irecv(world, []int{0}, 1, 1), mpi.Irecv(world, []int{0}, 1, 2), mpi.Ibarrier(world)
	r.Done()
	barrier.Done()
	if err := freed.Free(); err != nil {
		return err
	}
	time.Sleep(computing)
	return errors.Join(mpi.Send(world, []int{0}, 1, 0), mpi.WaitAll(r, barrier), supported(second(agreed.Wait())))
}

// A rank for which the runtime waits for the end of requests computes nevertheless.
func TestStallAfterDone(t *testing.T) {
	for _, how := range [][]string{nil, {"--keep-going"}} {
		args := append(how, "-n", "2", "--stall", (computing / 4).String(), "-x", playRank+"=leave and compute", os.Args[0])
		if status, _, err := mpirun(t, args...); status != 0 || err != "" {
			t.Errorf("%v: status %d, %s", how, status, err)
		}
	}
}
