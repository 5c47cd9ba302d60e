package virtual

import (
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/nicemu/vtime"
)

// isLast hides a condition from mpivet, which would report a mistake that is there on purpose.
func isLast(world *mpi.Comm) bool { return world.Rank() == world.Size()-1 }

// A program that hangs is ended, with an error that names the calls that it hangs in; nothing of it is
// left.
func TestHang(t *testing.T) {
	before := runtime.NumGoroutine()
	for name, c := range map[string]struct {
		ranks   int
		program func(world *mpi.Comm) error
		want    string
	}{
		"receives": {3, func(world *mpi.Comm) error {
			_, err := mpi.Recv(world, []int{0}, (world.Rank()+1)%3, 7)
			return err
		}, "rank 0 in Recv with rank 1, tag 7; rank 1 in Recv with rank 2, tag 7; rank 2 in Recv with rank 0, tag 7"},
		"own message": {1, func(world *mpi.Comm) error {
			_, err := mpi.Recv(world, []int{0}, 0, 7)
			return err
		}, "rank 0 in Recv with rank 0, tag 7"},
		"anybody": {2, func(world *mpi.Comm) error {
			_, err := mpi.Recv(world, []int{0}, mpi.AnySource, mpi.AnyTag)
			return err
		}, "rank 0 in Recv; rank 1 in Recv"},
		"probe": {2, func(world *mpi.Comm) error {
			_, err := mpi.Probe(world, 1-world.Rank(), 0)
			return err
		}, "rank 0 in Probe with rank 1"},
		"collective call": {6, func(world *mpi.Comm) error {
			if isLast(world) {
				_, err := mpi.Recv(world, []int{0}, 0, 7)
				return err
			}
			return mpi.Barrier(world)
		}, "and 2 more"},
		"long send that nobody takes": {2, func(world *mpi.Comm) error {
			if world.Rank() == 0 {
				return mpi.Send(world, make([]byte, 1<<20), 1, 7)
			}
			_, err := mpi.Recv(world, []int{0}, 0, 7+world.Rank()) // 8: mpivet reports constants that differ
			return err
		}, "rank 0 in Send with rank 1, tag 7; rank 1 in Recv with rank 0, tag 8"},
		"errors that nobody looks at": {2, func(world *mpi.Comm) error {
			for range 3 {
				_, _ = mpi.Recv(world, []int{0}, 1-world.Rank(), 7)
			}
			return nil
		}, "rank 0 in Recv"},
		"the end": {2, func(world *mpi.Comm) error {
			if world.Rank() == 0 {
				return nil
			}
			_, err := mpi.Recv(world, []int{0}, 0, 7)
			return err
		}, "nothing is under way: rank 0 in Finalize with rank 1; rank 1 in Recv with rank 0, tag 7"},
	} {
		for _, m := range []string{"loggp", "martini:pm"} {
			_, err := Job{Model: model(t, m), Ranks: c.ranks}.Run(func(world *mpi.Comm, _ func() vtime.Time) error { return c.program(world) })
			if !errors.Is(err, ErrHang) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s on %s: %v", name, m, err)
			}
		}
	}
	for range 1000 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, before %d", runtime.NumGoroutine(), before)
}

// A send that nobody receives does not keep its rank in Finalize, which names it.
func TestSendThatIsLeft(t *testing.T) {
	for _, m := range []string{"loggp", "martini:pm"} {
		_, err := Job{Model: model(t, m), Ranks: 2}.Run(func(world *mpi.Comm, _ func() vtime.Time) error {
			if world.Rank() == 0 {
				dropped(mpi.Isend(world, make([]byte, 1<<20), 1, 7))
			}
			return nil
		})
		if !errors.Is(err, mpi.ErrPending) || errors.Is(err, ErrHang) || !strings.Contains(err.Error(), "Isend on world to 1 tag 7: 1048576 bytes") {
			t.Errorf("on %s: %v", m, err)
		}
	}
}

// If a rank fails, its failure is reported, not that others wait for what it would have sent.
func TestFailureBeforeHang(t *testing.T) {
	own := errors.New("its own")
	_, err := Job{Model: model(t, "loggp"), Ranks: 3}.Run(func(world *mpi.Comm, _ func() vtime.Time) error {
		if world.Rank() == 0 {
			return own
		}
		_, err := mpi.Recv(world, []int{0}, 3-world.Rank(), 7)
		return err
	})
	if !errors.Is(err, own) || errors.Is(err, ErrHang) {
		t.Error(err)
	}
}

// dropped is what becomes of a request.
func dropped(*mpi.Request) {}
