package mpitest

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
)

// modes are the transports that a run may use.
var modes = map[string]Option{"mailboxes": Mailboxes(), "martini": NIC("martini")}

// failing runs fn on n ranks over each transport; the error must contain all of want,
// and none of never.
func failing(t *testing.T, n int, fn func(*mpi.Comm) error, want []string, never ...string) {
	t.Helper()
	for name, mode := range modes {
		before := runtime.NumGoroutine()
		err := World(n, fn, mode, Timeout(5*time.Second))
		if err == nil {
			t.Fatalf("%s: no error", name)
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q lacks %q", name, err, part)
			}
		}
		for _, part := range never {
			if strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q has %q", name, err, part)
			}
		}
		for i := 0; runtime.NumGoroutine() > before; i++ {
			if i == 100 {
				t.Fatalf("%s: %d goroutines, %d before", name, runtime.NumGoroutine(), before)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// recvForever waits for a message that is never sent.
func recvForever(w *mpi.Comm) error {
	_, err := mpi.Recv(w, []int{0}, mpi.AnySource, 9)
	return err
}

func TestAFailingRankEndsTheOthers(t *testing.T) {
	failing(t, 3, func(w *mpi.Comm) error {
		switch w.Rank() {
		case 0:
			return errors.New("no such luck")
		case 1:
			return mpi.Barrier(w)
		}
		return recvForever(w)
	}, []string{"rank 0: no such luck"}, "rank 1", "rank 2")
}

func TestAPanicIsAnErrorWithItsStack(t *testing.T) {
	failing(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 1 {
			panic("out of cheese")
		}
		return recvForever(w)
	}, []string{"rank 1: panic: out of cheese", "mpitest_test.go:"}, "rank 0")
}

func TestAbortEndsTheJobAndNotTheProcess(t *testing.T) {
	failing(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 0 {
			mpi.Abort(w, 3)
		}
		_, _, err := mpi.WaitAny(mpi.Irecv(w, []int{0}, 0, 0))
		return err
	}, []string{"rank 0: called Abort with status 3"}, "rank 1")
}

// Without KeepGoing a death ends the run at once, whatever the others wait for.
func TestADeathEndsTheRun(t *testing.T) {
	failing(t, 3, func(w *mpi.Comm) error {
		switch w.Rank() {
		case 0:
			return recvForever(w)
		case 1:
			Die()
		}
		return mpi.Barrier(w)
	}, []string{"rank 1: called Die, which ends the run; with mpitest.KeepGoing() the other ranks go on"}, "rank 0", "rank 2", "timeout", "panic")
}

// With KeepGoing the others go on, and the run succeeds.
func TestADeathIsSurvived(t *testing.T) {
	for name, mode := range modes {
		err := World(2, func(w *mpi.Comm) error {
			if w.Rank() == 1 {
				Die()
			}
			if err := recvFrom(w, 1); !errors.Is(err, mpi.ErrProcFailed) {
				return fmt.Errorf("got %v", err)
			}
			return nil
		}, mode, KeepGoing(), Timeout(20*time.Second))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func recvFrom(w *mpi.Comm, src int) error {
	_, err := mpi.Recv(w, []int{0}, src, 0)
	return err
}

func TestAGoroutineThatEndsEarlyIsAnError(t *testing.T) {
	failing(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 0 {
			runtime.Goexit()
		}
		_, err := mpi.Probe(w, 0, 0)
		return err
	}, []string{"rank 0: the rank's goroutine ended early"}, "rank 1")
}

// The timeout comes when every rank does what the report must say.
func TestATimeoutSaysWhatEachRankWaitsFor(t *testing.T) {
	for name, mode := range modes {
		over := make(chan struct{})
		var s settings
		mode(&s)
		j, err := start(4, inWorld(func(w *mpi.Comm) error {
			if _, err := mpi.WinCreate(w, make([]int, 1)); err != nil { // a goroutine serves it
				return err
			}
			switch w.Rank() {
			case 0:
				defer close(over)
				return recvForever(w)
			case 1:
				return mpi.Ssend(w, make([]int, 10), 0, 4)
			case 2:
				return mpi.Barrier(w)
			}
			<-over
			return nil
		}), s)
		if err != nil {
			t.Fatal(err)
		}
		waits := []string{
			"rank 0: Recv with world rank any, tag 9, 8 bytes since ",
			"rank 1: Ssend with world rank 0, tag 4, 80 bytes since ",
			"rank 2: Barrier on world",
		}
		for _, w := range waits {
			for !strings.Contains(j.report(), w) {
				time.Sleep(time.Millisecond)
			}
		}
		err = j.wait(time.Millisecond)
		if !errors.Is(err, ErrTimeout) {
			t.Fatalf("%s: got %v", name, err)
		}
		for _, part := range append(waits, "mpitest: timeout after 1ms, 4 of 4 ranks are running:\n", "rank 3: not in a call of mpi") {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %q lacks %q", name, err, part)
			}
		}
	}
}

