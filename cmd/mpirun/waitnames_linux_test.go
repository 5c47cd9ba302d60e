package main

import (
	"fmt"
	"os"
	"regexp"
	"testing"

	"rhinet/mpi"
)

// A namedWait is a call in which a rank of 3 waits for rank 1, which does not make it. All ranks make what it needs.
type namedWait struct {
	name string // in reports
	rank int    // that waits; others may wait elsewhere
	need func(c *mpi.Comm) (wait func() error, err error)
}

// on is a need for a call on a communicator that all ranks have.
func on(call func(c *mpi.Comm) error) func(c *mpi.Comm) (func() error, error) {
	return func(c *mpi.Comm) (func() error, error) { return func() error { return call(c) }, nil }
}

// onRing is on for a ring of the ranks.
func onRing(call func(c *mpi.Comm) error) func(c *mpi.Comm) (func() error, error) {
	return func(c *mpi.Comm) (func() error, error) {
		r, err := c.CartCreate([]int{3}, []bool{true})
		return func() error { return call(r) }, err
	}
}

// onWindow is on for a window.
func onWindow(call func(c *mpi.Comm, w *mpi.Win[int]) error) func(c *mpi.Comm) (func() error, error) {
	return func(c *mpi.Comm) (func() error, error) {
		w, err := mpi.WinAllocate[int](c, 1)
		return func() error { return call(c, w) }, err
	}
}

// onPair is on for an inter-communicator between rank 0 and the others.
func onPair(call func(c *mpi.Comm) error) func(c *mpi.Comm) (func() error, error) {
	return func(c *mpi.Comm) (func() error, error) {
		half, err := c.Split(min(c.Rank(), 1), 0)
		if err != nil {
			return nil, err
		}
		pair, err := half.IntercommCreate(0, c, 1-min(c.Rank(), 1), 3)
		return func() error { return call(pair) }, err
	}
}

// long does not fit what a rank sends before a receive.
var long = 1 << 20

func ints(n int) []int { return make([]int, n) }

func evenly(n int) []int { return []int{n, n, n} }

// parts3 are parts of n ranks.
func partsOf(n int) (all []mpi.Part) {
	for range n {
		all = append(all, mpi.PartOf(ints(1)))
	}
	return all
}

// group01 returns the group of ranks 0 and 1.
func group01(c *mpi.Comm) *mpi.Group {
	all, err := c.Group()
	if err != nil {
		return nil
	}
	g, _ := all.Incl(0, 1)
	return g
}

// buffered sends a long message in buffered mode before call.
func buffered(attach func(c *mpi.Comm) error, call func(c *mpi.Comm) error) func(c *mpi.Comm) (func() error, error) {
	return on(func(c *mpi.Comm) error {
		if err := attach(c); err != nil {
			return err
		}
		if err := mpi.Bsend(c, ints(long), 1, 3); err != nil {
			return err
		}
		return call(c)
	})
}

func own(c *mpi.Comm) error { return c.AttachBuffer(nil) }

func ofProcess(c *mpi.Comm) error { return mpi.BufferAttach(c, nil) }

// started starts a persistent request and waits for it.
func started(r *mpi.Request, err error) error {
	if err == nil {
		err = r.Start()
	}
	if err == nil {
		_, err = r.Wait()
	}
	return err
}

