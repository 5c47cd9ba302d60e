package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// bySwitch names the algorithms that use the switches of a network.
var bySwitch = map[string]string{mpi.HintAlgorithms: "barrier=synchronization,bcast=multicast,allgather=multicast"}

// onSwitch runs fn on a communicator whose operations use the network's switches.
func onSwitch(t *testing.T, ranks int, fn func(c *mpi.Comm) error, options ...mpitest.Option) {
	t.Helper()
	mpitest.Run(t, ranks, func(world *mpi.Comm) error {
		c, err := world.DupWithInfo(bySwitch)
		if err != nil {
			return err
		}
		if name, err := c.Algorithm("barrier", 0); err != nil || name != "synchronization" {
			return fmt.Errorf("the barrier is by %s, %v", name, err)
		}
		if err := fn(c); err != nil {
			return err
		}
		return c.Free()
	}, append([]mpitest.Option{mpitest.NIC("cenju4")}, options...)...)
}

// tryAll makes broadcasts from each rank and allgathers, of many sizes, with barriers
// between.
func tryAll(c *mpi.Comm, seed int) error {
	for _, n := range []int{1, 8, 33, 5000, 40_000} {
		for root := range c.Size() {
			buf := make([]byte, n)
			if c.Rank() == root {
				for i := range buf {
					buf[i] = byte(seed + root + i)
				}
			}
			if err := mpi.Bcast(c, buf, root); err != nil {
				return err
			}
			for i, b := range buf {
				if b != byte(seed+root+i) {
					return fmt.Errorf("byte %d of %d from %d is %d", i, n, root, b)
				}
			}
		}
		if err := mpi.Barrier(c); err != nil {
			return err
		}
		mine, all := make([]byte, n), make([]byte, n*c.Size())
		for i := range mine {
			mine[i] = byte(seed ^ c.Rank() + 3*i)
		}
		if err := mpi.Allgather(c, mine, all); err != nil {
			return err
		}
		for i, b := range all {
			if b != byte(seed^i/n+3*(i%n)) {
				return fmt.Errorf("byte %d of rank %d is %d", i%n, i/n, b)
			}
		}
	}
	return nil
}

func TestSwitchedOperations(t *testing.T) {
	for _, ranks := range []int{2, 3, 5} {
		onSwitch(t, ranks, func(c *mpi.Comm) error { return tryAll(c, 7) })
	}
}

// TestSwitchedCommunicators: subsets, several communicators used at once, and other
// operations in progress.
func TestSwitchedCommunicators(t *testing.T) {
	onSwitch(t, 5, func(c *mpi.Comm) error {
		half, err := c.Split(c.Rank()%2, -c.Rank())
		if err != nil {
			return err
		}
		part, err := half.DupWithInfo(bySwitch)
		if err != nil {
			return err
		}
		errs := make(chan error, 2)
		go func() { errs <- tryAll(c, 1) }()
		go func() { errs <- tryAll(part, 2) }()
		if err := errors.Join(<-errs, <-errs); err != nil {
			return err
		}
		sum := []int{0}
		r := mpi.Iallreduce(c, []int{c.Rank()}, sum, mpi.Sum)
		if err := tryAll(c, 3); err != nil {
			return err
		}
		if _, err := r.Wait(); err != nil || sum[0] != 10 {
			return fmt.Errorf("the sum is %d, %v", sum[0], err)
		}
		return errors.Join(part.Free(), half.Free())
	})
}

