package mpi_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// makers are the calls on a communicator that make another one, or a window.
var makers = map[string]func(c *mpi.Comm) error{
	"Dup":                     dup,
	"DupWithInfo":             func(c *mpi.Comm) error { return second(c.DupWithInfo(nil)) },
	"Split":                   func(c *mpi.Comm) error { return second(c.Split(0, 0)) },
	"SplitType":               func(c *mpi.Comm) error { return second(c.SplitType(mpi.SplitShared, 0)) },
	"SplitHardware":           func(c *mpi.Comm) error { return second(c.SplitHardware("host", 0)) },
	"SplitResource":           func(c *mpi.Comm) error { return second(c.SplitResource(nil, 0)) },
	"Create":                  func(c *mpi.Comm) error { return second(c.Create(groupOf(c))) },
	"CartCreate":              cartWith(1, 1),
	"CartSub":                 func(c *mpi.Comm) error { return second(c.CartSub(true, false)) },
	"GraphCreate":             graphWith(0),
	"DistGraphCreate":         func(c *mpi.Comm) error { return second(c.DistGraphCreate()) },
	"DistGraphCreateAdjacent": func(c *mpi.Comm) error { return second(c.DistGraphCreateAdjacent(nil, nil)) },
	"WinCreate":               func(c *mpi.Comm) error { return second(mpi.WinCreate(c, make([]int, 1))) },
	"WinAllocate":             func(c *mpi.Comm) error { return second(mpi.WinAllocate[int](c, 1)) },
	"WinAllocateShared":       func(c *mpi.Comm) error { return second(mpi.WinAllocateShared[int](c, 1)) },
	"WinDynamic":              func(c *mpi.Comm) error { return second(mpi.WinDynamic[int](c)) },
	"IntercommCreate":         func(c *mpi.Comm) error { return second(c.IntercommCreate(0, c, 1, 0)) },
}

func idup(c *mpi.Comm) error {
	_, r := c.Idup()
	return second(r.Wait())
}

func cartWith(dims ...int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error { return second(c.CartCreate(dims, make([]bool, len(dims)))) }
}

func graphWith(edges ...int) func(c *mpi.Comm) error {
	return func(c *mpi.Comm) error { return second(c.GraphCreate([]int{len(edges)}, edges)) }
}

func groupOf(c *mpi.Comm) *mpi.Group {
	g, _ := c.Group() // nil, of which Create tells, if there is none
	return g
}

// onGrid returns a duplicate of the world with a grid of its ranks, on which all makers can be called.
func onGrid(w *mpi.Comm) (*mpi.Comm, error) {
	return w.CartCreate([]int{w.Size(), 1}, []bool{false, false})
}

// unlike runs two calls, one on the last of three ranks, and checks that all ranks are told of both.
func unlike(t *testing.T, others, last func(c *mpi.Comm) error, texts ...string) {
	t.Helper()
	mpitest.Run(t, 3, func(w *mpi.Comm) error {
		c, err := onGrid(w)
		if err != nil {
			return err
		}
		call := others
		if w.Rank() == 2 {
			call = last
		}
		err = call(c)
		for _, text := range texts {
			if !errors.Is(err, mpi.ErrMismatch) || !strings.Contains(err.Error(), text) || len(sourceLines.FindAllString(err.Error(), -1)) != 2 {
				t.Errorf("rank %d was told %v, want %q", w.Rank(), err, texts)
			}
		}
		return mpi.Barrier(w) // no rank leaves before all have been told
	}, mpitest.Patience(20*time.Millisecond), mpitest.Timeout(20*time.Second))
}

// MPI 4.1, section 6.2.2 (type matching and order of collective calls): calls that make different things do not match.
func TestCallsThatMakeCommunicatorsMatchOnlyTheirLike(t *testing.T) {
	names := slices.Sorted(maps.Keys(makers))
	for i, others := range names {
		last := names[(i+1)%len(names)]
		t.Run(others+" and "+last, func(t *testing.T) {
			t.Parallel()
			unlike(t, makers[others], makers[last], "rank 0 is in "+others+" (", " and rank 2 in "+last+" (", "; all ranks must "+sameOrder)
		})
	}
}

// MPI 4.1, sections 7.4.2, 8.5.1, 8.5.3 and 8.5.7: arguments that all ranks pass alike.
func TestArgumentsThatAllRanksPassAlike(t *testing.T) {
	periodic := func(c *mpi.Comm) error { return second(c.CartCreate([]int{3}, []bool{true})) }
	set := func(name string) func(c *mpi.Comm) error {
		return func(c *mpi.Comm) error { return second(c.SplitResource(mpi.Info{mpi.HintPset: name}, 0)) }
	}
	for _, p := range []struct {
		call         string
		others, last func(c *mpi.Comm) error
		todo         string
	}{
		{"CartCreate", cartWith(3), cartWith(1, 3), "pass the same dims and periods"},
		{"CartCreate", cartWith(3), periodic, "pass the same dims and periods"},
		{"CartSub", makers["CartSub"], func(c *mpi.Comm) error { return second(c.CartSub(true, true)) }, "keep the same dimensions"},
		{"GraphCreate", graphWith(0), graphWith(), "pass the same graph"},
		{"SplitResource", set("mpi://WORLD"), set("mpi://SELF"), "pass the same info"},
		{"SplitResource", set("mpi://WORLD"), func(c *mpi.Comm) error {
			return second(c.SplitResource(mpi.Info{mpi.HintHwResource: "host"}, 0))
		}, "pass the same info"},
		{"SplitHardware", makers["SplitHardware"], func(c *mpi.Comm) error { return second(c.SplitHardware("core", 0)) }, "pass the same kind"},
		{"DupWithInfo", makers["DupWithInfo"], func(c *mpi.Comm) error {
			return second(c.DupWithInfo(mpi.Info{mpi.HintAlgorithms: "bcast=linear"}))
		}, "pass the same hints"},
		{"IdupWithInfo", func(c *mpi.Comm) error {
			_, r := c.IdupWithInfo(nil)
			return second(r.Wait())
		}, func(c *mpi.Comm) error {
			_, r := c.IdupWithInfo(mpi.Info{mpi.HintAlgorithms: "bcast=linear"})
			return second(r.Wait())
		}, "pass the same hints"},
	} {
		t.Run(p.call, func(t *testing.T) {
			t.Parallel()
			unlike(t, p.others, p.last, "rank 0 is in "+p.call+" (", " and rank 2 in "+p.call+" (", "; all ranks must "+p.todo)
		})
	}
}

// Where messages carry the call, and not flags, ranks that pass different arguments find out from what they
// exchange, and can go on.
func TestDifferentArgumentsInMessages(t *testing.T) {
	mpitest.Run(t, 3, func(w *mpi.Comm) error {
		other := 2 - w.Rank()/2*2 // the first rank that differs
		want := fmt.Sprintf("mpi: CartCreate on world: rank %d passes other arguments than rank %d; all ranks must pass the same dims and periods", other, w.Rank())
		if err := is(cartWith(1+w.Rank()/2, 1)(w), mpi.ErrMismatch, want); err != nil {
			return err
		}
		return mpi.Barrier(w)
	}, mpitest.Mailboxes(), mpitest.Unguarded())
}
