package mpi

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"rhinet/internal/process"
	"rhinet/llc/port"
)

// MPI 4.1, section 11.2.3: MPI_Initialized and MPI_Finalized tell of the World Model alone.
func TestSessionsAreNoWorld(t *testing.T) {
	forgetProcess(t)
	state := func(when string) {
		t.Helper()
		if Initialized() || Finalized() {
			t.Errorf("%s: initialized %v, finalized %v", when, Initialized(), Finalized())
		}
	}
	s, err := SessionInit()
	if err != nil {
		t.Fatal(err)
	}
	state("in a session")
	if err := s.Finalize(); err != nil {
		t.Error(err)
	}
	state("after the last session")
}

// forgetProcess has this process be as before its first call of MPI, and again at the end of the test.
func forgetProcess(t *testing.T) {
	t.Helper()
	forget := func() {
		err := process.Use(func(kept any) (any, error) {
			if w, ok := kept.(*world); ok && w.park != nil {
				return nil, errors.Join(w.Transport.Close(), w.release())
			}
			return nil, nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	forget()
	t.Setenv(envInit, "")
	t.Cleanup(forget)
}

// MPI 4.1, section 11.3: a process may open sessions, and a world, after it has finalized all sessions.
func TestSessionsAgain(t *testing.T) {
	forgetProcess(t)
	again := func() {
		t.Helper()
		for round := range 3 {
			s, err := SessionInit()
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			if err := errors.Join(sumInSession(s), s.Finalize()); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
	}
	again()
	world, err := Init()
	if err != nil {
		t.Fatal(err)
	}
	marked := os.Getenv(envInit)
	os.Setenv(envInit, "") // as a program may that clears its environment
	if _, err := Init(); !errors.Is(err, ErrInit) || !strings.Contains(err.Error(), "has called Init before") {
		t.Errorf("a second world of a process that does not know of the first: %v", err)
	}
	os.Setenv(envInit, marked)
	if err := errors.Join(Barrier(world), Finalize(world)); err != nil {
		t.Error(err)
	}
	again()
	if !Initialized() || !Finalized() {
		t.Errorf("after sessions after the world: initialized %v, finalized %v", Initialized(), Finalized())
	}
	if _, err := Init(); !errors.Is(err, ErrFinalized) || !strings.Contains(err.Error(), "Init can be called only once") {
		t.Errorf("a second world: %v", err)
	}
}

// A communicator of a session after the last one gives back its flag array, as those of the first do.
func TestLaterSessionsGiveBackFlagArrays(t *testing.T) {
	const n = 2
	ts, release, err := Local(n, "martini")
	if err != nil {
		t.Fatal(err)
	}
	errs := make([]error, n)
	var ranks sync.WaitGroup
	for rank := range n {
		ranks.Go(func() {
			p := ts[rank].(*port.Port)
			w, err := join(Job{Rank: rank, Size: n, Transport: p, park: p.Park, resume: p.Reopen}, at("SessionInit"))
			if err != nil {
				errs[rank] = err
				return
			}
			all := w.ids.flagArrays
			s := &Session{w: w}
			for round := range 3 {
				err = errors.Join(err, sumInSession(s), s.Finalize())
				if w.ids.flagArrays != all || all == 0 {
					err = errors.Join(err, fmt.Errorf("round %d: flag arrays %b are free, of %b", round, w.ids.flagArrays, all))
				}
				s = w.session()
			}
			errs[rank] = errors.Join(err, s.Finalize(), p.Close())
		})
	}
	ranks.Wait()
	if err := errors.Join(append(errs, release())...); err != nil {
		t.Error(err)
	}
}

// A goroutine that waits when its process ends its use of MPI learns that.
func TestWaitsEndWithTheWorld(t *testing.T) {
	forgetProcess(t)
	world, err := Init()
	if err != nil {
		t.Fatal(err)
	}
	serving := make(chan error)
	go func() {
		for {
			if _, err := Recv(world, make([]int, 1), 0, 7); err != nil {
				serving <- err
				return
			}
		}
	}()
	if err := errors.Join(Send(world, []int{1}, 0, 7), Finalize(world)); err != nil {
		t.Error(err)
	}
	if err := <-serving; !errors.Is(err, ErrFinalized) && !errors.Is(err, port.ErrClosed) {
		t.Errorf("the receive ends with %v", err)
	}
}

// sumInSession makes a communicator of a session and a collective call on it.
func sumInSession(s *Session) error {
	g, err := s.Group(PsetWorld)
	if err != nil {
		return err
	}
	c, err := CommFromGroup(g, "test")
	if err != nil {
		return err
	}
	sum := []int{0}
	if err := errors.Join(Allreduce(c, []int{3}, sum, Sum), c.Free()); err != nil {
		return err
	}
	if want := 3 * g.Size(); sum[0] != want {
		return fmt.Errorf("the sum is %d, want %d", sum[0], want)
	}
	return nil
}

// MPI 4.1, section 11.3.1: any number of sessions are opened, before the world, beside it, and after its
// end; parts of a program that know nothing of each other open them.
func TestSessionsBesideTheWorld(t *testing.T) {
	forgetProcess(t)
	works := func(when string, s *Session) {
		t.Helper()
		if err := sumInSession(s); err != nil {
			t.Errorf("%s: %v", when, err)
		}
	}
	var all [8]*Session
	var parts sync.WaitGroup
	for i := range all {
		parts.Go(func() {
			var err error
			if all[i], err = SessionInit(); err != nil {
				t.Error(err)
			}
		})
	}
	parts.Wait()
	if t.Failed() {
		t.FailNow()
	}
	works("before the world", all[0])
	var worlds [4]*Comm
	for i := range worlds {
		parts.Go(func() {
			var err error
			if worlds[i], err = Init(); err != nil && !errors.Is(err, ErrInit) {
				t.Error(err)
			}
		})
	}
	parts.Wait()
	made := slices.DeleteFunc(worlds[:], func(c *Comm) bool { return c == nil })
	if len(made) != 1 {
		t.Fatalf("%d worlds", len(made))
	}
	world := made[0]
	if !Initialized() || Finalized() {
		t.Errorf("in the world: initialized %v, finalized %v", Initialized(), Finalized())
	}
	if _, err := Init(); !errors.Is(err, ErrInit) {
		t.Errorf("Init twice: %v", err)
	}
	if err := errors.Join(Barrier(world), all[0].Finalize()); err != nil {
		t.Error(err)
	}
	works("beside the world", all[1])
	if err := Finalize(world); err != nil {
		t.Error(err)
	}
	if !Initialized() || !Finalized() {
		t.Errorf("after the world: initialized %v, finalized %v", Initialized(), Finalized())
	}
	if _, err := Init(); !errors.Is(err, ErrFinalized) {
		t.Errorf("Init after Finalize: %v", err)
	}
	last, err := SessionInit()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all[1:] {
		if err := s.Finalize(); err != nil {
			t.Error(err)
		}
	}
	works("after the world", last)
	if err := last.Finalize(); err != nil {
		t.Error(err)
	}
	after, err := SessionInit()
	if err != nil {
		t.Fatal(err)
	}
	works("after all", after)
	if err := after.Finalize(); err != nil {
		t.Error(err)
	}
}