var namedWaits = []namedWait{
	{"Recv", 0, on(func(c *mpi.Comm) error { return second(mpi.Recv(c, ints(1), 1, 3)) })},
	{"Send", 0, on(func(c *mpi.Comm) error { return mpi.Send(c, ints(long), 1, 3) })},
	{"Ssend", 0, on(func(c *mpi.Comm) error { return mpi.Ssend(c, ints(1), 1, 3) })},
	{"Rsend", 0, on(func(c *mpi.Comm) error { return mpi.Rsend(c, ints(long), 1, 3) })},
	{"Sendrecv", 0, on(func(c *mpi.Comm) error { return second(mpi.Sendrecv(c, ints(1), 1, 3, ints(1), 1, 3)) })},
	{"SendrecvReplace", 0, on(func(c *mpi.Comm) error { return second(mpi.SendrecvReplace(c, ints(1), 1, 3, 1, 3)) })},
	{"Probe", 0, on(func(c *mpi.Comm) error { return second(mpi.Probe(c, 1, 3)) })},
	{"Mprobe", 0, on(func(c *mpi.Comm) error { _, _, err := mpi.Mprobe(c, 1, 3); return err })},
	{"Wait", 0, on(func(c *mpi.Comm) error { return second(mpi.Irecv(c, ints(1), 1, 3).Wait()) })},
	{"WaitAll", 0, on(func(c *mpi.Comm) error { return mpi.WaitAll(twoReceives(c)...) })},
	{"WaitAllStatus", 0, on(func(c *mpi.Comm) error { return second(mpi.WaitAllStatus(twoReceives(c)...)) })},
	{"WaitAny", 0, on(func(c *mpi.Comm) error { _, _, err := mpi.WaitAny(twoReceives(c)...); return err })},
	{"WaitSome", 0, on(func(c *mpi.Comm) error { _, _, err := mpi.WaitSome(twoReceives(c)...); return err })},
	{"Wait", 0, on(func(c *mpi.Comm) error { return started(mpi.RecvInit(c, ints(1), 1, 3)) })},
	{"Wait", 0, on(func(c *mpi.Comm) error { return started(mpi.PrecvInit(c, ints(1), 1, 1, 3)) })},
	{"DetachBuffer", 0, buffered(own, func(c *mpi.Comm) error { return second(c.DetachBuffer()) })},
	{"FlushBuffer", 0, buffered(own, (*mpi.Comm).FlushBuffer)},
	{"BufferDetach", 0, buffered(ofProcess, func(c *mpi.Comm) error { return second(mpi.BufferDetach(c)) })},
	{"BufferFlush", 0, buffered(ofProcess, mpi.BufferFlush)},

	{"Barrier", 0, on(mpi.Barrier)},
	{"Bcast", 0, on(func(c *mpi.Comm) error { return mpi.Bcast(c, ints(1), 1) })},
	{"Gather", 0, on(func(c *mpi.Comm) error { return mpi.Gather(c, ints(1), ints(3), 0) })},
	{"Gatherv", 0, on(func(c *mpi.Comm) error { return mpi.Gatherv(c, ints(1), ints(3), evenly(1), nil, 0) })},
	{"Scatter", 0, on(func(c *mpi.Comm) error { return mpi.Scatter(c, nil, ints(1), 1) })},
	{"Scatterv", 0, on(func(c *mpi.Comm) error { return mpi.Scatterv(c, nil, nil, nil, ints(1), 1) })},
	{"Allgather", 0, on(func(c *mpi.Comm) error { return mpi.Allgather(c, ints(1), ints(3)) })},
	{"Allgatherv", 0, on(func(c *mpi.Comm) error { return mpi.Allgatherv(c, ints(1), ints(3), evenly(1), nil) })},
	{"Alltoall", 0, on(func(c *mpi.Comm) error { return mpi.Alltoall(c, ints(3), ints(3)) })},
	{"Alltoallv", 0, on(func(c *mpi.Comm) error { return mpi.Alltoallv(c, ints(3), evenly(1), nil, ints(3), evenly(1), nil) })},
	{"Alltoallw", 0, on(func(c *mpi.Comm) error { return mpi.Alltoallw(c, partsOf(3), partsOf(3)) })},
	{"Reduce", 0, on(func(c *mpi.Comm) error { return mpi.Reduce(c, ints(1), ints(1), mpi.Sum, 0) })},
	{"Allreduce", 0, on(func(c *mpi.Comm) error { return mpi.Allreduce(c, ints(1), ints(1), mpi.Sum) })},
	{"ReduceScatter", 0, on(func(c *mpi.Comm) error { return mpi.ReduceScatter(c, ints(3), ints(1), evenly(1), mpi.Sum) })},
	{"ReduceScatterBlock", 0, on(func(c *mpi.Comm) error { return mpi.ReduceScatterBlock(c, ints(3), ints(1), mpi.Sum) })},
	{"Scan", 2, on(func(c *mpi.Comm) error { return mpi.Scan(c, ints(1), ints(1), mpi.Sum) })},
	{"Exscan", 2, on(func(c *mpi.Comm) error { return mpi.Exscan(c, ints(1), ints(1), mpi.Sum) })},
	{"NeighborAllgather", 0, onRing(func(c *mpi.Comm) error { return mpi.NeighborAllgather(c, ints(1), ints(2)) })},
	{"NeighborAllgatherv", 0, onRing(func(c *mpi.Comm) error { return mpi.NeighborAllgatherv(c, ints(1), ints(2), []int{1, 1}, nil) })},
	{"NeighborAlltoall", 0, onRing(func(c *mpi.Comm) error { return mpi.NeighborAlltoall(c, ints(2), ints(2)) })},
	{"NeighborAlltoallv", 0, onRing(func(c *mpi.Comm) error {
		return mpi.NeighborAlltoallv(c, ints(2), []int{1, 1}, nil, ints(2), []int{1, 1}, nil)
	})},
	{"NeighborAlltoallw", 0, onRing(func(c *mpi.Comm) error { return mpi.NeighborAlltoallw(c, partsOf(2), partsOf(2)) })},
	{"Ibarrier", 0, on(func(c *mpi.Comm) error { return second(mpi.Ibarrier(c).Wait()) })},
	{"BarrierInit", 0, on(func(c *mpi.Comm) error { return started(mpi.BarrierInit(c)) })},

	{"Dup", 0, on(func(c *mpi.Comm) error { return second(c.Dup()) })},
	{"DupWithInfo", 0, on(func(c *mpi.Comm) error { return second(c.DupWithInfo(nil)) })},
	{"Wait", 0, on(func(c *mpi.Comm) error { _, r := c.Idup(); return second(r.Wait()) })},
	{"Split", 0, on(func(c *mpi.Comm) error { return second(c.Split(0, 0)) })},
	{"SplitType", 0, on(func(c *mpi.Comm) error { return second(c.SplitType(mpi.SplitShared, 0)) })},
	{"SplitHardware", 0, on(func(c *mpi.Comm) error { return second(c.SplitHardware("host", 0)) })},
	{"SplitResource", 0, on(func(c *mpi.Comm) error { return second(c.SplitResource(nil, 0)) })},
	{"Create", 0, on(func(c *mpi.Comm) error { return second(c.Create(group01(c))) })},
	{"CreateGroup", 0, on(func(c *mpi.Comm) error {
		g, err := c.Group()
		if err != nil {
			return err
		}
		return second(c.CreateGroup(g, 3))
	})},
	{"CommFromGroup", 0, on(func(c *mpi.Comm) error {
		g, err := c.Group()
		if err != nil {
			return err
		}
		return second(mpi.CommFromGroup(g, "x"))
	})},
	{"CartCreate", 0, on(func(c *mpi.Comm) error { return second(c.CartCreate([]int{3}, []bool{true})) })},
	{"CartSub", 0, onRing(func(c *mpi.Comm) error { return second(c.CartSub(true)) })},
	{"GraphCreate", 0, on(func(c *mpi.Comm) error { return second(c.GraphCreate([]int{0, 0, 0}, nil)) })},
	{"DistGraphCreate", 0, on(func(c *mpi.Comm) error { return second(c.DistGraphCreate()) })},
	{"DistGraphCreateAdjacent", 0, on(func(c *mpi.Comm) error { return second(c.DistGraphCreateAdjacent(nil, nil)) })},
	{"IntercommCreate", 0, on(func(c *mpi.Comm) error {
		self, err := mpi.Self(c)
		if err != nil || c.Rank() == 2 {
			return err
		}
		return second(self.IntercommCreate(0, c, 1, 3))
	})},
	{"Merge", 0, onPair(func(c *mpi.Comm) error { return second(c.Merge(false)) })},
	{"Barrier", 0, onPair(mpi.Barrier)},
	{"Bcast", 2, onPair(func(c *mpi.Comm) error { return mpi.Bcast(c, ints(long), []int{mpi.Root, 0, 0}[min(c.Size()-1, 1)]) })},

	{"WinAllocate", 0, on(func(c *mpi.Comm) error { return second(mpi.WinAllocate[int](c, 1)) })},
	{"WinAllocateShared", 0, on(func(c *mpi.Comm) error { return second(mpi.WinAllocateShared[int](c, 1)) })},
	{"WinCreate", 0, on(func(c *mpi.Comm) error { return second(mpi.WinCreate(c, ints(1))) })},
	{"WinDynamic", 0, on(func(c *mpi.Comm) error { return second(mpi.WinDynamic[int](c)) })},
	{"WinFree", 0, onWindow(func(_ *mpi.Comm, w *mpi.Win[int]) error { return w.Free() })},
	{"Fence", 0, onWindow(func(_ *mpi.Comm, w *mpi.Win[int]) error { return w.Fence() })},
	{"Start", 0, onWindow(func(c *mpi.Comm, w *mpi.Win[int]) error { return w.Start(group01(c)) })},
	{"Wait", 0, onWindow(func(c *mpi.Comm, w *mpi.Win[int]) error {
		if err := w.Post(group01(c)); err != nil {
			return err
		}
		return w.Wait()
	})},
	{"Finalize", 0, on(mpi.Finalize)},
}

