package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"rhinet/internal/launch"
	"rhinet/mpi"
)

// An underway is an operation that rank 0 of 2 begins, and that ends when rank 1 takes its part in it.
type underway struct {
	name  string
	row   string                                           // of rank 0 in the report when it waits in vain, as a regular expression
	begin func(c *mpi.Comm) (wait func() error, err error) // at rank 0
	part  func(c *mpi.Comm) error                          // at rank 1
	both  func(c *mpi.Comm) (*mpi.Comm, error)             // makes the communicator; nil: the world
}

// waitFor returns the Wait of r.
func waitFor(r *mpi.Request) (func() error, error) {
	return func() error { return second(r.Wait()) }, nil
}

const longMessage = 1 << 20

var underways = []underway{
	{"isendrecv", `0 +Wait \(Isendrecv\) +- +- +- `, func(c *mpi.Comm) (func() error, error) {
		return waitFor(mpi.Isendrecv(c, []int{1}, 1, 3, []int{0}, 1, 3))
	}, func(c *mpi.Comm) error { return second(mpi.Sendrecv(c, []int{1}, 0, 3, []int{0}, 0, 3)) }, nil},
	{"ialltoallw", `0 +Ialltoallw +1 +- +- `, func(c *mpi.Comm) (func() error, error) {
		return waitFor(mpi.Ialltoallw(c, intParts(), intParts()))
	}, func(c *mpi.Comm) error { return second(mpi.Ialltoallw(c, intParts(), intParts()).Wait()) }, nil},
	{"idup", `0 +Wait \(Idup\) +- +- +- `, func(c *mpi.Comm) (func() error, error) {
		_, r := c.Idup()
		return waitFor(r)
	}, func(c *mpi.Comm) error {
		_, r := c.Idup()
		return second(r.Wait())
	}, nil},
	{"neighbors", `0 +IneighborAlltoallw +1 +- +8 `, func(c *mpi.Comm) (func() error, error) {
		return waitFor(mpi.IneighborAlltoallw(c, intParts(), intParts()))
	}, meetNeighbors, ringOf2},
	{"posted to neighbors", `0 +Wait \(IneighborAlltoallw\) +- +- +- `, func(c *mpi.Comm) (func() error, error) {
		ctx, cancel := context.WithCancel(context.Background())
		r := mpi.IneighborAlltoallw(c.WithContext(ctx), intParts(), intParts())
		return func() error {
			defer cancel()
			return second(r.Wait())
		}, nil
	}, meetNeighbors, ringOf2},
	{"inter-communicator", `0 +Wait \(Ibarrier\) +- +- +- `, func(c *mpi.Comm) (func() error, error) {
		return waitFor(mpi.Ibarrier(c))
	}, func(c *mpi.Comm) error { return mpi.Barrier(c) }, func(c *mpi.Comm) (*mpi.Comm, error) {
		self, err := mpi.Self(c)
		if err != nil {
			return nil, err
		}
		return self.IntercommCreate(0, c, 1-c.Rank(), 3)
	}},
	{"partitions", `0 +Wait \(PrecvInit, no PsendInit with tag 3\) +1 +- +- `, func(c *mpi.Comm) (func() error, error) {
		r, err := mpi.PrecvInit(c, make([]int, 2), 2, 1, 3)
		if err != nil {
			return nil, err
		}
		return func() error { return second(r.Wait()) }, r.Start()
	}, sendPartitions, nil},
	{"partitions after Done", `0 +Wait \(PrecvInit\) +- +- +- `, func(c *mpi.Comm) (func() error, error) {
		r, err := mpi.PrecvInit(c, make([]int, 2), 2, 1, 3)
		if err != nil {
			return nil, err
		}
		if err := r.Start(); err != nil {
			return nil, err
		}
		r.Done()
		return func() error { return second(r.Wait()) }, nil
	}, sendPartitions, nil},
	{"flush", `0 +Wait \(IflushBuffer\) +- +- +- `, func(c *mpi.Comm) (func() error, error) {
		if err := errors.Join(c.AttachBuffer(nil), mpi.Bsend(c, make([]byte, longMessage), 1, 3)); err != nil {
			return nil, err
		}
		return waitFor(c.IflushBuffer())
	}, func(c *mpi.Comm) error { return second(mpi.Recv(c, make([]byte, longMessage), 0, 3)) }, nil},
}

// ringOf2 makes a ring of both ranks, which meet there in meetNeighbors.
func ringOf2(c *mpi.Comm) (*mpi.Comm, error) { return c.CartCreate([]int{2}, []bool{true}) }

func meetNeighbors(c *mpi.Comm) error {
	return second(mpi.IneighborAlltoallw(c, intParts(), intParts()).Wait())
}

// intParts are parts of two ranks.
func intParts() []mpi.Part { return []mpi.Part{mpi.PartOf([]int{1}), mpi.PartOf([]int{2})} }

// sendPartitions is the other side of the partitioned messages.
func sendPartitions(c *mpi.Comm) error {
	r, err := mpi.PsendInit(c, make([]int, 2), 2, 0, 3)
	if err != nil {
		return err
	}
	return errors.Join(r.Start(), r.PreadyRange(0, 1), second(r.Wait()))
}

// beginAndCompute has rank 0 compute while an operation is under way, and rank 1 take its part after that; in vain,
// rank 0 waits for the operation, and rank 1 takes no part.
func beginAndCompute(world *mpi.Comm, what string, inVain bool) (err error) {
	for _, u := range underways {
		if u.name != what {
			continue
		}
		c := world
		if u.both != nil {
			if c, err = u.both(world); err != nil {
				return err
			}
		}
		if world.Rank() == 1 {
			if err := second(mpi.Recv(world, []int{0}, 0, 9)); err != nil {
				return err
			}
			return u.part(c)
		}
		wait, err := u.begin(c)
		if err != nil || inVain {
			return errors.Join(err, wait())
		}
		time.Sleep(computing)
		return errors.Join(mpi.Send(world, []int{0}, 1, 9), wait())
	}
	return fmt.Errorf("there is no operation %q", what)
}

// A rank that computes while the runtime waits for what it has begun is not in a call of MPI. If it waits for that in
// vain, the job ends, and the report names the call.
func TestStallWhileUnderWay(t *testing.T) {
	for _, u := range underways {
		t.Run(u.name, func(t *testing.T) {
			t.Parallel()
			if status, _, err := mpirun(t, "-n", "2", "--stall", (computing / 4).String(), "-x", playRank+"=begin "+u.name, os.Args[0]); status != 0 || err != "" {
				t.Errorf("status %d, %s", status, err)
			}
		})
		t.Run(u.name+" in vain", func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-n", "2", "--timeout", "25s", "--stall", (2 * computing).String(), "-x", playRank+"=begin in vain "+u.name, os.Args[0])
			cmd.Env = append(os.Environ(), asMpirun)
			out, _ := cmd.CombinedOutput()
			if status := cmd.ProcessState.ExitCode(); status != launch.StatusTimeout || !regexp.MustCompile(`\n`+u.row).Match(out) {
				t.Errorf("status %d, %q is missing in\n%s", status, u.row, out)
			}
		})
	}
}
