package vtime

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "rhinet/internal/rapidseed"
)

// actorFunc makes an actor of a function.
type actorFunc func(op int, arg uint64)

func (f actorFunc) Act(op int, arg uint64) { f(op, arg) }

func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		if got := recover(); got != want {
			t.Errorf("panic %v; want %q", got, want)
		}
	}()
	f()
}

// TestQueueAgainstSortedSlice: the queue returns entries in the order of a sorted slice, for any
// pushes and pops.
func TestQueueAgainstSortedSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var sorted []entry
		number := uint64(0)
		grows, pops := rapid.IntRange(0, 80).Draw(t, "pushed first"), rapid.IntRange(1, 3).Draw(t, "of four are pops")
		for i := range grows + rapid.IntRange(1, 300).Draw(t, "operations") {
			if len(sorted) > 0 && i >= grows && rapid.IntRange(0, 3).Draw(t, "pop") < pops {
				if got := q.pop(); got != sorted[0] {
					t.Fatalf("pop %v; want %v", got, sorted[0])
				}
				sorted = sorted[1:]
				continue
			}
			e := entry{Time(rapid.IntRange(0, 20).Draw(t, "at")), uint64(rapid.IntRange(1, 3).Draw(t, "rank"))<<numberBits | number, uint32(number)}
			number++
			q.push(e)
			sorted = append(sorted, e)
			slices.SortFunc(sorted, func(a, b entry) int {
				return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.key>>numberBits, b.key>>numberBits), cmp.Compare(a.slot, b.slot))
			})
		}
		for _, want := range sorted {
			if got := q.pop(); got != want {
				t.Fatalf("pop %v; want %v", got, want)
			}
		}
	})
}

// TestOrderOfEvents: of events at one time, that of the source with the lower rank comes first, and
// those of one source come in the order in which they were scheduled; cancelled ones do not come.
func TestOrderOfEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type event struct {
			at     Time
			source int
			number uint64
		}
		var k Kernel
		sources := []Source{k.Source("a"), k.Source("b"), k.Source("c")}
		var want, got []event
		var all []event
		note := actorFunc(func(op int, arg uint64) {
			got = append(got, all[arg])
			if k.Now() != all[arg].at || op != all[arg].source {
				t.Fatalf("at %v, op %d: %v", k.Now(), op, all[arg])
			}
		})
		for i := range rapid.IntRange(0, 60).Draw(t, "events") {
			e := event{Time(rapid.IntRange(0, 9).Draw(t, "at")), rapid.IntRange(0, 2).Draw(t, "source"), uint64(i)}
			all = append(all, e)
			id := sources[e.source].At(e.at, note, e.source, e.number)
			if rapid.IntRange(0, 4).Draw(t, "cancel") > 0 {
				want = append(want, e)
				continue
			}
			if !k.Cancel(id) || k.Cancel(id) {
				t.Fatal("an event can be cancelled once")
			}
		}
		if k.Pending() != len(want) {
			t.Fatalf("%d pending; want %d", k.Pending(), len(want))
		}
		slices.SortFunc(want, func(a, b event) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.source, b.source), cmp.Compare(a.number, b.number))
		})
		if err := k.Run(1000); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) || k.Pending() != 0 {
			t.Fatalf("events %v; want %v; %d pending", got, want, k.Pending())
		}
	})
}

func TestKernelRuns(t *testing.T) {
	var k Kernel
	s := k.Source("clock")
	ticks := 0
	var tick actorFunc
	tick = func(int, uint64) {
		ticks++
		s.After(10, tick, 0, 0)
	}
	first := s.At(10, tick, 0, 0)
	k.RunUntil(35)
	if ticks != 3 || k.Now() != 35 || k.Next() != 40 || k.Done() != 3 || k.Pending() != 1 {
		t.Errorf("%d ticks until %v, next at %v, %d events, %d to come", ticks, k.Now(), k.Next(), k.Done(), k.Pending())
	}
	if k.Cancel(first) || k.Cancel(Event{}) {
		t.Error("an event that has happened was cancelled")
	}
	if err := k.Run(5); err == nil || err.Error() != "vtime: 8 events after 5 more, at 0.080 ns, and still 1 to come" {
		t.Errorf("a model that never rests: %v", err)
	}
	mustPanic(t, intoThePast, func() { s.At(79, tick, 0, 0) })
	mustPanic(t, nobody, func() { s.At(80, nil, 0, 0) })
	if s.Name() != "clock" || s.Kernel() != &k || s.Now() != 80 {
		t.Error("the source lost its name, kernel or time")
	}
}

// TestEmptyTime: time without events costs nothing: a year is one step.
func TestEmptyTime(t *testing.T) {
	var k Kernel
	hits := 0
	k.Source("s").At(100*24*3600*Second, actorFunc(func(int, uint64) { hits++ }), 0, 0)
	k.RunUntil(101 * 24 * 3600 * Second)
	if hits != 1 || k.Done() != 1 || k.Step() || k.Next() != Never {
		t.Errorf("%d hits, %d events", hits, k.Done())
	}
	k.sources = make([]string, mostSources-1)
	mustPanic(t, tooManySources, func() { k.Source("one more") })
}

