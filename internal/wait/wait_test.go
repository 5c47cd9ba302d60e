package wait

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"
)

// bell is a doorbell within the process.
type bell struct {
	armed  atomic.Bool
	begun  chan struct{} // has one token after the first sleep has begun
	ring   chan struct{}
	sleeps atomic.Int32
}

func newBell() *bell { return &bell{ring: make(chan struct{}, 1), begun: make(chan struct{}, 1)} }

func (b *bell) Arm()    { b.armed.Store(true) }
func (b *bell) Disarm() { b.armed.Store(false) }
func (b *bell) Sleep(d time.Duration) {
	b.sleeps.Add(1)
	select {
	case b.begun <- struct{}{}:
	default:
	}
	select {
	case <-b.ring:
	case <-time.After(d):
	}
}

// wake rings b if its owner sleeps or is about to sleep.
func (b *bell) wake() {
	if b.armed.Load() {
		select {
		case b.ring <- struct{}{}:
		default:
		}
	}
}

// until waits for done and returns the number of polls.
func until(p *Policy, b *bell, done func() bool) (polls int) {
	w := p.Begin()
	for polls = 1; !done(); polls++ {
		if w.Pause() {
			w.Rest(b, done)
		}
	}
	return polls
}

func TestPhases(t *testing.T) {
	p := Policy{Eager: 3, Spin: 2 * time.Millisecond, Yield: 2 * time.Millisecond}
	for _, local := range []bool{false, true} {
		p.Local = local
		b := p.Begin()
		start := time.Now()
		polls := 0
		for !b.Pause() {
			polls++
		}
		// A long yield, as when another process computes, ends a wait earlier: see TestContention.
		if took := time.Since(start); took < p.Spin || took < p.Spin+p.Yield && !p.contention.high() || polls <= p.Eager+clockPolls {
			t.Errorf("local %v: sleeps after %v and %d polls", local, took, polls)
		}
		if !b.Pause() {
			t.Error("polls again without having found anything")
		}
		b.Reset()
		if b.Pause() {
			t.Error("sleeps right after having found something")
		}
	}
	var none Policy
	if b := none.Begin(); !b.Pause() {
		t.Error("the zero policy does not sleep at once")
	} else if b.Nap() != napTime {
		t.Error("nap of", b.Nap())
	}
}

func TestSleeperUsesNoProcessorAndWakes(t *testing.T) {
	for _, p := range []Policy{For(1, 2, false), For(16, 2, false), For(16, 2, true)} {
		p.Nap = time.Minute
		b := newBell()
		var flag atomic.Bool
		rung := make(chan time.Time, 1)
		before := processorTime()
		go func() { // measured from when it sleeps, however long it takes to get there
			<-b.begun
			time.Sleep(200 * time.Millisecond)
			rung <- time.Now()
			flag.Store(true)
			b.wake()
		}()
		until(&p, b, flag.Load)
		if took := time.Since(<-rung); took > 5*time.Second {
			t.Fatalf("%+v: woke %v after the bell", p, took)
		}
		if used := processorTime() - before; used > 50*time.Millisecond {
			t.Errorf("%+v: a sleep of 200 ms used the processor for %v", p, used)
		}
		if b.sleeps.Load() != 1 {
			t.Errorf("%+v: slept %d times", p, b.sleeps.Load())
		}
	}
}

// TestManyRanksNapLonger: the cost of naps for a processor does not grow with its ranks.
func TestManyRanksNapLonger(t *testing.T) {
	for _, c := range []struct {
		ranks, cpus int
		nap         time.Duration
	}{{1, 2, napTime}, {16, 2, napTime}, {64, 2, napTime}, {128, 2, 2 * napTime}, {1024, 2, 16 * napTime}, {1024, 1, longestNap}, {1024, 1024, napTime}} {
		p := For(c.ranks, c.cpus, false)
		if b := p.Begin(); b.Nap() != c.nap {
			t.Errorf("%d ranks on %d processors: nap of %v, want %v", c.ranks, c.cpus, b.Nap(), c.nap)
		}
	}
	p := For(1024, 2, true)
	if b := p.Begin(); b.Nap() != napTime {
		t.Errorf("goroutines nap for %v", b.Nap())
	}
}