// TestSwitchedSetsEnd: if the network has no set left, messages are used; and a set
// that was freed is used by another communicator.
func TestSwitchedSetsEnd(t *testing.T) {
	const more = 20
	onSwitch(t, 3, func(c *mpi.Comm) error {
		for range 3 {
			var comms []*mpi.Comm
			for i := range more {
				d, err := c.DupWithInfo(bySwitch)
				if err != nil {
					return err
				}
				comms = append(comms, d)
				if err := tryAll(d, i); err != nil {
					return err
				}
			}
			for _, d := range comms {
				if err := d.Free(); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// TestSwitchedCallsDiffer: a rank in another call is named.
func TestSwitchedCallsDiffer(t *testing.T) {
	mpitest.Run(t, 2, func(world *mpi.Comm) error {
		c, err := world.DupWithInfo(bySwitch) // cannot be used afterwards
		if err != nil {
			return err
		}
		if err := mpi.Barrier(c); err != nil {
			return err
		}
		mine, both := make([]byte, 8), make([]byte, 16)
		if c.Rank() == 0 {
			return mpi.Bcast(c, mine, 0)
		}
		if err := mpi.Allgather(c, mine, both); !errors.Is(err, mpi.ErrMismatch) {
			return fmt.Errorf("Allgather beside a Bcast: %v", err)
		}
		return nil
	}, mpitest.NIC("cenju4"))
}

// TestSwitchedLimits: a context ends the wait for ranks that do not come.
func TestSwitchedLimits(t *testing.T) {
	mpitest.Run(t, 2, func(world *mpi.Comm) error {
		c, err := world.DupWithInfo(bySwitch)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		if err := tryAll(c.WithContext(ctx), 5); err != nil { // before the context ends
			return err
		}
		if c.Rank() == 1 {
			return mpi.Barrier(world)
		}
		ended, end := context.WithCancel(context.Background())
		time.AfterFunc(time.Millisecond, end)
		if err := mpi.Barrier(c.WithContext(ended)); !errors.Is(err, mpi.ErrCancelled) {
			return fmt.Errorf("alone: %v", err)
		}
		return mpi.Barrier(world)
	}, mpitest.NIC("cenju4"))
}

// TestSwitchedDeath: the end of a rank ends the operations that need it.
func TestSwitchedDeath(t *testing.T) {
	mpitest.Run(t, 3, func(world *mpi.Comm) error {
		c, err := world.DupWithInfo(bySwitch)
		if err != nil {
			return err
		}
		if err := tryAll(c, 9); err != nil {
			return err
		}
		ready := []byte{1}
		if world.Rank() == 2 { // when the others do not need it any more
			for from := range 2 {
				if _, err := mpi.Recv(world, ready, from, 0); err != nil {
					return err
				}
			}
			mpitest.Die()
		}
		if err := mpi.Send(world, ready, 2, 0); err != nil {
			return err
		}
		if err := mpi.Barrier(c); !errors.Is(err, mpi.ErrProcFailed) {
			return fmt.Errorf("a barrier of a dead rank: %v", err)
		}
		if err := mpi.Bcast(c, make([]byte, 100), 0); !errors.Is(err, mpi.ErrProcFailed) {
			return fmt.Errorf("a broadcast to a dead rank: %v", err)
		}
		return nil
	}, mpitest.NIC("cenju4"), mpitest.KeepGoing())
}

// TestSwitchedJobEnds: the end of the job ends the wait for ranks that do not come, in
// a job that does not survive deaths.
func TestSwitchedJobEnds(t *testing.T) {
	failed := errors.New("failed")
	err := mpitest.World(2, func(world *mpi.Comm) error {
		c, err := world.DupWithInfo(bySwitch)
		if err != nil {
			return err
		}
		if err := mpi.Barrier(c); err != nil {
			return err
		}
		if world.Rank() == 1 {
			return failed
		}
		if err := mpi.Barrier(c); !errors.Is(err, mpi.ErrOther) {
			return fmt.Errorf("a barrier in a job that ends: %v", err)
		}
		return nil
	}, mpitest.NIC("cenju4"), mpitest.KeepGoing(), mpitest.Timeout(20*time.Second))
	if !errors.Is(err, failed) || errors.Is(err, mpitest.ErrTimeout) {
		t.Errorf("the job: %v", err)
	}
}

// TestSwitchElsewhere: on a network without such switches the names are no error, and
// the table chooses.
func TestSwitchElsewhere(t *testing.T) {
	for _, o := range []mpitest.Option{mpitest.NIC("martini"), mpitest.Mailboxes()} {
		mpitest.Run(t, 3, func(world *mpi.Comm) error {
			c, err := world.DupWithInfo(bySwitch)
			if err != nil {
				return err
			}
			if name, err := c.Algorithm("bcast", 100); err != nil || name == "multicast" {
				return fmt.Errorf("%s, %v", name, err)
			}
			return tryAll(c, 4)
		}, o)
	}
}