// Whether a program that relies on buffering works is left open by the standard;
// Unbuffered makes it fail.
func TestUnbufferedFindsProgramsThatRelyOnBuffering(t *testing.T) {
	headOn := func(w *mpi.Comm) error {
		if err := mpi.Send(w, []int{1}, 1-w.Rank(), 0); err != nil {
			return err
		}
		_, err := mpi.Recv(w, []int{0}, 1-w.Rank(), 0)
		return err
	}
	Run(t, 2, headOn, Mailboxes())
	if err := World(2, headOn, Unbuffered(), Timeout(20*time.Millisecond)); !errors.Is(err, ErrTimeout) {
		t.Errorf("got %v", err)
	}
	Run(t, 4, func(w *mpi.Comm) error {
		_, err := mpi.Sendrecv(w, []int{1}, (w.Rank()+1)%4, 0, []int{0}, (w.Rank()+3)%4, 0)
		if err != nil {
			return err
		}
		return mpi.Allreduce(w, []int{1}, []int{0}, mpi.Sum)
	}, Unbuffered())
}

func TestWrongArgumentsAreErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{World(0, recvForever), "mpitest: 0 ranks; there must be at least 1"},
		{World(2, recvForever, Kill(1, 1)), "mpitest: Kill needs KeepGoing, or the other ranks wait for the dead one; add mpitest.KeepGoing()"},
		{World(2, recvForever, Kill(2, 1), KeepGoing()), "mpitest: Kill(2, 1): ranks are 0 to 1, and calls are counted from 1"},
		{World(2, recvForever, Kill(-1, 1), KeepGoing()), "mpitest: Kill(-1, 1): ranks are 0 to 1, and calls are counted from 1"},
		{World(2, recvForever, Kill(0, 0), KeepGoing()), "mpitest: Kill(0, 0): ranks are 0 to 1, and calls are counted from 1"},
		{World(2, nil), "mpitest: the function is nil; pass the one that is to run on every rank"},
		{Sessions(2, nil), "mpitest: the function is nil; pass the one that is to run on every rank"},
	} {
		if c.err == nil || c.err.Error() != c.want {
			t.Errorf("got %v, want %s", c.err, c.want)
		}
	}
}

// A goroutine that runs no rank cannot die.
func TestDieOutsideOfARun(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || err.Error() != "mpitest: only the goroutine that runs a rank may call Die" {
			t.Errorf("got %v", err)
		}
	}()
	Die()
}

// Failures of several ranks are all reported.
func TestAllFailuresAreReported(t *testing.T) {
	failing(t, 3, func(w *mpi.Comm) error {
		return fmt.Errorf("failure %d", w.Rank()*w.Rank())
	}, []string{"rank 0: failure 0", "rank 1: failure 1", "rank 2: failure 4"})
}
