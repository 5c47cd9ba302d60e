package mpi

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// worldsOf returns the worlds of n ranks in this process, and their transports.
func worldsOf(t *testing.T, n int, o collectives.Options) ([]*Comm, []Transport) {
	t.Helper()
	ts, release, err := Local(n, "martini")
	if err != nil {
		t.Fatal(err)
	}
	ws := make([]*Comm, n)
	for i, tr := range ts {
		if ws[i], err = Join(Job{Rank: i, Size: n, Transport: tr, Collectives: o}); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		closeAll(ts) // fails if a test has closed one
		release()
	})
	return ws, ts
}

// flagArraysOf returns their exchangers.
func flagArraysOf(t *testing.T, n int) ([]*exchanger, []Transport) {
	t.Helper()
	ws, ts := worldsOf(t, n, collectives.Options{})
	xs := make([]*exchanger, n)
	for i, w := range ws {
		xs[i] = w.coll.x
	}
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

// A nonblocking exchange is complete when all have begun it, and not before.
func TestExchangeWithoutWaiting(t *testing.T) {
	xs, _ := flagArraysOf(t, 3)
	out := make([][]byte, len(xs))
	for round := range byte(5) {
		for i, x := range xs {
			out[i] = make([]byte, 2*len(xs))
			if i > 0 {
				if done, err := xs[0].ExchangeTest(); done || err != nil {
					t.Fatalf("round %d: complete after %d of %d: %t, %v", round, i, len(xs), done, err)
				}
			}
			if err := x.ExchangeStart(collectives.AllToAll, 0, []byte{round, byte(i)}, out[i]); err != nil {
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
	xs, ts := flagArraysOf(t, 2)
	ctx, cancel := context.WithCancel(context.Background())
	xs[0].ctx = ctx
	if err := xs[0].ExchangeStart(collectives.AllToAll, 0, nil, nil); err != nil {
		t.Fatal(err)
	}
	if done, err := xs[0].ExchangeTest(); done || err != nil {
		t.Errorf("an exchange of one rank alone: %t, %v", done, err)
	}
	cancel()
	if done, err := xs[0].ExchangeTest(); !done || !errors.Is(err, ErrCancelled) {
		t.Errorf("after the end of the context: %t, %v", done, err)
	}
	if err := xs[0].ExchangeStart(collectives.AllToAll, 0, nil, nil); !errors.Is(err, ErrCancelled) {
		t.Errorf("a new exchange after the end of the context: %v", err)
	}
	if err := xs[1].ExchangeStart(collectives.AllToAll, 0, nil, nil); err != nil {
		t.Fatal(err)
	}
	if done, err := xs[1].ExchangeTest(); !done || err != nil { // rank 0 had begun it
		t.Errorf("second rank: %t, %v", done, err)
	}
	if err := xs[1].ExchangeStart(collectives.AllToAll, 0, nil, nil); err != nil {
		t.Fatal(err)
	}
	closeAll(ts)
	if done, err := xs[1].ExchangeTest(); !done || !errors.Is(err, errClosed) {
		t.Errorf("on a closed transport: %t, %v", done, err)
	}
}

// The sequence number in flags wraps around, without the 0 of a flag that was never
// raised, and the flags of a rank are still used in turn.
func TestExchangesGoOnWhenSequencesBeginAnew(t *testing.T) {
	xs, _ := flagArraysOf(t, 3)
	for _, x := range xs {
		x.turns = newTurns(1<<32-ir.FlagTurns-4, true)
	}
	var all sync.WaitGroup
	for i, x := range xs {
		all.Go(func() {
			out := make([]byte, len(xs))
			for round := range byte(25) { // past where the modulus is, and past where 32 bits end
				if err := x.Exchange(collectives.AllToAll, 0, []byte{10*round + byte(i)}, out); err != nil {
					t.Errorf("round %d: %v", round, err)
					return
				}
				if want := string([]byte{10 * round, 10*round + 1, 10*round + 2}); string(out) != want {
					t.Errorf("round %d: rank %d got %v", round, i, out)
				}
				if now := x.turns.number(x.turns.seq); now == 0 || uint64(now)%ir.FlagTurns != x.turns.seq%sharedLap {
					t.Errorf("round %d: number %x of %x", round, now, x.turns.seq)
				}
			}
		})
	}
	all.Wait()
}

// ahead has rank 0 show one number after another until it has to wait, and returns how
// many it has shown. The last exchange is still in progress.
func ahead(t *testing.T, x *exchanger) (shown int) {
	t.Helper()
	for ; shown < 4*ir.FlagTurns; shown++ {
		if err := x.ExchangeStart(collectives.FromRoot, 0, []byte{byte(shown)}, nil); err != nil {
			t.Fatal(err)
		}
		done, err := x.ExchangeTest()
		if err != nil {
			t.Fatal(err)
		}
		if !done {
			return shown
		}
	}
	t.Fatal("the root never waits for the others")
	return 0
}

// A root shows its data and goes on, until its flags are used up; then it waits for the
// last rank.
func TestARootIsAheadUntilItsFlagsAreUsedUp(t *testing.T) {
	xs, _ := flagArraysOf(t, 3)
	shown := ahead(t, xs[0])
	if shown < 2*nearLap/windows || shown >= 3*nearLap/windows {
		t.Errorf("%d exchanges before it waits", shown)
	}
	take := func(rank, i int) {
		t.Helper()
		got := []byte{0}
		if err := xs[rank].Exchange(collectives.FromRoot, 0, nil, got); err != nil || got[0] != byte(i) {
			t.Fatalf("rank %d, exchange %d: got %d, %v", rank, i, got[0], err)
		}
	}
	for i := range shown {
		take(1, i)
	}
	if done, err := xs[0].ExchangeTest(); done || err != nil {
		t.Fatalf("rank 2 has seen nothing: %t, %v", done, err)
	}
	moved := 0
	for done := false; !done; moved++ {
		take(2, moved)
		var err error
		if done, err = xs[0].ExchangeTest(); err != nil {
			t.Fatal(err)
		}
	}
	if moved > 2*nearLap/windows {
		t.Errorf("the root waits until rank 2 has seen %d", moved)
	}
	for i := moved; i <= shown; i++ { // including the last one
		if i == shown {
			take(1, i)
		}
		take(2, i)
	}
}

// Where ranks share processors, a root can be ahead by at least half a lap.
func TestARootOfOversubscribedRanksIsFurtherAhead(t *testing.T) {
	xs, _ := flagArraysOf(t, 2)
	for _, x := range xs {
		x.turns = newTurns(x.turns.seq, true)
	}
	if shown := ahead(t, xs[0]); shown < sharedLap/2 {
		t.Errorf("%d exchanges before it waits", shown)
	}
}

// A wait until flags may be raised again ends with the context and the transport, and
// notices that a rank is in another call.
func TestARootThatIsAheadIsToldOfTrouble(t *testing.T) {
	t.Run("context", func(t *testing.T) {
		xs, _ := flagArraysOf(t, 2)
		ctx, cancel := context.WithCancel(context.Background())
		xs[0].ctx = ctx
		ahead(t, xs[0])
		cancel()
		if done, err := xs[0].ExchangeTest(); !done || !errors.Is(err, ErrCancelled) {
			t.Errorf("%t, %v", done, err)
		}
	})
	t.Run("transport", func(t *testing.T) {
		xs, ts := flagArraysOf(t, 2)
		ahead(t, xs[0])
		closeAll(ts)
		if done, err := xs[0].ExchangeTest(); !done || !errors.Is(err, errClosed) {
			t.Errorf("%t, %v", done, err)
		}
		if err := xs[1].Exchange(collectives.ToRoot, 0, []byte{1}, nil); !errors.Is(err, errClosed) {
			t.Errorf("a flag on a closed transport: %v", err)
		}
	})
	t.Run("blocking", func(t *testing.T) {
		xs, ts := flagArraysOf(t, 2)
		xs[0].turns.seq = 3*nearLap/windows - 1
		var all sync.WaitGroup
		all.Go(func() {
			if err := xs[0].Exchange(collectives.FromRoot, 0, []byte{1}, nil); !errors.Is(err, errClosed) {
				t.Error(err)
			}
		})
		closeAll(ts)
		all.Wait()
	})
	t.Run("another call", func(t *testing.T) {
		xs, _ := flagArraysOf(t, 2)
		xs[0].note.Sign, xs[1].note.Sign = uint32(makeSign(callBcast, 0, 0)), uint32(makeSign(callReduce, 0, 0))
		for range ahead(t, xs[0]) {
			if err := xs[1].Exchange(collectives.ToRoot, 0, []byte{1}, nil); err != nil {
				t.Fatal(err) // neither reads the other's flags
			}
		}
		done, err := xs[0].ExchangeTest()
		if !done || !errors.Is(err, ErrMismatch) || !errors.Is(xs[0].broken, ErrMismatch) {
			t.Errorf("%t, %v", done, err)
		}
	})
}

// Ranks make random exchanges at their own pace, and everything arrives.
func TestRandomExchanges(t *testing.T) {
	const ranks, rounds = 4, 400
	xs, _ := flagArraysOf(t, ranks)
	type call struct {
		flow collectives.Flow
		root int
		n    int
	}
	rng := rand.New(rand.NewPCG(7, 7))
	calls := make([]call, rounds)
	for i := range calls {
		if calls[i] = (call{collectives.Flow(rng.IntN(4)), rng.IntN(ranks), rng.IntN([]int{ir.FlagInline, ir.FlagBytes}[i%2] + 1)}); i/50%2 == 1 {
			calls[i].flow, calls[i].root = collectives.FromRoot+collectives.Flow(i/100%2), i/200
		}
	}
	content := func(round, rank, n int) []byte { return bytes.Repeat([]byte{byte(round), byte(rank)}, n)[:n] }
	gives := func(c call, rank int) int { // bytes of the contribution; the place has n
		if c.flow == collectives.Uneven || c.flow == collectives.ToRoot && rank != c.root {
			return c.n * (rank + 1) / ranks
		}
		return c.n
	}
	var all sync.WaitGroup
	for rank, x := range xs {
		all.Go(func() {
			pace := rand.New(rand.NewPCG(uint64(rank), 1))
			for i, c := range calls {
				var want, in, out []byte
				mine := rank == c.root
				if c.flow != collectives.FromRoot || mine {
					in = content(i, rank, gives(c, rank))
				}
				switch {
				case c.flow == collectives.FromRoot && !mine:
					want = content(i, c.root, c.n)
				case c.flow != collectives.FromRoot && (c.flow != collectives.ToRoot || mine):
					for r := range ranks {
						want = append(want, content(i, r, c.n)...)
					}
				}
				if out = make([]byte, len(want)); c.flow == collectives.FromRoot && !mine {
					out = make([]byte, ir.FlagBytes) // root sends less
				}
				err := x.Exchange(c.flow, c.root, in, out)
				for r := 0; len(want) == ranks*c.n && r < ranks; r++ { // bytes beyond a contribution are undefined
					defined := gives(c, r)
					if c.flow == collectives.Uneven && r == rank {
						defined = 0
					}
					copy(want[r*c.n:][defined:c.n], out[r*c.n:][defined:c.n])
				}
				if err != nil || !bytes.Equal(out[:len(want)], want) {
					t.Errorf("exchange %d, %+v: rank %d got %x, %v", i, c, rank, out, err)
					return
				}
				for range pace.IntN(3) * pace.IntN(20) {
					runtime.Gosched()
				}
			}
		})
	}
	all.Wait()
}
