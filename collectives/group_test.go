package collectives

import (
	"errors"
	"testing"
)

func mustGroup(t testing.TB, tr Transport, o Options) *Group {
	t.Helper()
	g, err := New(tr, o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestHostsOfAllRanks: a list of hosts must name the host of each rank.
func TestHostsOfAllRanks(t *testing.T) {
	if _, err := New(newFake(1, 4), Options{Hosts: []int{0, 0, 1}}); err == nil || err.Error() != "collectives: the hosts of 3 ranks are named, there are 4" {
		t.Error(err)
	}
}

// Repeated blocking calls allocate nothing, with and without an exchange.
func TestNoAllocation(t *testing.T) {
	in, out, all := make([]byte, 8), make([]byte, 8), make([]byte, 32)
	counts, zeros := []int{1, 2, 3, 2}, make([]int, 4)
	for name, tr := range map[string]Transport{"messages": newFake(1, 4), "exchange": &fakeFlagArray{fake: newFake(1, 4)}} {
		g := mustGroup(t, tr, Options{})
		calls := map[string]func() error{
			"barrier":        g.Barrier,
			"bcast":          func() error { return g.Bcast(in, 2) },
			"allreduce":      func() error { return g.Allreduce(in, out, sum{}) },
			"allgather":      func() error { return g.Allgather(in, all) },
			"alltoall":       func() error { return g.Alltoall(all, make32()) },
			"allgatherv":     func() error { return g.Allgatherv(in[:2], all, counts, nil, 1) },
			"scatterv":       func() error { return g.Scatterv(nil, nil, nil, in, 1, 0) },
			"alltoallv":      func() error { return g.Alltoallv(nil, zeros, nil, nil, zeros, nil, 1) },
			"exscan":         func() error { return g.Exscan(in, out, sum{}) },
			"reduce_scatter": func() error { return g.ReduceScatter(in, out[:2], counts, sum{}) },
		}
		for call, f := range calls {
			n := testing.AllocsPerRun(100, func() {
				if err := f(); err != nil {
					t.Fatal(err)
				}
			})
			if n != 0 {
				t.Errorf("%s on %s: %v allocations", call, name, n)
			}
		}
	}
}

var sink [32]byte

func make32() []byte { return sink[:] }

// A rank that alternates between a few shapes of Allgatherv finds its plans again; more
// shapes than a group remembers replace the oldest.
func TestPlansAreRemembered(t *testing.T) {
	g := mustGroup(t, newFake(0, 2), Options{})
	first := make([]byte, 1)
	for range 2 {
		if err := g.Bcast(first, 0); err != nil {
			t.Fatal(err)
		}
	}
	p := g.plans.hot[Bcast]
	if g.Bcast(make([]byte, 2), 0); g.plans.hot[Bcast] == p {
		t.Fatal("two shapes share a plan")
	}
	if g.Bcast(first, 0); g.plans.hot[Bcast] != p {
		t.Fatal("a plan was forgotten")
	}
	for n := range planCount {
		g.Bcast(make([]byte, 10+n), 0)
	}
	if g.Bcast(first, 0); g.plans.hot[Bcast] == p {
		t.Fatal("a plan outlived its place")
	}
}

func TestLargeScratchIsGivenBack(t *testing.T) {
	g := mustGroup(t, newFake(0, 2), Options{Force: map[string]string{"allreduce": "rabenseifner"}})
	for _, n := range []int{1000, 2 * scratchKept} {
		if err := g.Allreduce(make([]byte, n), make([]byte, n), sum{}); err != nil {
			t.Fatal(err)
		}
		if len(g.scratch) > scratchKept {
			t.Fatalf("after %d bytes the group keeps %d", n, len(g.scratch))
		}
	}
}

// An error of the transport is the call's result, and the call still does the rest of
// its part.
func TestTransportErrors(t *testing.T) {
	whole := newFake(0, 8)
	g := mustGroup(t, whole, Options{})
	if err := g.Allreduce(make([]byte, 80), make([]byte, 80), sum{}); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]*fake{"post": {failPost: 2}, "wait": {failWait: 1}, "first of two": {failPost: 1, failWait: 2}} {
		want := errPost
		if f.failPost == 0 {
			want = errWait
		}
		f.size, f.slots = 8, 64
		g := mustGroup(t, f, Options{})
		if err := g.Allreduce(make([]byte, 80), make([]byte, 80), sum{}); !errors.Is(err, want) {
			t.Errorf("%s: error %v", name, err)
		}
		if f.posts != whole.posts || f.waits != whole.waits {
			t.Errorf("%s: %d posts, %d waits instead of %d, %d", name, f.posts, f.waits, whole.posts, whole.waits)
		}
		if err := g.Allreduce(make([]byte, 80), make([]byte, 80), sum{}); err != nil {
			t.Errorf("%s: the next call: %v", name, err)
		}
		f.posts, f.waits = 0, 0
		op, err := g.Prepare(Call{Kind: Allreduce, Send: make([]byte, 80), Recv: make([]byte, 80), Reducer: sum{}})
		if err != nil {
			t.Fatal(err)
		}
		op.Start()
		if done, err := op.Test(); !done || !errors.Is(err, want) {
			t.Errorf("%s: prepared: %t, %v", name, done, err)
		}
	}
}

func TestArguments(t *testing.T) {
	g := mustGroup(t, newFake(0, 4), Options{})
	b := func(n int) []byte { return make([]byte, n) }
	tests := []struct {
		name string
		err  error
		want error
	}{
		{"root too high", g.Bcast(b(1), 4), ErrRoot},
		{"root negative", g.Gatherv(b(1), b(4), []int{1, 1, 1, 1}, nil, 1, -1), ErrRoot},
		{"scatterv without counts", g.Scatterv(b(4), nil, nil, b(1), 1, 0), ErrCounts},
		{"gather", g.Gather(b(2), b(7), 0), ErrLength},
		{"scatter", g.Scatter(b(7), b(2), 0), ErrLength},
		{"allgather", g.Allgather(b(2), b(9)), ErrLength},
		{"alltoall uneven", g.Alltoall(b(6), b(6)), ErrLength},
		{"alltoall unequal", g.Alltoall(b(4), b(8)), ErrLength},
		{"reduce", g.Reduce(b(3), b(2), sum{}, 0), ErrLength},
		{"half an element", g.Allreduce(b(6), b(6), left{}), ErrLength},
		{"reduce_scatter_block", g.ReduceScatterBlock(b(8), b(4), sum{}), ErrLength},
		{"reduce_scatter_block uneven", g.ReduceScatterBlock(b(6), b(1), sum{}), ErrLength},
		{"reduce_scatter", g.ReduceScatter(b(4), b(2), []int{1, 1, 1, 1}, sum{}), ErrLength},
		{"reduce_scatter with a rest", g.ReduceScatter(b(5), b(1), []int{1, 1, 1, 1}, sum{}), ErrCounts},
		{"reduce_scatter of too much", g.ReduceScatter(b(3), b(1), []int{1, 1, 1, 1}, sum{}), ErrCounts},
		{"reduce_scatter without counts", g.ReduceScatter(b(4), b(1), nil, sum{}), ErrCounts},
		{"reduce_scatter of half an element", g.ReduceScatter(b(6), b(4), []int{1, 0, 0, 0}, left{}), ErrCounts},
		{"no reducer", g.Scan(b(1), b(1), nil), ErrReducer},
		{"counts missing", g.Allgatherv(b(1), b(4), []int{1, 1, 1}, nil, 1), ErrCounts},
		{"displacements missing", g.Allgatherv(b(1), b(4), []int{1, 1, 1, 1}, []int{0}, 1), ErrCounts},
		{"count negative", g.Scatterv(b(4), []int{1, -1, 1, 1}, nil, b(1), 1, 0), ErrCounts},
		{"part outside", g.Gatherv(b(1), b(4), []int{1, 1, 1, 1}, []int{0, 1, 2, 4}, 1, 0), ErrCounts},
		{"own part", g.Gatherv(b(2), b(4), []int{1, 1, 1, 1}, nil, 1, 0), ErrCounts},
		{"alltoallv send", g.Alltoallv(b(3), []int{1, 1, 1, 1}, nil, b(4), []int{1, 1, 1, 1}, nil, 1), ErrCounts},
		{"alltoallv recv", g.Alltoallv(b(4), []int{1, 1, 1, 1}, nil, b(3), []int{1, 1, 1, 1}, nil, 1), ErrCounts},
		{"element of nothing", g.Alltoallv(b(4), nil, nil, b(3), nil, nil, 0), ErrCounts},
	}
	for _, tt := range tests {
		if !errors.Is(tt.err, tt.want) {
			t.Errorf("%s: error %v, want %v", tt.name, tt.err, tt.want)
		}
	}
	for _, c := range []Call{{Kind: Bcast, Root: 9}, {Kind: numKinds}} {
		if _, err := g.Prepare(c); err == nil {
			t.Errorf("Prepare of %v: no error", c.Kind)
		}
		if _, err := g.Algorithm(c); err == nil {
			t.Errorf("Algorithm of %v: no error", c.Kind)
		}
	}
	if f := g.t.(*fake); f.posts != 0 {
		t.Errorf("%d transfers for wrong calls", f.posts)
	}
}

// TestTagsOfPreparedCalls: however many calls there have been, prepared ones have tags
// that no blocking call has.
func TestTagsOfPreparedCalls(t *testing.T) {
	const prepared, blocking = MaxTag + 1 - firstPrepared, firstPrepared // numbers of tags
	g := mustGroup(t, newFake(0, 2), Options{})
	used := map[int]bool{}
	for range 2 * prepared {
		op, err := g.Prepare(Call{Kind: Barrier})
		if err != nil {
			t.Fatal(err)
		}
		used[op.tag] = true
		if op.tag < firstPrepared || op.tag > MaxTag {
			t.Fatalf("a prepared call has the tag %d", op.tag)
		}
	}
	for range 2 * blocking {
		if err := g.Barrier(); err != nil {
			t.Fatal(err)
		}
		if used[g.x.tag] {
			t.Fatalf("a blocking call has the tag %d of a prepared one", g.x.tag)
		}
	}
	if len(used) != prepared {
		t.Errorf("prepared calls use %d tags of %d", len(used), prepared)
	}
}

func TestOpIsStartedOnce(t *testing.T) {
	f := &stuck{fake: newFake(0, 2)}
	g := mustGroup(t, f, Options{})
	op, err := g.Prepare(Call{Kind: Barrier})
	if err != nil {
		t.Fatal(err)
	}
	if done, err := op.Test(); !done || err != nil {
		t.Errorf("before Start: %t, %v", done, err)
	}
	if err := op.Start(); err != nil {
		t.Fatal(err)
	}
	if err := op.Start(); !errors.Is(err, ErrActive) {
		t.Errorf("second Start: %v", err)
	}
	if done, _ := op.Test(); done {
		t.Error("complete too early")
	}
	f.free = true
	if err := op.Wait(); err != nil {
		t.Error(err)
	}
	if err := op.Start(); err != nil {
		t.Errorf("third Start: %v", err)
	}
}

// A stuck transport completes nothing until it is freed.
type stuck struct {
	*fake
	free bool
}

func (s *stuck) Test(int, int) (bool, error) { return s.free, nil }

// While operations are outstanding, a blocking call waits by testing, so that they make
// progress.
func TestBlockingCallDrivesOps(t *testing.T) {
	f := &countdown{fake: newFake(0, 2), left: 5}
	g := mustGroup(t, f, Options{})
	op, err := g.Prepare(Call{Kind: Barrier})
	if err != nil {
		t.Fatal(err)
	}
	op.Start()
	if err := g.Barrier(); err != nil {
		t.Fatal(err)
	}
	if f.waits != 0 || op.active {
		t.Errorf("%d blocking waits, operation active %t", f.waits, op.active)
	}
}

// A countdown completes transfers after some tests.
type countdown struct {
	*fake
	left int
}

func (c *countdown) Test(int, int) (bool, error) { c.left--; return c.left <= 0, nil }

func TestFewSlotsAreRefused(t *testing.T) {
	if _, err := New(&fake{size: 2, slots: MinSlots - 1}, Options{}); err == nil {
		t.Error("no error")
	}
}

// A taker has a Recv of its own.
type taker struct {
	*countdown
	taken  int
	failed error
}

func (t *taker) Recv([]byte, int, int) error { t.taken++; return t.failed }

// TestReceiver: a receive that a blocking call waits for next, with nothing else in
// progress, uses the Recv of a transport that has one; other receives do not.
func TestReceiver(t *testing.T) {
	bcast := func(g *Group) error { return g.Bcast(make([]byte, 8), 0) }
	for _, c := range []struct {
		name       string
		rank, size int
		call       func(g *Group) error
		taken      int
	}{
		{"one receive", 1, 2, bcast, 1},
		{"of operands", 0, 2, func(g *Group) error { return g.Reduce(make([]byte, 8), make([]byte, 8), sum{}, 0) }, 1},
		{"several receives", 0, 3, func(g *Group) error { return g.Gather(make([]byte, 8), make([]byte, 24), 0) }, 0},
		{"a send before", 1, 2, func(g *Group) error { return g.Allgather(make([]byte, 8), make([]byte, 16)) }, 0},
		{"beside an operation", 1, 2, func(g *Group) error {
			op, err := g.Prepare(Call{Kind: Barrier})
			if err != nil {
				return err
			}
			return errors.Join(op.Start(), bcast(g))
		}, 0},
		{"of an operation", 1, 2, func(g *Group) error {
			op, err := g.Prepare(Call{Kind: Bcast, Recv: make([]byte, 8)})
			if err == nil {
				op.Begin(g.t)
				err = op.Finish()
			}
			return err
		}, 0},
	} {
		f := &taker{countdown: &countdown{fake: newFake(c.rank, c.size), left: 5}}
		g := mustGroup(t, f, Options{Force: map[string]string{"gather": "linear", "reduce": "binomial"}})
		if err := c.call(g); err != nil || f.taken != c.taken {
			t.Errorf("%s: the transport receives %d, not %d, by itself; %v", c.name, f.taken, c.taken, err)
		}
		if f.failed = errWait; c.taken > 0 && !errors.Is(c.call(g), errWait) {
			t.Errorf("%s: its error is lost", c.name)
		}
	}
}

// An abandoner ends its first wait with an error, and perhaps leaves a transfer behind.
type abandoner struct {
	*fake
	abandoned bool
}

func (a *abandoner) Abandoned() bool { return a.abandoned }

// reductions counts how often operands are combined.
type reductions struct {
	sum
	made int
}

func (r *reductions) Reduce(in, inout []byte) { r.made++ }

// A call with abandoned transfers ends at once, and touches neither its buffers nor its
// temporary memory any more; a call with failed transfers goes on, and so does one whose
// transport has abandoned transfers of others.
func TestAbandonedTransfers(t *testing.T) {
	whole := newFake(0, 8)
	if err := mustGroup(t, whole, Options{}).Allreduce(make([]byte, 80), make([]byte, 80), sum{}); err != nil {
		t.Fatal(err)
	}
	prepare := func(g *Group, r Reducer) (*Op, error) {
		return g.Prepare(Call{Kind: Allreduce, Send: make([]byte, 80), Recv: make([]byte, 80), Reducer: r})
	}
	calls := map[string]func(g *Group, r Reducer) error{
		"blocking": func(g *Group, r Reducer) error { return g.Allreduce(make([]byte, 80), make([]byte, 80), r) },
		"prepared": func(g *Group, r Reducer) error {
			op, err := prepare(g, r)
			if err != nil {
				return err
			}
			tmp := &op.tmp[:1][0]
			op.Start()
			_, err = op.Test()
			if op.Release(0); (op.tmp == nil) != op.x.abandoned || op.tmp != nil && &op.tmp[0] != tmp {
				t.Errorf("prepared: temporary memory is kept: %t", op.tmp != nil)
			}
			return err
		},
		"detached": func(g *Group, r Reducer) error {
			op, err := prepare(g, r)
			if err != nil {
				return err
			}
			op.Begin(g.t)
			return op.Finish()
		},
	}
	for name, call := range calls {
		for _, c := range []struct {
			abandoned bool
			failWait  int
			waits     int
		}{{true, 1, 1}, {false, 1, whole.waits}, {true, 0, whole.waits}} {
			f := &abandoner{fake: newFake(0, 8), abandoned: c.abandoned}
			f.failWait = c.failWait
			g := mustGroup(t, f, Options{})
			r := &reductions{}
			err := call(g, r)
			if (err != nil) != (c.failWait > 0) || c.failWait > 0 && !errors.Is(err, errWait) || f.waits != c.waits {
				t.Errorf("%s, %+v: %d waits; %v", name, c, f.waits, err)
			}
			if (r.made == 0) != (c.waits == 1) {
				t.Errorf("%s, %+v: operands are combined %d times", name, c, r.made)
			}
			if name == "blocking" && (g.scratch == nil) != (c.waits == 1) {
				t.Errorf("%s, %+v: temporary memory is kept: %t", name, c, g.scratch != nil)
			}
		}
	}
}

// An operation that is begun again does not use memory that transfers of the last time still use.
func TestBegunAgainBesideAbandonedTransfers(t *testing.T) {
	for _, left := range []bool{true, false} {
		f := &abandoner{fake: newFake(0, 8), abandoned: left}
		f.failWait = 1
		op, err := mustGroup(t, f, Options{}).Prepare(Call{Kind: Allreduce, Send: make([]byte, 80), Recv: make([]byte, 80), Reducer: sum{}})
		if err != nil {
			t.Fatal(err)
		}
		op.Begin(f)
		tmp := &op.tmp[0]
		if err := op.Finish(); !errors.Is(err, errWait) {
			t.Errorf("abandoned: %t: %v", left, err)
		}
		op.Begin(f)
		if err := op.Finish(); err != nil || (&op.tmp[0] == tmp) == left || op.x.abandoned {
			t.Errorf("abandoned: %t: begun again in the same memory: %t; %v", left, &op.tmp[0] == tmp, err)
		}
	}
}
