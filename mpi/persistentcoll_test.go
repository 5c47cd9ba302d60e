package mpi

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// begin starts requests, and fails the test if that does.
func begin(t *testing.T, rs ...*Request) {
	t.Helper()
	if err := StartAll(rs...); err != nil {
		t.Fatal(err)
	}
}

// end waits for requests, and fails the test if that does.
func end(t *testing.T, rs ...*Request) {
	t.Helper()
	if err := WaitAll(rs...); err != nil {
		t.Fatal(err)
	}
}

// made returns the persistent request of each rank.
func made(t *testing.T, ws []*Comm, init func(c *Comm) (*Request, error)) (rs []*Request) {
	t.Helper()
	for _, w := range ws {
		r, err := init(w)
		if err != nil {
			t.Fatal(err)
		}
		rs = append(rs, r)
	}
	return rs
}

// A rank that only sends is one to two windows ahead before it waits.
func TestHowFarARankIsAheadInAPersistentOperation(t *testing.T) {
	ws, _ := worldsOf(t, 2, collectives.Options{})
	for name, init := range map[string]func(c *Comm) (*Request, error){
		"BcastInit":  func(c *Comm) (*Request, error) { return BcastInit(c, []byte{1}, 0) },
		"GatherInit": func(c *Comm) (*Request, error) { return GatherInit(c, []byte{1}, []byte{1, 2}, 1) },
	} {
		rs := made(t, ws, init)
		for starts := range 2 * startLap {
			begin(t, rs...)
			end(t, rs...)
			ahead := 0
			for ; ; ahead++ {
				begin(t, rs[0])
				if _, done, err := rs[0].Test(); err != nil {
					t.Fatal(err)
				} else if !done {
					break
				}
			}
			if starts >= 2 && (ahead < startWindow || ahead >= 2*startWindow) {
				t.Errorf("%s, round %d: %d starts before it waits", name, starts, ahead)
			}
			for range ahead + 1 {
				begin(t, rs[1])
				end(t, rs[1])
			}
			end(t, rs[0])
		}
	}
}

// Short operations use flags. Those on no bytes or on more than flags carry, or with a
// forced algorithm use messages.
func TestWhichPersistentOperationsGoByFlags(t *testing.T) {
	barrier := func(c *Comm) (*Request, error) { return BarrierInit(c) }
	ws, _ := worldsOf(t, 2, collectives.Options{Oversubscribed: true})
	if rs := made(t, ws, barrier); rs[0].repeated().launch.exchange.set == nil {
		t.Error("ranks that share processors have no flags for persistent operations")
	}
	ws, _ = worldsOf(t, 2, collectives.Options{Force: map[string]string{"bcast": "linear"}})
	long := func() []byte { return make([]byte, ir.FlagBytes+1) } // each rank has its own
	for name, tc := range map[string]struct {
		init func(c *Comm) (*Request, error)
		want bool
	}{
		"BarrierInit":              {barrier, true},
		"BcastInit, forced":        {func(c *Comm) (*Request, error) { return BcastInit(c, []byte{1}, 0) }, false},
		"AllreduceInit":            {func(c *Comm) (*Request, error) { return AllreduceInit(c, []byte{1}, []byte{1}, Sum) }, true},
		"AllreduceInit, long":      {func(c *Comm) (*Request, error) { return AllreduceInit(c, long(), long(), Sum) }, false},
		"ScanInit":                 {func(c *Comm) (*Request, error) { return ScanInit(c, []byte{1}, []byte{1}, Sum) }, true},
		"GathervInit":              {func(c *Comm) (*Request, error) { return GathervInit(c, []byte{1}, []byte{1, 2}, []int{1, 1}, nil, 0) }, true},
		"AlltoallwInit":            {func(c *Comm) (*Request, error) { return AlltoallwInit(c, make([]Part, 2), make([]Part, 2)) }, true},
		"ScatterInit":              {func(c *Comm) (*Request, error) { return ScatterInit(c, []byte{1, 2}, []byte{1}, 0) }, true},
		"AllgatherInit of nothing": {func(c *Comm) (*Request, error) { return AllgatherInit(c, []byte{}, []byte{}) }, false},
	} {
		rs := made(t, ws, tc.init)
		if got := rs[0].repeated().launch.exchange.set != nil; got != tc.want {
			t.Errorf("%s: flags: %v", name, got)
		}
		for range 3 {
			begin(t, rs...)
			end(t, rs...)
		}
	}
}

