package syncctl

import (
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/nicemu/vtime"
)

// TestNCL checks section 10: an uncontended acquire is two packets, a release does not block, grants are
// in the order of requests, and no packets are sent while others wait.
func TestNCL(t *testing.T) {
	l := bare(t, Torus{3, 3})
	if err := l.Prepare(4, NCLAcquire, 1, 0); err != nil {
		t.Fatal(err)
	}
	acquire, release := Command{4, NCLAcquire, 1}, Command{4, NCLRelease, 1}
	l.command(0, acquire)
	l.run()
	if l.Packets() != 2 || len(l.resumed) != 1 {
		t.Fatalf("%d packets, %v", l.Packets(), l.resumed)
	}
	for i, n := range []int{8, 2, 4, 5} { // 4 is the home: it sends no packet
		l.at(l.k.Now()+vtime.Time(i+1)*50*us, n, acquire)
	}
	l.run()
	before := l.Packets()
	l.k.RunUntil(l.k.Now() + 1000*us)
	if l.Packets() != before || before != 5 || len(l.resumed) != 1 {
		t.Fatalf("%d packets, then %d, while four wait; %v", before, l.Packets(), l.resumed)
	}
	var order []int
	holding := 0
	l.then = func(e end) {
		if e.s != OK {
			t.Fatalf("%+v", e)
		}
		if e.c.Kind != NCLAcquire {
			return
		}
		if holding++; holding > 1 {
			t.Fatal("two hold the lock")
		}
		order = append(order, e.node)
		holding--
		l.command(e.node, release)
	}
	l.command(0, release)
	l.run()
	if !slices.Equal(order, []int{8, 2, 4, 5}) {
		t.Errorf("granted to %v", order)
	}
	if o := l.nodes[4].objects[name{NCLAcquire, 1}]; len(o.queue) != 0 {
		t.Errorf("left in the FIFO: %v", o.queue)
	}
}

// TestNCLAtRandom checks section 4: many processes at random; at most one holder, and every acquire is
// granted once, in order of arrival at the home.
func TestNCLAtRandom(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 7))
		l := bare(t, Torus{4, 4}, "rp.event=300")
		if err := l.Prepare(5, NCLAcquire, 3, 0); err != nil {
			t.Fatal(err)
		}
		left := make([]int, 16)
		holder, granted := -1, 0
		l.then = func(e end) {
			if e.c.Kind == NCLRelease {
				return
			}
			if holder >= 0 {
				t.Fatalf("seed %d: node %d has the lock, and so has %d", seed, e.node, holder)
			}
			holder = e.node
			granted++
			l.k.Source("p").After(vtime.Time(rng.IntN(20))*us, &leave{l, &holder, left, rng}, 0, 0)
		}
		for n := range left {
			left[n] = 4
			l.at(vtime.Time(rng.IntN(100))*us, n, Command{5, NCLAcquire, 3})
		}
		l.run()
		if granted != 16*5 {
			t.Fatalf("seed %d: %d grants of %d", seed, granted, 16*5)
		}
	}
}

type leave struct {
	l      *log
	holder *int
	left   []int
	rng    *rand.Rand
}

func (a *leave) Act(int, uint64) {
	n := *a.holder
	*a.holder = -1
	a.l.command(n, Command{5, NCLRelease, 3})
	if a.left[n]--; a.left[n] >= 0 {
		a.l.at(a.l.k.Now()+vtime.Time(a.rng.IntN(30))*us, n, Command{5, NCLAcquire, 3})
	}
}

func TestObjects(t *testing.T) {
	l := bare(t, Torus{2, 2}, "mutex.retry=5000", "rp.waiters=2")
	for _, k := range []Kind{NCLAcquire, ConditionWait, MutexLock} {
		if err := l.Prepare(0, k, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Prepare(0, SemaphoreP, 0, 1); err != nil {
		t.Fatal(err)
	}
	do := func(node int, k Kind) { l.command(node, Command{0, k, 0}); l.run() }
	ends := func() (list []string) {
		for _, e := range l.resumed {
			list = append(list, e.c.Kind.String()+" "+string(rune('0'+e.node))+" "+e.s.String())
		}
		l.resumed = nil
		return list
	}
	want := func(what string, list ...string) {
		t.Helper()
		if got := ends(); !slices.Equal(got, list) {
			t.Errorf("%s: %q, want %q", what, got, list)
		}
	}
	do(1, ConditionWait)
	do(2, ConditionWait)
	want("wait for a bit that is not set")
	do(3, ConditionWait)
	want("a third, where two may wait", "condition wait 3 too many wait")
	do(3, ConditionSet)
	want("set", "condition wait 1 ok", "condition wait 2 ok", "condition set 3 ok")
	do(1, ConditionWait)
	want("wait for a set bit", "condition wait 1 ok")
	do(1, ConditionClear)
	do(1, ConditionWait)
	want("wait for a cleared bit", "condition clear 1 ok")

	do(1, MutexTry)
	do(2, MutexTry)
	want("try", "mutex try 1 ok", "mutex try 2 refused")
	do(2, MutexUnlock)
	want("unlock by another", "mutex unlock 2 not the holder")
	l.command(3, Command{0, MutexLock, 0})
	l.k.RunUntil(l.k.Now() + 60*us)
	want("lock while another holds it")
	do(1, MutexUnlock)
	want("unlock; 3 asks again", "mutex unlock 1 ok", "mutex lock 3 ok")

	do(1, SemaphoreP)
	do(2, SemaphoreP)
	do(3, SemaphoreP)
	want("a semaphore of 1", "semaphore P 1 ok")
	do(1, SemaphoreV)
	want("V", "semaphore P 2 ok", "semaphore V 1 ok")
	do(2, SemaphoreV)
	do(3, SemaphoreV)
	do(1, SemaphoreP)
	want("V, V, P; the home is nearer to 2", "semaphore V 2 ok", "semaphore P 3 ok", "semaphore V 3 ok", "semaphore P 1 ok")

	do(1, NCLRelease)
	want("release by nobody", "NCL release 1 not the holder")
	l.command(2, Command{1, NCLAcquire, 0})
	l.run()
	want("no lock there", "NCL acquire 2 no such object")
}
