package virtual

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/collectives"
	"rhinet/mpi"
	"rhinet/nicemu/vtime"
)

// byControllers makes barriers use the barrier controllers.
var byControllers = collectives.Options{Force: map[string]string{"barrier": "controller"}}

// TestControlledBarriers: in barriers by the controllers of a modelled network, blocking or not, no rank
// leaves before all have entered, also in communicators of some of the ranks, and in those that reuse the
// sequences of others. If all barriers block, two runs take the same time; a nonblocking barrier is
// completed by a goroutine of its own.
func TestControlledBarriers(t *testing.T) {
	const ranks, barriers = 6, 40
	var times []vtime.Time
	for _, blocking := range []bool{true, true, false} {
		begin := func(c *mpi.Comm) (complete func() error) {
			r := mpi.Ibarrier(c)
			return func() error { return completed(r) }
		}
		if blocking {
			begin = func(c *mpi.Comm) func() error {
				err := mpi.Barrier(c)
				return func() error { return err }
			}
		}
		came := make([][barriers]vtime.Time, ranks) // ranks of one process run one after the other
		left := make([][barriers]vtime.Time, ranks)
		r := switched(t, "sync", ranks, byControllers, func(w *mpi.Comm, now func() vtime.Time) error {
			for round := range 20 {
				part, err := w.Split(w.Rank()%2, w.Rank())
				if err != nil {
					return err
				}
				if err := errors.Join(mpi.Barrier(part), begin(part)(), mpi.Barrier(w), part.Free()); err != nil {
					return fmt.Errorf("round %d: %w", round, err)
				}
			}
			mine := rand.New(rand.NewPCG(3, uint64(w.Rank())))
			var open []func() error
			for b := range barriers {
				for range mine.IntN(3) { // time passes
					if _, _, err := mpi.Iprobe(w, mpi.AnySource, 0); err != nil {
						return err
					}
				}
				came[w.Rank()][b] = now()
				if b%3 != 0 {
					open = append(open, begin(w))
				}
				if b%3 == 0 || b == barriers-1 {
					for i, complete := range open {
						if err := complete(); err != nil {
							return err
						}
						left[w.Rank()][b-len(open)+i] = now()
					}
					open = nil
				}
				if b%3 == 0 {
					if err := mpi.Barrier(w); err != nil {
						return err
					}
					left[w.Rank()][b] = now()
				}
			}
			return nil
		})
		for b := range barriers {
			last, first := vtime.Time(0), vtime.Never
			for rank := range ranks {
				last = max(last, came[rank][b])
				if at := left[rank][b]; at > 0 {
					first = min(first, at)
				}
			}
			if first < last {
				t.Errorf("barrier %d: somebody left at %v, and the last came at %v", b, first, last)
			}
		}
		times = append(times, r.Time)
	}
	if times[0] != times[1] {
		t.Error(times)
	}
}

func completed(r *mpi.Request) error {
	_, err := r.Wait()
	return err
}

// TestControllersGain: a barrier by codes takes the same time on any number of ranks, and less than one by
// messages; if it does not block, computation between its codes overlaps with it.
func TestControllersGain(t *testing.T) {
	measure := func(ranks int, o collectives.Options) vtime.Time {
		const calls = 5
		took := make([]vtime.Time, ranks)
		switched(t, "sync", ranks, o, func(w *mpi.Comm, now func() vtime.Time) error {
			if err := mpi.Barrier(w); err != nil {
				return err
			}
			begun := now()
			for range calls {
				if err := mpi.Barrier(w); err != nil {
					return err
				}
			}
			took[w.Rank()] = (now() - begun) / calls
			return nil
		})
		return slices.Max(took)
	}
	few, many, byMessages := measure(2, byControllers), measure(36, byControllers), measure(36, collectives.Options{Force: map[string]string{"barrier": "dissemination"}})
	if many > few+vtime.Microsecond || 2*many > byMessages {
		t.Errorf("barrier of 2 %v, of 36 %v, by messages %v", few, many, byMessages)
	}
}

// TestWrongCallsAtControllers: ranks in different calls are detected.
func TestWrongCallsAtControllers(t *testing.T) {
	calls := []func(*mpi.Comm) error{mpi.Barrier, func(w *mpi.Comm) error { return mpi.Bcast(w, []int{1}, 1) }}
	_, err := Job{Model: model(t, "sync"), Ranks: 2, Collectives: byControllers}.Run(func(w *mpi.Comm, _ func() vtime.Time) error {
		return calls[w.Rank()](w)
	})
	if err == nil {
		t.Error("a barrier met a broadcast")
	}
}
