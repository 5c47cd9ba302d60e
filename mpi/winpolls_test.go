package mpi_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// TestRanksThatPollWindowsGiveWay: where ranks share processors, a rank that polls a
// window lets the rank run that it waits for. Otherwise each turn would last a time
// slice, 10 ms of a goroutine.
func TestRanksThatPollWindowsGiveWay(t *testing.T) {
	const ranks, rounds = 3, 200
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	allocated := func(c *mpi.Comm) (*mpi.Win[int64], error) { return mpi.WinAllocate[int64](c, 1) }
	created := func(c *mpi.Comm) (*mpi.Win[int64], error) { return mpi.WinCreate(c, make([]int64, 1)) }
	fetch := func(w *mpi.Win[int64]) (int64, error) { return w.FetchAndOp(0, 0, 0, mpi.NoOp) }
	swap := func(w *mpi.Win[int64]) (int64, error) { return w.CompareAndSwap(-1, -2, 0, 0) }
	get := func(w *mpi.Win[int64]) (int64, error) {
		var v [1]int64
		err := errors.Join(w.Get(v[:], 0, 0), w.Flush(0))
		return v[0], err
	}
	for name, c := range map[string]struct {
		nic    string
		window func(*mpi.Comm) (*mpi.Win[int64], error)
		poll   func(*mpi.Win[int64]) (int64, error)
		option []mpitest.Option
	}{
		"FetchAndOp":              {"martini", allocated, fetch, []mpitest.Option{mpitest.Unguarded()}},
		"CompareAndSwap":          {"martini", allocated, swap, []mpitest.Option{mpitest.Unguarded()}},
		"Get":                     {"martini", allocated, get, []mpitest.Option{mpitest.Unguarded()}},
		"FetchAndOp of own":       {"martini", created, fetch, []mpitest.Option{mpitest.Unguarded()}},
		"Get of own on another":   {"ib", created, get, []mpitest.Option{mpitest.Unguarded()}},
		"FetchAndOp when checked": {"martini", allocated, fetch, nil},
	} {
		if raceEnabled && strings.HasPrefix(name, "Get") {
			continue // Get does not order itself with atomic operations, and the detector says so
		}
		t.Run(name, func(t *testing.T) {
			var took time.Duration
			mpitest.Run(t, ranks, func(world *mpi.Comm) error {
				w, err := c.window(world)
				if err != nil {
					return err
				}
				if err := errors.Join(w.LockAll(), mpi.Barrier(world)); err != nil {
					return err
				}
				begin := time.Now()
				for turn := world.Rank(); turn < ranks*rounds; turn += ranks {
					for now := int64(-1); now != int64(turn); {
						if now, err = c.poll(w); err != nil {
							return err
						}
					}
					if _, err := w.FetchAndOp(1, 0, 0, mpi.Sum); err != nil {
						return err
					}
				}
				if world.Rank() == ranks-1 {
					took = time.Since(begin)
				}
				return errors.Join(mpi.Barrier(world), w.UnlockAll(), w.Free())
			}, append(c.option, mpitest.NIC(c.nic))...)
			if took > ranks*rounds*5*time.Millisecond {
				t.Errorf("%d turns took %v", ranks*rounds, took)
			}
		})
	}
}
