package mpi

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// A sharedFlags is a flag array of ranks in one goroutine, which notices when a flag is
// overwritten that a rank still looks for.
type sharedFlags struct {
	rank  int
	lines *[maxPlayers][ir.FlagTurns]raisedFlag
	open  *[maxPlayers]map[uint32]bool // numbers whose flags a rank may still look for
	fail  func(format string, args ...any)
}

type raisedFlag struct {
	seq, mark uint32
	data      []byte
}

func (b *sharedFlags) FlagArrays() int           { return 1 }
func (b *sharedFlags) Prefetch(int, uint32, int) {}
func (b *sharedFlags) WakePeers([]int)           {}

func (b *sharedFlags) Raise(_ []int, _ int, seq, mark uint32, data []byte) {
	l := &b.lines[b.rank][seq%ir.FlagTurns]
	for r, open := range b.open {
		if open[l.seq] {
			b.fail("rank %d raises flag %d while rank %d has not ended %d", b.rank, seq, r, l.seq)
		}
	}
	*l = raisedFlag{seq, mark, slices.Clone(data)}
}

func (b *sharedFlags) Raised(peer, _ int, seq uint32, data []byte) (uint32, bool) {
	l := &b.lines[peer][seq%ir.FlagTurns]
	if l.seq > seq {
		b.fail("rank %d looks for flag %d of rank %d, which is gone", b.rank, seq, peer)
	}
	if l.seq == seq {
		copy(data, l.data)
	}
	return l.mark, l.seq == seq
}

// A beginner is a rank that has begun some exchanges and ended some of them.
type beginner struct {
	*exchanges
	t     *collTransport
	begun int // of those to begin
	under []*exchange
	check map[*exchange]func() error
}

func newBeginner(rank, size int, start uint64, b *sharedFlags) *beginner {
	c := &core{w: &world{}, rank: rank, size: size}
	x := newExchanger(newCollTransport(c), b, 0, start)
	p := &beginner{exchanges: &exchanges{x: x, last: start, flag: asyncNumber(start), met: start, all: x.peers}, t: x.collTransport, check: map[*exchange]func() error{}}
	p.quick.init(x, collectives.Options{}, size, func(kind collectives.Kind) int { return collectives.Options{}.ExchangesAside(kind, size, ir.FlagBytes) })
	return p
}

// content returns the contribution of a rank to an exchange.
func content(number, rank, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(number*31 + rank*7 + i)
	}
	return b
}

// next begins the next exchange, of a kind.
func (p *beginner) next(kind collectives.Kind, root, n int) bool {
	size, rank, number := p.x.c.size, p.x.c.rank, p.begun
	var all, want []byte
	for r := range size {
		all = append(all, content(number, r, n)...)
	}
	call := collectives.Call{Kind: kind, Root: root, Send: content(number, rank, n)}
	switch kind {
	case collectives.Barrier:
		call.Send = nil
	case collectives.Bcast:
		call.Send, call.Recv, want = nil, make([]byte, n), content(number, root, n)
		if rank == root {
			copy(call.Recv, want)
		}
	case collectives.Gather:
		if rank == root {
			call.Recv, want = make([]byte, n*size), all
		}
	case collectives.Allgather:
		call.Recv, want = make([]byte, n*size), all
	case collectives.Scatter:
		call.Send, call.Recv, want = nil, make([]byte, n), content(number, rank, n)
		if rank == root {
			call.Send = all
		}
	}
	e := new(exchange)
	if !e.prepare(p.exchanges, &call) {
		return false
	}
	p.begun++
	e.ready(p.t)
	e.start()
	p.under = append(p.under, e)
	p.check[e] = func() error {
		if err := e.finish(); err != nil {
			return err
		}
		if got := call.Recv; string(got) != string(want) {
			return fmt.Errorf("rank %d of %d: %v %d with root %d brings %v, not %v", rank, size, kind, number, root, got, want)
		}
		return nil
	}
	return true
}

