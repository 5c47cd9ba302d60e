package observe

import "testing"

// The rest of a call that has been counted adds its wait, but no call, and what is part of another call adds nothing.
// Neither keeps waits measured that no call needs.
func TestCallsThatContinue(t *testing.T) {
	for _, traced := range []bool{false, true} {
		reader, r, now := still(t, 2, traced)
		sampling := r.Meter.sampling.Load()
		sleep := func(d int64) {
			since := r.Meter.Sleep()
			*now += d
			r.Meter.Woke(since)
		}
		m := r.Begin()
		sleep(1000)
		r.End(m, WaitAll, &Transfer{Peer: -1})
		for range 3 {
			m = r.Begin()
			sleep(2000)
			r.Continued(m, "WaitAll", 0)
			m = r.Begin()
			r.Drop(m)
		}
		c := call(t, reader, "WaitAll")
		if c.Count != 1 || c.Timed != 1 || c.Wait != 7e-6 || c.Seconds != 7e-6 {
			t.Errorf("traced %v: %+v", traced, c)
		}
		if n := r.Meter.sampling.Load(); n != sampling {
			t.Errorf("traced %v: %d calls are being timed, want %d", traced, n, sampling)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		r.Continued(r.Begin(), "WaitAll", 0) // counts nothing
		if c := call(t, reader, "WaitAll"); c.Wait != 7e-6 {
			t.Errorf("after the end: %+v", c)
		}
	}
}
