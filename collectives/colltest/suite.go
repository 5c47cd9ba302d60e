package colltest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/collectives"
)

// Open makes the transports of a group of n ranks; t cleans them up.
type Open func(t testing.TB, n int) []collectives.Transport

// Run runs the suite on a kind of transport: every row of the table, forced by name,
// with blocking and with prepared calls, in groups of the given numbers of ranks, by
// default 1 to 9 and 16 (fewer if time is short); all roots, empty, short, odd and long
// messages, operations that do not commute, in place and not. A rank that does not
// return within a minute fails the test.
func Run(t *testing.T, open Open, sizes ...int) {
	if sizes == nil {
		sizes = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 16}
		if testing.Short() || raceDetector {
			sizes = []int{1, 2, 3, 6}
		}
	}
	for _, n := range sizes {
		t.Run(fmt.Sprintf("ranks=%d", n), func(t *testing.T) {
			ts := open(t, n)
			for _, k := range collectives.Kinds() {
				for _, name := range collectives.Algorithms(k) {
					testRow(t, ts, k, name)
				}
			}
			testRules(t, ts)
			testHosts(t, ts)
			testBarriers(t, ts)
			testSameBits(t, ts)
			testOverlap(t, ts)
		})
	}
}

// each runs body for every rank concurrently, each with a new group. It returns false
// if a rank failed.
func each(t *testing.T, ts []collectives.Transport, o collectives.Options, body func(g *collectives.Group) error) bool {
	t.Helper()
	errs := make(chan error, len(ts))
	for _, tr := range ts {
		go func() {
			g, err := collectives.New(tr, o)
			if err == nil {
				err = body(g)
			}
			errs <- err
		}()
	}
	ok := true
	late := time.After(time.Minute)
	for range ts {
		select {
		case err := <-errs:
			if err != nil {
				t.Error(err)
				ok = false
			}
		case <-late:
			t.Fatalf("a rank hangs with %v", o)
		}
	}
	return ok
}

// trials returns the calls to try for an operation in a group of n ranks.
func trials(k collectives.Kind, n int) []trial {
	reducers := []collectives.Reducer{nil}
	if k >= collectives.Reduce {
		reducers = []collectives.Reducer{affine{}, bytesSum{}}
	}
	long := 9001
	if k == collectives.Bcast && n <= 4 {
		long = 150_001 // several chunks of a chain
	}
	var all []trial
	for _, r := range reducers {
		elem := 3
		if r != nil {
			elem = r.ElemSize()
		}
		for _, count := range []int{0, 1, 7, 65, long / elem / n} {
			if k == collectives.Bcast && count > 65 {
				count = long / elem
			}
			for root := range n {
				c := trial{kind: k, size: n, n: count, elem: elem, root: root, packed: root%2 == 0, reducer: r, seed: uint64(count + root)}
				if root > 0 && !rooted(k) || count > 65 && root != n/2 && rooted(k) {
					continue
				}
				all = append(all, c)
				if k != collectives.Bcast && k != collectives.Barrier {
					c.inPlace = true
					all = append(all, c)
				}
			}
		}
	}
	return all
}

func rooted(k collectives.Kind) bool {
	switch k {
	case collectives.Bcast, collectives.Gather, collectives.Gatherv, collectives.Scatter, collectives.Scatterv, collectives.Reduce:
		return true
	}
	return false
}

// testRow forces one algorithm and tries all its calls, one after the other.
func testRow(t *testing.T, ts []collectives.Transport, k collectives.Kind, name string) {
	o := collectives.Options{Force: map[string]string{k.String(): name}}
	all := trials(k, len(ts))
	ok := each(t, ts, o, func(g *collectives.Group) error {
		for _, prepared := range []bool{false, true} {
			for _, c := range all {
				if err := c.try(g, prepared); err != nil {
					return fmt.Errorf("%s: prepared %t: %w", name, prepared, err)
				}
			}
		}
		return nil
	})
	if !ok {
		t.Fatalf("%v/%s failed", k, name)
	}
}

// testRules tries all calls with random rules: results must be right whatever the rules
// prefer.
func testRules(t *testing.T, ts []collectives.Transport) {
	rng := rand.New(rand.NewPCG(1, uint64(len(ts))))
	var o collectives.Options
	for _, k := range collectives.Kinds() {
		names := collectives.Algorithms(k)
		for range 4 {
			from := rng.IntN(100)
			o.Rules = append(o.Rules, collectives.Rule{Kind: k, Algorithm: names[rng.IntN(len(names))], MinBytes: from, MaxBytes: max(1, from+rng.IntN(300))})
		}
	}
	each(t, ts, o, func(g *collectives.Group) error {
		for _, k := range collectives.Kinds() {
			for i, c := range trials(k, g.Size()) {
				if err := c.try(g, i%2 == 1); err != nil {
					return fmt.Errorf("%v with %v: %w", k, o.Rules, err)
				}
			}
		}
		return nil
	})
}