// together has ranks call do concurrently.
func together(t *testing.T, ws []*Comm, do func(i int, w *Comm) error) {
	t.Helper()
	errs := make(chan error)
	for i, w := range ws {
		go func() { errs <- do(i, w) }()
	}
	for range ws {
		if err := <-errs; err != nil {
			t.Fatal(err)
		}
	}
}

// Flags of operations that all ranks have freed are used by others, also if ranks have
// freed them in different orders; without flags, messages are used.
func TestFlagsOfFreedOperationsAreUsedAgain(t *testing.T) {
	ws, _ := worldsOf(t, 3, collectives.Options{})
	sums := [3][]int{{0}, {0}, {0}}
	more := func() (rs []*Request) {
		t.Helper()
		rs = make([]*Request, len(ws))
		together(t, ws, func(i int, w *Comm) (err error) {
			rs[i], err = AllreduceInit(w, []int{i + 1}, sums[i], Sum)
			return err
		})
		for range startLap + 3 {
			for i := range sums {
				sums[i][0] = 0
			}
			begin(t, rs...)
			end(t, rs...)
			for i := range sums {
				if sums[i][0] != 6 {
					t.Errorf("rank %d gets %d", i, sums[i][0])
				}
			}
		}
		return rs
	}
	var all [][]*Request
	for n := range startSets {
		rs := more()
		if set := rs[2].repeated().launch.exchange.set; set == nil || set.number != n {
			t.Fatalf("operation %d has the flags %+v", n, set)
		}
		all = append(all, rs)
	}
	free := func(op int, ranks ...int) {
		t.Helper()
		for _, i := range ranks {
			if err := all[op][i].Free(); err != nil {
				t.Fatal(err)
			}
		}
	}
	numberOf := func(rs []*Request) int {
		if set := rs[1].repeated().launch.exchange.set; set != nil {
			return set.number
		}
		return -1
	}
	for _, step := range []struct {
		free func()
		want int
	}{
		{func() {}, -1},
		{func() { free(3, 0, 1); free(5, 2, 0) }, -1}, // each by some ranks
		{func() { free(5, 1); free(4, 0) }, 5},
		{func() {}, -1},
		{func() { free(3, 2); free(4, 1, 2) }, 3},
		{func() {}, 4},
	} {
		step.free()
		if got := numberOf(more()); got != step.want {
			t.Errorf("flags %d, not %d", got, step.want)
		}
	}
}

// A request that is freed while it is active keeps its flags until it is complete; no
// copy of a freed request can be started.
func TestFreedPersistentOperations(t *testing.T) {
	ws, _ := worldsOf(t, 2, collectives.Options{})
	rs := made(t, ws, func(c *Comm) (*Request, error) { return BarrierInit(c) })
	back := func(i int) uint64 {
		k := &ws[i].coll.async.restarts
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.free
	}
	begin(t, rs[0])
	other := *rs[0]
	if err := rs[0].Free(); err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); !errors.Is(err, ErrRequest) || !strings.Contains(err.Error(), "is active") {
		t.Errorf("Start of an active one: %v", err)
	}
	if back(0) != 0 {
		t.Error("flags are free that others look for")
	}
	begin(t, rs[1])
	end(t, rs[1])
	for back(0) == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := other.Start(); !errors.Is(err, ErrRequest) || err.Error() != "mpi: Start on world: the request of BarrierInit has been freed; make another" {
		t.Errorf("Start of a freed one: %v", err)
	}
	same := *rs[1]
	if err := errors.Join(rs[1].Free(), same.Free()); err != nil || back(1) != 1 {
		t.Errorf("free: %v, %b", err, back(1))
	}
}

