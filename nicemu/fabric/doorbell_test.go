package fabric

import (
	"sync/atomic"
	"testing"
	"time"
)

const long = 10 * time.Second

func took(t *testing.T, want string, atLeast, atMost time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if d := time.Since(start); d < atLeast || d > atMost {
		t.Errorf("%s took %v, want %v to %v", want, d, atLeast, atMost)
	}
}

func TestDoorbell(t *testing.T) {
	d := heap(t, 1).Bell(0)
	d.Ring() // nobody sleeps
	d.Arm()
	if !d.Asleep() {
		t.Fatal("armed but not asleep")
	}
	took(t, "a sleep that nobody ends", 20*time.Millisecond, time.Second, func() { d.Sleep(20 * time.Millisecond) })
	d.Ring()
	d.Ring()
	took(t, "a sleep after the bell", 0, time.Second, func() { d.Sleep(long) })
	d.Disarm()
	if d.Asleep() {
		t.Fatal("disarmed but asleep")
	}
	took(t, "no sleep", 0, time.Second, func() { d.Sleep(0) })

	d.Arm()
	d.Ring() // the token stays: the sleeper found work before it slept
	d.Disarm()
	d.Arm()
	took(t, "a sleep after an old bell", 20*time.Millisecond, time.Second, func() { d.Sleep(20 * time.Millisecond) })

	if n := testing.AllocsPerRun(20, func() { d.Arm(); d.Ring(); d.Sleep(long); d.Disarm() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// bounce passes a number back and forth, and sleeps between any two, and so finds a lost wake-up.
// If fenced, no sleep is short because a ring has ended the one before.
func bounce(f *Fabric, self, rounds int, fenced bool) bool {
	word := func(rank int) *uint64 { return &f.Words(rank, Control)[0] }
	bell := f.Bell(self)
	for i := uint64(1); i <= uint64(rounds); i++ {
		if self == 0 {
			atomic.StoreUint64(word(1), i)
			f.Bell(1).Ring()
		}
		for start := time.Now(); atomic.LoadUint64(word(self)) < i; {
			bell.rung = bell.rung && !fenced
			bell.Arm()
			if atomic.LoadUint64(word(self)) < i {
				bell.Sleep(long)
			}
			bell.Disarm()
			if time.Since(start) > long/2 {
				return false
			}
		}
		if self == 1 {
			atomic.StoreUint64(word(0), i)
			f.Bell(0).Ring()
		}
	}
	return true
}

func TestNoWakeUpIsLostBetweenGoroutines(t *testing.T) {
	f := heap(t, 2)
	other := make(chan bool)
	go func() { other <- bounce(f, 1, 2000, false) }()
	if !bounce(f, 0, 2000, false) || !<-other {
		t.Fatal("a rank slept through its bell")
	}
}

// TestRingersFenceUntilAllAreReached: ringers fence if Arm's fence misses one rank; between
// goroutines they always do.
func TestRingersFenceUntilAllAreReached(t *testing.T) {
	f := heap(t, 3)
	for _, apart := range []bool{false, true} {
		d := new(Doorbell)
		d.open(f, 0, f.napsAtFirst())
		if apart {
			d.ready = nil // as between processes
		}
		for n := range uint64(4) {
			atomic.StoreUint64(d.fenced, n)
			if d.Ring(); d.reached != (apart && n == 3) {
				t.Errorf("with %d of 3 ranks reached, processes %v: fences no more: %v", n, apart, d.reached)
			}
		}
	}
}