// TestFlagsOfOperationsAreSeenBeforeTheyAreRaisedAgain: ranks begin the same exchanges
// in the same order, and test those in progress in any order, some ranks rarely. No
// rank hangs, all receive what the others send, and no flag is overwritten that a rank
// still looks for.
func TestFlagsOfOperationsAreSeenBeforeTheyAreRaisedAgain(t *testing.T) {
	kinds := []collectives.Kind{collectives.Barrier, collectives.Bcast, collectives.Gather, collectives.Allgather, collectives.Scatter}
	deferred := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		size, start := 2+rng.IntN(maxPlayers-1), rng.Uint64N(3*asyncLap)
		same := rng.IntN(3) == 0 // one rank is always the root
		type play struct {
			kind    collectives.Kind
			root, n int
		}
		plays := make([]play, 5*asyncLap)
		for i := range plays {
			plays[i] = play{kinds[rng.IntN(len(kinds))], rng.IntN(size), 1 + rng.IntN(ir.FlagBytes/maxPlayers)}
			if same {
				plays[i] = play{collectives.Bcast, 0, 8}
			}
		}
		var lines [maxPlayers][ir.FlagTurns]raisedFlag
		var open [maxPlayers]map[uint32]bool
		ps := make([]*beginner, size)
		for r := range ps {
			open[r] = map[uint32]bool{}
			ps[r] = newBeginner(r, size, start, &sharedFlags{r, &lines, &open, func(format string, args ...any) {
				t.Fatalf("seed %d: "+format, append([]any{seed}, args...)...)
			}})
		}
		lazy, most := rng.IntN(size), 1+rng.IntN(2*asyncLap)
		left := size
		for vain := 0; left > 0; vain++ {
			if vain > 5000*size {
				t.Fatalf("seed %d: %d ranks of %d hang", seed, left, size)
			}
			p := ps[rng.IntN(size)]
			if p.x.c.rank == lazy && rng.IntN(30) > 0 || p.begun == len(plays) && len(p.under) == 0 {
				continue
			}
			if p.begun < len(plays) && len(p.under) < most && rng.IntN(2) == 0 {
				now := plays[p.begun]
				if !p.next(now.kind, now.root, now.n) {
					t.Fatalf("seed %d: no exchange for %+v", seed, now)
				}
				if len(p.waiting) != 0 {
					deferred++
				}
				open[p.x.c.rank][asyncNumber(p.last)] = true
				vain = 0
			}
			if len(p.under) == 0 {
				continue
			}
			i := rng.IntN(len(p.under))
			e := p.under[i]
			if !e.test() {
				continue
			}
			delete(open[p.x.c.rank], asyncNumber(e.number))
			if err := p.check[e](); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			delete(p.check, e)
			p.under, vain = slices.Delete(p.under, i, i+1), 0
			if p.begun == len(plays) && len(p.under) == 0 {
				left--
			}
		}
	}
	if deferred == 0 {
		t.Error("no flag was raised later")
	}
}

// The numbers of flags of operations are never 0, differ, and belong to lines that
// blocking calls do not use, also where 32 bits wrap around.
func TestNumbersOfFlagsOfOperations(t *testing.T) {
	blocking := newTurns(0, false)
	for _, start := range []uint64{0, 5 * asyncLap, asyncLap * (1<<32/ir.FlagTurns - 2)} {
		seen := map[uint32]bool{}
		for seq := start; seq < start+4*asyncLap; seq++ {
			n := asyncNumber(seq)
			if n == 0 || seen[n] || n%ir.FlagTurns == blocking.number(seq)%ir.FlagTurns || n%ir.FlagTurns < sharedLap || uint64(n-asyncBase)%asyncLap != seq%asyncLap {
				t.Errorf("exchange %d: number %#x", seq, n)
			}
			seen[n] = true
		}
	}
}