// A start ends with the context of its communicator, also before its flag is raised;
// then the ranks do not agree any more, no further start of the operation begins, and
// its flags are not used again.
func TestAContextEndsAPersistentOperation(t *testing.T) {
	for name, ahead := range map[string]int{"waits for others": 0, "waits to raise its flag": startLap + startWindow} {
		ws, _ := worldsOf(t, 2, collectives.Options{})
		ctx, cancel := context.WithCancel(context.Background())
		views := []*Comm{ws[0].WithContext(ctx), ws[1]}
		rs := made(t, views, func(c *Comm) (*Request, error) {
			if ahead == 0 {
				return BarrierInit(c)
			}
			return BcastInit(c, []byte{1}, 0)
		})
		for n := 0; ; n++ {
			begin(t, rs[0])
			if _, done, _ := rs[0].Test(); !done {
				break
			}
			if n > ahead {
				t.Fatalf("%s: it does not", name)
			}
		}
		cancel()
		_, first := rs[0].Wait()
		if !errors.Is(first, ErrCancelled) {
			t.Errorf("%s: %v", name, first)
		}
		set := rs[0].repeated().launch.exchange.set
		last := set.last
		begin(t, rs[0])
		if _, again := rs[0].Wait(); again == nil || again.Error() != first.Error() || set.last != last {
			t.Errorf("%s, started again: %v, not %v", name, again, first)
		}
		if err := rs[0].Free(); err != nil || ws[0].coll.async.restarts.free != 0 {
			t.Errorf("%s: flags of an operation that has failed are free; %v", name, err)
		}
	}
}

// Ranks that have made different operations get errors, where they start them and where
// they agree on flags; a closed transport ends a start.
func TestPersistentOperationsThatCannotEnd(t *testing.T) {
	ws, ts := worldsOf(t, 2, collectives.Options{})
	d, e := make([]*Comm, 2), make([]*Comm, 2)
	together(t, ws, func(i int, w *Comm) (err error) {
		d[i], err = w.Dup()
		return err
	})
	together(t, ws, func(i int, w *Comm) (err error) {
		e[i], err = w.Dup()
		return err
	})
	barrier, err1 := BarrierInit(d[0])
	sum, err2 := AllreduceInit(d[1], []int{1}, []int{0}, Sum)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	begin(t, barrier, sum)
	for i, r := range []*Request{barrier, sum} {
		if _, err := r.Wait(); !errors.Is(err, ErrMismatch) {
			t.Errorf("rank %d: %v", i, err)
		}
	}
	for range startSets {
		made(t, e, func(c *Comm) (*Request, error) { return BarrierInit(c) })
	}
	together(t, e, func(i int, c *Comm) error {
		var err error
		if i == 0 {
			_, err = BarrierInit(c)
		} else {
			err = Barrier(c)
		}
		if !errors.Is(err, ErrMismatch) {
			t.Errorf("rank %d: %v", i, err)
		}
		return nil
	})
	rs := made(t, ws, func(c *Comm) (*Request, error) { return BarrierInit(c) })
	begin(t, rs[0])
	closeAll(ts)
	if _, err := rs[0].Wait(); !errors.Is(err, errClosed) {
		t.Errorf("a closed transport: %v", err)
	}
}

// Starts allocate nothing.
func TestStartsOfPersistentOperationsAllocateNothing(t *testing.T) {
	ws, _ := worldsOf(t, 2, collectives.Options{})
	bufs := make([][]float64, 4)
	for i := range bufs {
		bufs[i] = make([]float64, 8)
	}
	of := func(c *Comm) int { return c.Rank() }
	for name, init := range map[string]func(c *Comm) (*Request, error){
		"BarrierInit":   func(c *Comm) (*Request, error) { return BarrierInit(c) },
		"BcastInit":     func(c *Comm) (*Request, error) { return BcastInit(c, bufs[of(c)], 0) },
		"AllreduceInit": func(c *Comm) (*Request, error) { return AllreduceInit(c, bufs[of(c)], bufs[2+of(c)], Sum) },
		"AlltoallInit":  func(c *Comm) (*Request, error) { return AlltoallInit(c, bufs[of(c)], bufs[2+of(c)]) },
	} {
		rs := made(t, ws, init)
		call := func() {
			for _, r := range rs {
				if err := r.Start(); err != nil {
					t.Error(name, err)
				}
			}
			for _, r := range rs {
				if _, err := r.Wait(); err != nil {
					t.Error(name, err)
				}
			}
		}
		for range 2 * startLap { // a flag is cached from its second use on
			call()
		}
		if n := testing.AllocsPerRun(200, call); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
