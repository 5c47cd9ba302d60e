package mpi

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// boardsOf gives the exchangers of the worlds of n ranks in this process, and
// their transports.
func boardsOf(t *testing.T, n int) ([]*exchanger, []Transport) {
	t.Helper()
	ts, release, err := Local(n, "martini")
	if err != nil {
		t.Fatal(err)
	}
	xs := make([]*exchanger, n)
	for i, tr := range ts {
		w, err := Join(Job{Rank: i, Size: n, Transport: tr})
		if err != nil {
			t.Fatal(err)
		}
		xs[i] = w.coll.x
	}
	t.Cleanup(func() {
		closeAll(ts) // an error where a test has closed one
		release()
	})
	return xs, ts
}

// closeAll closes transports at once: each waits for its peers.
func closeAll(ts []Transport) {
	var all sync.WaitGroup
	for _, t := range ts {
		all.Go(func() { t.Close() })
	}
	all.Wait()
}

// An exchange that does not wait is complete when all have begun it, and not before.
func TestExchangeWithoutWaiting(t *testing.T) {
	xs, _ := boardsOf(t, 3)
	out := make([][]byte, len(xs))
	for round := range byte(5) {
		for i, x := range xs {
			out[i] = make([]byte, 2*len(xs))
			if i > 0 {
				if done, err := xs[0].ExchangeTest(); done || err != nil {
					t.Fatalf("round %d: complete after %d of %d: %t, %v", round, i, len(xs), done, err)
				}
			}
			if err := x.ExchangeStart([]byte{round, byte(i)}, out[i]); err != nil {
				t.Fatal(err)
			}
		}
		want := string([]byte{round, 0, round, 1, round, 2})
		for i, x := range xs {
			for done := false; !done; {
				var err error
				if done, err = x.ExchangeTest(); err != nil {
					t.Fatal(err)
				}
			}
			if string(out[i]) != want {
				t.Fatalf("round %d: rank %d got %v", round, i, out[i])
			}
		}
	}
}

// An exchange ends with its context or its transport, with an error.
func TestExchangesEndWithContextAndTransport(t *testing.T) {
	xs, ts := boardsOf(t, 2)
	ctx, cancel := context.WithCancel(context.Background())
	xs[0].ctx = ctx
	if err := xs[0].ExchangeStart(nil, nil); err != nil {
		t.Fatal(err)
	}
	if done, err := xs[0].ExchangeTest(); done || err != nil {
		t.Errorf("an exchange of one rank alone: %t, %v", done, err)
	}
	cancel()
	if done, err := xs[0].ExchangeTest(); !done || !errors.Is(err, ErrCancelled) {
		t.Errorf("after the end of the context: %t, %v", done, err)
	}
	if err := xs[0].ExchangeStart(nil, nil); !errors.Is(err, ErrCancelled) {
		t.Errorf("a new exchange after the end of the context: %v", err)
	}
	if err := xs[1].ExchangeStart(nil, nil); err != nil {
		t.Fatal(err)
	}
	if done, err := xs[1].ExchangeTest(); !done || err != nil { // rank 0 had begun it
		t.Errorf("second rank: %t, %v", done, err)
	}
	if err := xs[1].ExchangeStart(nil, nil); err != nil {
		t.Fatal(err)
	}
	closeAll(ts)
	if done, err := xs[1].ExchangeTest(); !done || !errors.Is(err, errClosed) {
		t.Errorf("on a closed transport: %t, %v", done, err)
	}
}

// The half of the sequence number that flags carry begins anew, without the 0
// of a flag that was never raised, and the two flags of a rank still take turns.
func TestExchangesGoOnWhenSequencesBeginAnew(t *testing.T) {
	xs, _ := boardsOf(t, 3)
	for _, x := range xs {
		x.seq = 1<<32 - 4
	}
	var all sync.WaitGroup
	for i, x := range xs {
		all.Go(func() {
			out := make([]byte, len(xs))
			for round := range byte(9) {
				before := x.seq
				if err := x.Exchange([]byte{10*round + byte(i)}, out); err != nil {
					t.Errorf("round %d: %v", round, err)
					return
				}
				if want := string([]byte{10 * round, 10*round + 1, 10*round + 2}); string(out) != want {
					t.Errorf("round %d: rank %d got %v", round, i, out)
				}
				if uint32(x.seq) == 0 || (x.seq-before)%2 == 0 {
					t.Errorf("round %d: number %x after %x", round, x.seq, before)
				}
			}
		})
	}
	all.Wait()
}