// waitNamed has rank 1 exit when the others wait.
func waitNamed(world *mpi.Comm, number string) error {
	for i, w := range namedWaits {
		if fmt.Sprint(i) != number {
			continue
		}
		wait, err := w.need(world)
		if err != nil {
			return err
		}
		if err := mpi.Barrier(world); err != nil {
			return err
		}
		if world.Rank() == 1 {
			othersSleep()
			os.Exit(3)
		}
		if err := wait(); err != nil {
			return err
		}
		return second(mpi.Recv(world, ints(1), 1, 99))
	}
	return fmt.Errorf("there is no wait %s", number)
}

// Every call that waits is reported by its name.
func TestWaitsAreNamed(t *testing.T) {
	for i, w := range namedWaits {
		t.Run(fmt.Sprint(i, " ", w.name), func(t *testing.T) {
			status, _, err := mpirun(t, "-n", "3", "-x", playRank+"=named "+fmt.Sprint(i), os.Args[0])
			who := map[int]string{0: `ranks? 0(,2)?`, 2: `ranks? (0,)?2`}[w.rank]
			if status != 3 || !regexp.MustCompile(who+` waiting in `+w.name+`( \(.*\))? for `).MatchString(err) {
				t.Errorf("status %d, no wait of rank %d in %s: %s", status, w.rank, w.name, err)
			}
		})
	}
}