// A world is a model that uses everything of this package: modules that draw work at random, a
// queue between them, and a bus that they share.
type world struct {
	k     Kernel
	r     *rand.Rand
	bus   *Resource
	fifo  *FIFO[uint64]
	parts []*part
	made  uint64
	eaten uint64
}

type part struct {
	*Module
	w    *world
	line int
	item uint64
}

const (
	resting = iota
	thinking
	moving
)

var partStates = []State{resting: {"REST", 0}, thinking: {"THINK", 1}, moving: {"MOVE", 2}}

// Operations of a part.
const (
	opStart = iota
	opThought
	opMoved
)

func newWorld(t testing.TB, seed uint64, parts int, policy Policy) *world {
	w := &world{r: rand.New(rand.NewPCG(seed, 1))}
	w.fifo = NewFIFO[uint64](&w.k, "queue", 4)
	w.bus = NewBus(&w.k, "bus", parts, policy, 100)
	for i := range parts {
		p := &part{Module: NewModule(&w.k, "part"+string(rune('a'+i)), partStates, clockOf(t, 66e6, 1), Costs{{}, {2, 1}, {1, 0}}), w: w, line: i}
		w.parts = append(w.parts, p)
		p.After(0, p, opStart, 0)
	}
	return w
}

// Act: even parts make entries, odd parts take them, and all use the bus.
func (p *part) Act(op int, _ uint64) {
	switch op {
	case opStart:
		if p.line%2 == 1 {
			v, ok := p.w.fifo.Get()
			if !ok {
				p.Enter(resting)
				p.w.fifo.WhenEntry(p, opStart, 0)
				return
			}
			p.item = v
			p.w.eaten++
		}
		p.Work(thinking, p.w.r.IntN(8), p, opThought, 0)
	case opThought:
		p.Enter(moving)
		p.Mark("moves", p.item)
		p.w.bus.Use(Request{Actor: p, Op: opMoved, Line: p.line, Priority: p.line, Direction: p.line % 2}, Time(p.w.r.IntN(50_000)))
	case opMoved:
		if p.line%2 == 0 {
			if !p.w.fifo.Put(p.w.made) {
				p.Enter(resting)
				p.w.fifo.WhenRoom(p, opMoved, 0)
				return
			}
			p.w.made++
		}
		p.After(0, p, opStart, 0)
	}
}

func traceOf(t *testing.T, seed uint64) []byte {
	w := newWorld(t, seed, 6, RoundRobin)
	var out bytes.Buffer
	text := NewTextTracer(&out)
	w.k.Observe(text)
	w.k.RunUntil(50 * Microsecond)
	if err := text.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestDeterminism: two runs give the same trace, on any number of processors.
func TestDeterminism(t *testing.T) {
	first := traceOf(t, 7)
	if bytes.Count(first, []byte("\n")) < 1000 || bytes.Equal(first, traceOf(t, 8)) {
		t.Fatalf("a trace of %d bytes that does not depend on the seed", len(first))
	}
	for _, n := range []int{1, 2} {
		before := runtime.GOMAXPROCS(n)
		again := traceOf(t, 7)
		runtime.GOMAXPROCS(before)
		if !bytes.Equal(first, again) {
			t.Errorf("another trace with GOMAXPROCS=%d", n)
		}
	}
	if !bytes.Contains(first, []byte("ns parta REST -> THINK\n")) || !bytes.Contains(first, []byte(" bus = 1\n")) || !bytes.Contains(first, []byte(" parta moves 0\n")) {
		t.Errorf("trace begins %.300s", first)
	}
}

// TestNoAllocations: nothing allocates once queues have grown.
func TestNoAllocations(t *testing.T) {
	w := newWorld(t, 1, 8, Priority)
	w.k.RunUntil(100 * Microsecond)
	until := w.k.Now()
	before := w.k.Done()
	n := testing.AllocsPerRun(100, func() {
		until += Microsecond
		w.k.RunUntil(until)
	})
	if n != 0 || w.k.Done()-before < 1000 {
		t.Errorf("%v allocations in %d events", n, w.k.Done()-before)
	}
}

// BenchmarkHold has each event schedule the next one at a random distance, with 1,000 pending: the
// usual load of an event queue.
func BenchmarkHold(b *testing.B) {
	var k Kernel
	s := k.Source("s")
	r := rand.New(rand.NewPCG(1, 2))
	var again actorFunc
	again = func(int, uint64) { s.After(Time(r.IntN(1_000_000)), again, 0, 0) }
	for range 1000 {
		again(0, 0)
	}
	b.ReportAllocs()
	for b.Loop() {
		k.Step()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkWorld runs modules, a queue and a bus.
func BenchmarkWorld(b *testing.B) {
	w := newWorld(b, 1, 8, RoundRobin)
	b.ReportAllocs()
	for b.Loop() {
		w.k.Step()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
