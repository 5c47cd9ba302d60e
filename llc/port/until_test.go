package port

import (
	"sync"
	"sync/atomic"
	"testing"

	"rhinet/llc"
)

// TestUntil: waits for a request or a message that also wait for a condition sleep, several at once, and end when a
// wake lets them look at it, when what they wait for has come, and with the port.
func TestUntil(t *testing.T) {
	const each = 3
	for name, end := range map[string]func(ps []*Port, over *atomic.Bool){
		"condition": func(ps []*Port, over *atomic.Bool) { over.Store(true); ps[0].Wake(0) },
		"arrival": func(ps []*Port, _ *atomic.Bool) {
			for tag := range each {
				send(t, ps[1], 0, 0, tag, payload(1, 8))
				send(t, ps[1], 1, 0, tag, payload(1, 8))
			}
		},
		"close": func(ps []*Port, _ *atomic.Bool) { ps[0].Close() },
	} {
		t.Run(name, func(t *testing.T) {
			_, ps := openSleeper(t)
			var over atomic.Bool
			var all sync.WaitGroup
			rs := make([]*llc.Request, each)
			for tag := range each {
				rs[tag] = &llc.Request{Peer: 1, Tag: tag, Buf: make([]byte, 8)}
				ps[0].Start(rs[tag], false)
				if i := ps[0].WaitAny("WaitAny", rs[tag:tag+1], func() bool { return true }); i != -1 {
					t.Errorf("WaitAny until a condition that holds: %d", i)
				}
				if _, ok := ps[0].ProbeUntil("Probe", 1, 1, tag, func() bool { return true }); ok {
					t.Error("ProbeUntil a condition that holds found something")
				}
				all.Go(func() {
					want := map[string]int{"condition": -1, "arrival": 0, "close": 0}[name]
					if i := ps[0].WaitAny("WaitAny", rs[tag:tag+1], over.Load); i != want {
						t.Errorf("WaitAny: %d, want %d", i, want)
					}
				})
				all.Go(func() {
					if st, ok := ps[0].ProbeUntil("Probe", 1, 1, tag, over.Load); ok != (name == "arrival") || ok && st.Tag != tag {
						t.Errorf("ProbeUntil: %+v, %t", st, ok)
					}
				})
			}
			eventually(t, "all wait", func() bool { return parked(ps[0]) == 2*each })
			inTime(t, name, func() { end(ps, &over); all.Wait() })
			if name != "close" && ps[0].waiters.conds != 0 {
				t.Errorf("%d conditions are left", ps[0].waiters.conds)
			}
			if name == "condition" {
				for _, r := range rs {
					ps[0].Cancel(r)
				}
			}
		})
	}
}
