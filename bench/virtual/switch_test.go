package virtual

import (
	"fmt"
	"slices"
	"testing"

	"rhinet/collectives"
	"rhinet/mpi"
	"rhinet/nicemu/timed"
	"rhinet/nicemu/vtime"
)

// bySwitch makes operations use the multicast and synchronization of the switches.
var bySwitch = collectives.Options{Force: map[string]string{"barrier": "synchronization", "bcast": "multicast", "allgather": "multicast"}}

// switched runs a program on ranks whose collective operations use the modelled network where it supports
// them.
func switched(t *testing.T, network string, ranks int, o collectives.Options, program Program) timed.Report {
	t.Helper()
	r, err := Job{Model: model(t, network), Ranks: ranks, Collectives: o}.Run(program)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// exchange broadcasts from each rank and gathers on all, with barriers between.
func exchange(c *mpi.Comm) error {
	for _, n := range []int{1, 9, 3000, 20_000} {
		for root := range c.Size() {
			buf := make([]byte, n)
			if c.Rank() == root {
				for i := range buf {
					buf[i] = byte(root + 7*i)
				}
			}
			if err := mpi.Bcast(c, buf, root); err != nil {
				return err
			}
			for i, b := range buf {
				if b != byte(root+7*i) {
					return fmt.Errorf("byte %d of %d from %d is %d", i, n, root, b)
				}
			}
		}
		if err := mpi.Barrier(c); err != nil {
			return err
		}
		mine, all := make([]byte, n), make([]byte, n*c.Size())
		for i := range mine {
			mine[i] = byte(c.Rank() ^ 3*i)
		}
		if err := mpi.Allgather(c, mine, all); err != nil {
			return err
		}
		for i, b := range all {
			if b != byte(i/n^3*(i%n)) {
				return fmt.Errorf("byte %d of rank %d is %d", i%n, i/n, b)
			}
		}
	}
	return nil
}

// TestSwitchedOperations: operations by the switches of a modelled network give the same data, also on
// several subsets of the ranks at once, and take the same time in each run. A network without such switches
// sends messages instead.
func TestSwitchedOperations(t *testing.T) {
	for _, network := range []string{"cenju4", "loggp"} {
		var times []vtime.Time
		for range 2 {
			r := switched(t, network, 6, bySwitch, func(w *mpi.Comm, _ func() vtime.Time) error {
				part, err := w.Split(w.Rank()%2, -w.Rank())
				if err != nil {
					return err
				}
				for _, c := range []*mpi.Comm{part, w, part} {
					if err := exchange(c); err != nil {
						return err
					}
				}
				return part.Free()
			})
			times = append(times, r.Time)
		}
		if times[0] != times[1] || times[0] <= 0 {
			t.Errorf("%s: %v", network, times)
		}
	}
}

// TestManySets: more communicators than the network has sets, and communicators that reuse the numbers of
// others.
func TestManySets(t *testing.T) {
	switched(t, "cenju4", 3, bySwitch, func(w *mpi.Comm, _ func() vtime.Time) error {
		for round := range 2 {
			var all []*mpi.Comm
			for range 130 {
				c, err := w.Split(0, (w.Rank()+round)%3)
				if err != nil {
					return err
				}
				if err := mpi.Barrier(c); err != nil {
					return err
				}
				all = append(all, c)
			}
			for _, c := range all {
				if err := c.Free(); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// TestSwitchesGain: a barrier that the switches combine takes less time than any by messages, and hardly
// more on more ranks; a long broadcast by multicast takes less time than one in which ranks pass the data
// on.
func TestSwitchesGain(t *testing.T) {
	measure := func(ranks int, o collectives.Options) (barrier, bcast vtime.Time) {
		const calls = 10
		took := make([][2]vtime.Time, ranks)
		switched(t, "cenju4", ranks, o, func(w *mpi.Comm, now func() vtime.Time) error {
			for i, call := range []func() error{func() error { return mpi.Barrier(w) }, func() error { return mpi.Bcast(w, make([]byte, 4096), 0) }} {
				if err := call(); err != nil { // ranks become a set
					return err
				}
				begun := now()
				for range calls {
					if err := call(); err != nil {
						return err
					}
				}
				took[w.Rank()][i] = (now() - begun) / calls
			}
			return nil
		})
		slowest := slices.MaxFunc(took, func(a, b [2]vtime.Time) int { return int(a[1] - b[1]) })
		return slices.MaxFunc(took, func(a, b [2]vtime.Time) int { return int(a[0] - b[0]) })[0], slowest[1]
	}
	few, _ := measure(4, bySwitch)
	barrier, bcast := measure(32, bySwitch)
	byMessages, passedOn := measure(32, collectives.Options{})
	if barrier > 2*few || barrier*2 > byMessages || bcast >= passedOn {
		t.Errorf("barrier of 4 %v, of 32 %v, by messages %v; bcast %v, passed on %v", few, barrier, byMessages, bcast, passedOn)
	}
}