// testHosts tries all calls of the algorithms that know hosts, with random hosts:
// consecutive ranks on a host, and others.
func testHosts(t *testing.T, ts []collectives.Transport) {
	rng := rand.New(rand.NewPCG(2, uint64(len(ts))))
	for round := range 4 {
		o := collectives.Options{Hosts: make([]int, len(ts)), Force: map[string]string{}, Oversubscribed: round%3 == 2}
		for i := range o.Hosts {
			o.Hosts[i] = rng.IntN(1 + round)
		}
		if round%2 == 0 {
			slices.Sort(o.Hosts)
		}
		var kinds []collectives.Kind
		for _, k := range collectives.Kinds() {
			if slices.Contains(collectives.Algorithms(k), "hosts") {
				kinds, o.Force[k.String()] = append(kinds, k), "hosts"
			}
		}
		each(t, ts, o, func(g *collectives.Group) error {
			for _, k := range kinds {
				for i, c := range trials(k, g.Size()) {
					if err := c.try(g, i%2 == 1); err != nil {
						return fmt.Errorf("%v on hosts %v: %w", k, o.Hosts, err)
					}
				}
			}
			return nil
		})
	}
}

// try makes the trial's call as one rank.
func (c trial) try(g *collectives.Group, prepared bool) error {
	call, check := c.prepare(g.Rank())
	if !prepared {
		if err := run(g, &call); err != nil {
			return fmt.Errorf("%v: %w", c, err)
		}
		return check()
	}
	call.Once = true
	op, err := g.Prepare(call)
	if err == nil {
		err = op.Start()
	}
	if err == nil {
		err = op.Wait()
	}
	if err != nil {
		return fmt.Errorf("%v: %w", c, err)
	}
	return check()
}

// pairs places two ranks on each host.
func pairs(n int) []int {
	hosts := make([]int, n)
	for i := range hosts {
		hosts[i] = i / 2
	}
	return hosts
}

// testBarriers checks for every algorithm that no rank leaves a barrier
// before all have come.
func testBarriers(t *testing.T, ts []collectives.Transport) {
	for _, name := range collectives.Algorithms(collectives.Barrier) {
		var arrived atomic.Int64
		o := collectives.Options{Force: map[string]string{"barrier": name}, Hosts: pairs(len(ts))}
		each(t, ts, o, func(g *collectives.Group) error {
			for i := range int64(5) {
				arrived.Add(1)
				if err := g.Barrier(); err != nil {
					return err
				}
				if n, need := arrived.Load(), (i+1)*int64(len(ts)); n < need {
					return fmt.Errorf("barrier/%s: rank %d left when %d of %d had come", name, g.Rank(), n, need)
				}
			}
			return nil
		})
	}
}

// testSameBits checks that all ranks get the same bits of a sum that depends on the
// order, and get them again in a second call.
func testSameBits(t *testing.T, ts []collectives.Transport) {
	for _, name := range collectives.Algorithms(collectives.Allreduce) {
		for _, n := range []int{1, 5, 700} {
			var mu sync.Mutex
			var first []byte
			o := collectives.Options{Force: map[string]string{"allreduce": name}, Hosts: pairs(len(ts))}
			c := trial{kind: collectives.Allreduce, size: len(ts), n: n, elem: 8, reducer: floatSum{}, seed: uint64(n)}
			each(t, ts, o, func(g *collectives.Group) error {
				for range 2 {
					call, _ := c.prepare(g.Rank())
					if err := run(g, &call); err != nil {
						return err
					}
					mu.Lock()
					if first == nil {
						first = call.Recv
					}
					same := bytes.Equal(first, call.Recv)
					mu.Unlock()
					if !same {
						return fmt.Errorf("allreduce/%s of %d: rank %d has other bits", name, n, g.Rank())
					}
				}
				return nil
			})
		}
	}
}

// testOverlap starts many operations, completes them in a different order on each rank,
// with blocking calls between, and starts them once more.
func testOverlap(t *testing.T, ts []collectives.Transport) {
	each(t, ts, collectives.Options{}, func(g *collectives.Group) error {
		var ops []*collectives.Op
		var checks []func() error
		for i := range 12 {
			kind := []collectives.Kind{collectives.Allreduce, collectives.Alltoall, collectives.Barrier, collectives.Bcast}[i%4]
			c := trial{kind: kind, size: len(ts), n: 40 * i, elem: 1, reducer: bytesSum{}, root: i % len(ts), seed: uint64(i)}
			call, check := c.prepare(g.Rank())
			op, err := g.Prepare(call)
			if err != nil {
				return err
			}
			ops, checks = append(ops, op), append(checks, check)
		}
		for range 2 {
			for _, op := range ops {
				if err := op.Start(); err != nil {
					return err
				}
			}
			if g.Rank()%2 == 0 {
				if err := g.Barrier(); err != nil {
					return err
				}
			}
			for i := range ops {
				j := (i*5 + g.Rank()) % len(ops)
				if err := ops[j].Wait(); err != nil {
					return err
				}
				if err := checks[j](); err != nil {
					return err
				}
			}
			if g.Rank()%2 == 1 {
				if err := g.Barrier(); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
