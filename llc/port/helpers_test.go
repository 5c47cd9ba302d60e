package port

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/contract"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// patience is how long tests wait for what must come, on a machine that may do much else, with the race
// detector.
const patience = time.Minute

// oversubscribed is the policy of most tests: two processors are shared by many.
func oversubscribed() wait.Policy {
	p := wait.For(1<<20, 1, true)
	p.Yield = 200 * time.Microsecond // so that tests sleep, too
	return p
}

// open returns the ports of a loopback network; the test closes those that
// were not closed, and fails if a goroutine is left.
func open(t testing.TB, peers int) []*Port {
	return openWith(t, peers, nictest.DefaultCaps(), nictest.Hooks{})
}

func openWith(t testing.TB, peers int, caps ir.Caps, hooks nictest.Hooks) []*Port {
	return openNICs(t, nictest.LoopbackWith(peers, caps, hooks))
}

func openNICs(t testing.TB, nics []ir.Translator) []*Port {
	return openLimited(t, nics, func(int) Limits { return Limits{} })
}

func openLimited(t testing.TB, nics []ir.Translator, limits func(peer int) Limits) []*Port {
	return openPolicy(t, nics, oversubscribed(), limits)
}

func openPolicy(t testing.TB, nics []ir.Translator, policy wait.Policy, limits func(peer int) Limits) []*Port {
	before := goroutines()
	nics = contract.WatchAll(nics, func(err error) { t.Error(err) })
	ps := make([]*Port, len(nics))
	for i, nic := range nics {
		ps[i] = New(Config{NIC: nic, Policy: policy, Limits: limits(i), Trouble: func(err error) { t.Errorf("port %d: %v", i, err) }})
	}
	t.Cleanup(func() {
		var wg sync.WaitGroup
		for _, p := range ps {
			wg.Go(func() { p.Close() })
		}
		wg.Wait()
		for start := time.Now(); goroutines() > before; time.Sleep(time.Millisecond) {
			if time.Since(start) > patience {
				buf := make([]byte, 1<<16)
				t.Fatalf("%d goroutines, %d before\n%s", goroutines(), before, buf[:runtime.Stack(buf, true)])
			}
		}
	})
	return ps
}

// goroutines counts the goroutines of this package.
func goroutines() int {
	buf := make([]byte, 1<<20)
	return strings.Count(string(buf[:runtime.Stack(buf, true)]), "created by rhinet/llc/port")
}

// inTime runs f and fails if it does not return.
func inTime(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(patience):
		buf := make([]byte, 1<<16)
		t.Fatalf("%s: no end\n%s", what, buf[:runtime.Stack(buf, true)])
	}
}

// both runs one function per port at the same time, within patience.
func both[P any](t testing.TB, ps []P, f func(p P, self int)) {
	t.Helper()
	inTime(t, "ranks", func() {
		var wg sync.WaitGroup
		for i, p := range ps {
			wg.Go(func() { f(p, i) })
		}
		wg.Wait()
	})
}

// payload returns n bytes that differ between messages.
func payload(i, n int) []byte {
	b := make([]byte, n)
	for j := range b {
		b[j] = byte(i*57 + j*11 + j>>9)
	}
	return b
}

// eventually fails unless cond comes to hold.
func eventually(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for start := time.Now(); !cond(); time.Sleep(100 * time.Microsecond) {
		if time.Since(start) > patience {
			t.Fatal("never: ", what)
		}
	}
}

// napping reports whether a goroutine sleeps on the doorbell of p.
func napping(p *Port) bool {
	p.gate.enter()
	defer p.gate.leave()
	return p.is(asleep)
}

// parked returns how many goroutines wait without polling.
func parked(p *Port) int {
	p.gate.enter()
	defer p.gate.leave()
	n := 0
	for w := p.waiters.first; w != nil; w = w.next {
		n++
	}
	return n
}

// A sender is a port, and so is a receiver, whether its calls are counted or not.
type (
	sender interface {
		Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error
	}
	receiver interface {
		Recv(key llc.Key, src, tag int, buf []byte) (llc.Status, error)
	}
)

func recv(t testing.TB, p receiver, ctx uint16, src, tag int, want []byte) {
	t.Helper()
	buf := make([]byte, len(want))
	st, err := p.Recv(llc.MakeKey(ctx, 0), src, tag, buf)
	if err != nil || st.Bytes != int64(len(want)) || string(buf) != string(want) {
		t.Errorf("Recv(%d, %d): %+v, %v, contents right: %v", src, tag, st, err, string(buf) == string(want))
	}
}

func send(t testing.TB, p sender, ctx uint16, dst, tag int, buf []byte) {
	t.Helper()
	if err := p.Send(llc.MakeKey(ctx, 0), dst, tag, llc.Standard, buf); err != nil {
		t.Errorf("Send(%d, %d): %v", dst, tag, err)
	}
}

// withoutHelper waits until the helper of p has nothing to do, and keeps it from coming back: p takes it for
// active.
func withoutHelper(t *testing.T, p *Port) {
	t.Helper()
	eventually(t, "the helper has left", func() bool {
		p.gate.enter()
		defer p.gate.leave()
		left := p.helper.away
		p.helper.away = false
		return left
	})
}

// withHelper ends what withoutHelper has begun.
func withHelper(p *Port) {
	p.gate.enter()
	defer p.gate.leave()
	p.helper.away = true
	p.helper.consider(p)
}

// An arrival is a message of n bytes for a receive with room: of another type than the receive's by the bits typ,
// so that the receive fails in that way.
type arrival struct {
	name    string
	n, room int
	typ     uint32
	fails   error
}

// arrives has take receive at a port what give sends, which begins later or, if not late, before. alone says that
// give returns without a receive.
func (a *arrival) arrives(t *testing.T, at *Port, late, alone bool, take, give func()) {
	t.Helper()
	at.gate.enter()
	at.shun = 0 // as if no message had taken the slow path
	at.gate.leave()
	var wg sync.WaitGroup
	if late {
		wg.Go(take)
		eventually(t, "a receive", func() bool { return polled(at) || napping(at) })
		wg.Go(give)
	} else {
		wg.Go(give)
		if alone {
			inTime(t, a.name, wg.Wait)
		}
		wg.Go(take)
	}
	inTime(t, a.name, wg.Wait)
}