// Short calls use flags. Calls on no bytes or on more than flags carry, or with a forced
// algorithm use messages. All ranks take part in the exchange of a call with counts that
// each rank knows only in part, whatever these are.
func TestWhichOperationsGoByFlags(t *testing.T) {
	ws, _ := worldsOf(t, 2, collectives.Options{Oversubscribed: true})
	if ws[0].coll.async == nil {
		t.Error("ranks that share processors have no flags for operations")
	}
	ws, _ = worldsOf(t, 2, collectives.Options{Force: map[string]string{"bcast": "linear"}})
	const beyond = ir.FlagBytes + 1
	room := func(n int) []byte { return make([]byte, n) } // each rank has its own
	for name, tc := range map[string]struct {
		call func(c *Comm) Request
		want uint64
	}{
		"Ibarrier":         {func(c *Comm) Request { return *Ibarrier(c) }, 1},
		"Ibcast, forced":   {func(c *Comm) Request { return *Ibcast(c, room(1), 0) }, 0},
		"Iallreduce":       {func(c *Comm) Request { return *Iallreduce(c, []byte{1}, []byte{1}, Sum) }, 1},
		"Iallreduce, long": {func(c *Comm) Request { return *Iallreduce(c, room(beyond), room(beyond), Sum) }, 0},
		"Igather":          {func(c *Comm) Request { return *Igather(c, room(4), room(8), 1) }, 1},
		"Iallgatherv":      {func(c *Comm) Request { return *Iallgatherv(c, room(2-c.Rank()), room(10), []int{2, 1}, []int{1, 9}) }, 1},
		"Iallgatherv, long": {func(c *Comm) Request {
			return *Iallgatherv(c, room(1+c.Rank()*ir.FlagBytes), room(2*beyond), []int{1, 1 + ir.FlagBytes}, nil)
		}, 0},
		"Iallgather, long":      {func(c *Comm) Request { return *Iallgather(c, room(beyond), room(2*beyond)) }, 0},
		"Iallgather of nothing": {func(c *Comm) Request { return *Iallgather(c, room(0), room(0)) }, 0},
		"Igatherv":              {func(c *Comm) Request { return *Igatherv(c, room(1), room(2), []int{1, 1}, nil, 1) }, 1},
		"Iscatterv of nothing":  {func(c *Comm) Request { return *Iscatterv(c, nil, []int{0, 0}, nil, room(0), 1) }, 1},
		"Ialltoallv, long": {func(c *Comm) Request {
			return *Ialltoallv(c, room(2*beyond), []int{beyond, beyond}, nil, room(2*beyond), []int{beyond, beyond}, nil)
		}, 1},
		"Iscan":          {func(c *Comm) Request { return *Iscan(c, []byte{1}, []byte{1}, Sum) }, 1},
		"Iscan, long":    {func(c *Comm) Request { return *Iscan(c, room(beyond), room(beyond), Sum) }, 0},
		"Iexscan":        {func(c *Comm) Request { return *Iexscan(c, []byte{1}, []byte{1}, Sum) }, 1},
		"IreduceScatter": {func(c *Comm) Request { return *IreduceScatter(c, room(3), room(1+c.Rank()), []int{1, 2}, Sum) }, 1},
		"IreduceScatter, long": {func(c *Comm) Request {
			return *IreduceScatter(c, room(beyond), room(1+c.Rank()*(beyond-2)), []int{1, beyond - 1}, Sum)
		}, 0},
	} {
		var rs [2]Request
		before := ws[0].coll.async.last
		for i, w := range ws {
			rs[i] = tc.call(w)
		}
		if got := ws[0].coll.async.last - before; got != tc.want {
			t.Errorf("%s: %d exchanges", name, got)
		}
		for i := range rs {
			if _, err := rs[i].Wait(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// A call like an earlier one allocates nothing, whether it uses flags or messages, unless
// its request escapes.
func TestNonblockingCallsAllocateNothing(t *testing.T) {
	ws, _ := worldsOf(t, 2, collectives.Options{})
	var rs [2]Request
	counts := []int{1, 2}
	small, lines, long := make([][]float64, 4), make([][]float64, 4), make([][]float64, 4)
	for i := range small {
		small[i], lines[i], long[i] = make([]float64, 2), make([]float64, ir.FlagBytes/8), make([]float64, 4096)
	}
	for name, begin := range map[string]func(c *Comm, i int) Request{
		"Ibarrier":                    func(c *Comm, _ int) Request { return *Ibarrier(c) },
		"Ibcast":                      func(c *Comm, i int) Request { return *Ibcast(c, small[i], 0) },
		"Iallreduce":                  func(c *Comm, i int) Request { return *Iallreduce(c, small[i], small[2+i], Sum) },
		"Iallgatherv":                 func(c *Comm, i int) Request { return *Iallgatherv(c, small[i][:1+i], lines[i], counts, nil) },
		"Ialltoall":                   func(c *Comm, i int) Request { return *Ialltoall(c, small[i], small[2+i]) },
		"Iallreduce of several lines": func(c *Comm, i int) Request { return *Iallreduce(c, lines[i], lines[2+i], Sum) },
		"Iallreduce, long":            func(c *Comm, i int) Request { return *Iallreduce(c, long[i], long[2+i], Sum) },
	} {
		call := func() {
			for i, w := range ws {
				rs[i] = begin(w, i)
			}
			for i := range rs {
				if _, err := rs[i].Wait(); err != nil {
					t.Error(name, err)
				}
			}
		}
		for range 2 * asyncLap { // a flag is cached from its second use on
			call()
		}
		if n := testing.AllocsPerRun(200, call); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// An operation whose flag waits for others ends with its context, and its flag is never
// raised then; later ones continue.
func TestAContextEndsAnOperationBeforeItsFlagIsRaised(t *testing.T) {
	ws, _ := worldsOf(t, 2, collectives.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var all []*Request
	for range asyncWindow {
		all = append(all, Ibarrier(ws[0]))
	}
	limited := Ibarrier(ws[0].WithContext(ctx))
	behind := Ibarrier(ws[0])
	k := ws[0].coll.async
	if len(k.waiting) < 2 {
		t.Fatal("nothing waits for its flag")
	}
	cancel()
	if _, err := limited.Wait(); !errors.Is(err, ErrCancelled) {
		t.Fatal(err)
	}
	if len(k.waiting) != 1 || k.waiting[0].number != k.last {
		t.Error("the flag of the operation that has ended still waits")
	}
	for range asyncWindow {
		Ibarrier(ws[1])
	}
	for _, r := range append(all, behind)[:asyncWindow] {
		if _, err := r.Wait(); err != nil {
			t.Error(err)
		}
	}
	Ibarrier(ws[1])
	Ibarrier(ws[1])
	if _, err := behind.Wait(); err != nil {
		t.Error(err)
	}
}

// Ranks that begin different short operations get an error, and a closed transport ends
// them.
func TestShortOperationsThatCannotEnd(t *testing.T) {
	ws, ts := worldsOf(t, 2, collectives.Options{})
	d := make([]*Comm, 2)
	done := make(chan error)
	for i, w := range ws {
		go func() {
			var err error
			d[i], err = w.Dup()
			done <- err
		}()
	}
	if err := errors.Join(<-done, <-done); err != nil {
		t.Fatal(err)
	}
	one, two := Ibarrier(d[0]), Iallreduce(d[1], []int{1}, []int{0}, Sum)
	for i, r := range []*Request{one, two} {
		if _, err := r.Wait(); !errors.Is(err, ErrMismatch) {
			t.Errorf("rank %d: %v", i, err)
		}
	}
	if err := Barrier(d[0]); !errors.Is(err, ErrComm) {
		t.Errorf("a call behind it: %v", err)
	}
	waits, looks := Ibarrier(ws[0]), Ibarrier(ws[0])
	if _, done, err := looks.Test(); done || err != nil {
		t.Errorf("complete without the other rank: %v, %v", done, err)
	}
	closeAll(ts)
	if _, err := waits.Wait(); !errors.Is(err, errClosed) {
		t.Errorf("a wait: %v", err)
	}
	if _, done, err := looks.Test(); !done || !errors.Is(err, errClosed) {
		t.Errorf("a look: %v, %v", done, err)
	}
	if _, err := Ibarrier(ws[0]).Wait(); !errors.Is(err, errClosed) {
		t.Errorf("a new one: %v", err)
	}
}
