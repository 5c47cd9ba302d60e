package fabric

import (
	"testing"
	"time"
)

// TestRungBeforeTheSleep: a ring between Arm and Sleep ends the sleep, also in a job of processes.
func TestRungBeforeTheSleep(t *testing.T) {
	_, f := create(t, 2)
	d := f.Bell(0)
	for range 3 {
		d.Arm()
		d.Ring()
		took(t, "a sleep after the bell", 0, long/2, func() { d.Sleep(long) })
		d.Disarm()
	}
}

// TestDisarmedIsAwake: a rank that found work after Arm is not rung.
func TestDisarmedIsAwake(t *testing.T) {
	_, shared := crowded(t, 1)
	for name, f := range map[string]*Fabric{"processes": shared, "goroutines": heap(t, 1)} {
		d := f.Bell(0)
		if d.Arm(); !d.Asleep() {
			t.Errorf("%s: armed, but not asleep", name)
		}
		if d.Disarm(); d.Asleep() {
			t.Errorf("%s: disarmed, but asleep", name)
		}
		d.Ring()
		d.Arm()
		took(t, "a sleep that nobody ends", 20*time.Millisecond, long, func() { d.Sleep(20 * time.Millisecond) })
		d.Disarm()
	}
}