func TestRestDoesNotMissWhatCameBeforeTheBellWasArmed(t *testing.T) {
	p := Policy{Nap: time.Minute}
	b := newBell()
	w := p.Begin()
	w.Rest(b, func() bool {
		if !b.armed.Load() {
			t.Error("the last look comes before the bell is armed")
		}
		return true
	})
	if b.sleeps.Load() != 0 || b.armed.Load() {
		t.Errorf("slept %d times, armed %v", b.sleeps.Load(), b.armed.Load())
	}
}

func TestNapIsBounded(t *testing.T) {
	p := Policy{Nap: time.Millisecond}
	start := time.Now()
	w := p.Begin()
	w.Rest(newBell(), func() bool { return false })
	if took := time.Since(start); took < time.Millisecond || took > 5*time.Second {
		t.Fatalf("slept for %v", took)
	}
}

// TestOtherGoroutinesRun keeps the only processor busy with a wait for another
// goroutine.
func TestOtherGoroutinesRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, c := range []struct {
		p     Policy
		polls int
	}{
		{Policy{Spin: time.Minute}, goschedPolls},
		{Policy{Yield: time.Minute}, clockYields},
		{Policy{Yield: time.Minute, Local: true}, 1},
	} {
		var flag atomic.Bool
		go flag.Store(true)
		const turns = 4 // the scheduler may run others first
		if n := until(&c.p, newBell(), flag.Load); n > turns*c.polls+1 {
			t.Errorf("%+v: the other goroutine ran after %d polls", c.p, n)
		}
	}
}

func TestFor(t *testing.T) {
	if p := For(2, 2, false); p.Spin != spinTime || p.Local {
		t.Errorf("ranks fit: %+v", p)
	}
	if p := For(3, 2, false); p.Spin != 0 || p.Yield == 0 || p.Eager >= eagerPolls {
		t.Errorf("ranks do not fit: %+v", p)
	}
	if p := For(1000, 10000, true); p.Spin != 0 || !p.Local {
		t.Errorf("more goroutines than processors of this process: %+v", p)
	}
}

func TestGiveWayLetsOtherGoroutinesRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, p := range []Policy{{}, {Local: true}} {
		var ran atomic.Bool
		go ran.Store(true)
		for i := 0; !ran.Load(); i++ {
			if i > 10000 {
				t.Fatalf("%+v: the other goroutine does not run", p)
			}
			p.GiveWay()
		}
	}
}

func TestNoAllocations(t *testing.T) {
	p := For(1, 1, false)
	if n := testing.AllocsPerRun(10, func() {
		b := p.Begin()
		for i := 0; i < 1000; i++ {
			b.Pause()
		}
	}); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func TestUsable(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	for name, c := range map[string]struct {
		root fstest.MapFS
		want int
	}{
		"no groups": {fstest.MapFS{}, 8},
		"version 2": {fstest.MapFS{
			"proc/self/cgroup":            file("0::/a/b\n"),
			"sys/fs/cgroup/a/cpu.max":     file("250000 100000\n"),
			"sys/fs/cgroup/a/b/cpu.max":   file("max 100000\n"),
			"sys/fs/cgroup/other/cpu.max": file("100000 100000\n"),
		}, 2},
		"version 2 below one": {fstest.MapFS{
			"proc/self/cgroup":      file("0::/host/path\n"),
			"sys/fs/cgroup/cpu.max": file("5000 100000\n"),
		}, 1},
		"version 1": {fstest.MapFS{
			"proc/self/cgroup":                      file("5:cpuacct,cpu:/x\n3:memory:/y\nbroken\n"),
			"sys/fs/cgroup/cpu/x/cpu.cfs_quota_us":  file("300000\n"),
			"sys/fs/cgroup/cpu/x/cpu.cfs_period_us": file("100000\n"),
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us":    file("-1\n"),
			"sys/fs/cgroup/cpu/cpu.cfs_period_us":   file("100000\n"),
		}, 3},
		"version 1 without period": {fstest.MapFS{
			"proc/self/cgroup":                   file("1:cpu:/\n"),
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us": file("100000\n"),
		}, 8},
		"nonsense": {fstest.MapFS{
			"proc/self/cgroup":      file("0::/\n"),
			"sys/fs/cgroup/cpu.max": file("many\n"),
		}, 8},
	} {
		if got := usable(8, c.root); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if UsableCPUs() < 1 {
		t.Error("no processor")
	}
}
