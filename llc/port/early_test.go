package port

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// An expecting aimer counts the calls of Expect, and knows nothing else.
type expecting struct {
	apart        atomic.Bool
	early, other atomic.Int64
}

func (e *expecting) Glance(int) bool { return false }

func (e *expecting) Expect(most int) bool {
	if most == earlyBytes {
		e.early.Add(1)
	} else {
		e.other.Add(1)
	}
	return e.apart.Load()
}

// TestWaitsFetchPayloads: a receive that waits fetches the payload that it waits for before every poll, if
// there is one in other lines, and asks but once if not. One whose message is there does not ask.
func TestWaitsFetchPayloads(t *testing.T) {
	nics := nictest.Loopback(2, nictest.DefaultCaps())
	aim := &expecting{}
	a := ir.AbilitiesOf(nics[0])
	a.Aimer = aim
	nics[0] = a.Give(nics[0])
	ps := openPolicy(t, nics, wait.Policy{Spin: time.Microsecond, Yield: time.Hour, Local: true}, func(int) Limits { return Limits{} })
	acquaint(t, ps)
	p := ps[0]
	receives := map[string]func(){
		"in the lane": func() { recv(t, p, 0, 1, 7, payload(7, 8)) },
		"for a request": func() {
			r := &llc.Request{Peer: 1, Tag: 7, Buf: make([]byte, 8)}
			p.Start(r, false)
			p.Wait(r)
		},
	}
	for name, receive := range receives {
		for _, apart := range []bool{false, true} {
			p.shun = 0
			aim.apart.Store(apart)
			aim.early.Store(0)
			var waiter sync.WaitGroup
			waiter.Go(receive)
			if apart {
				eventually(t, name+": fetches again and again", func() bool { return aim.early.Load() > 100 })
			} else {
				eventually(t, name+": asks", func() bool { return aim.early.Load() > 0 })
				time.Sleep(5 * time.Millisecond)
			}
			send(t, ps[1], 0, 0, 7, payload(7, 8))
			inTime(t, name, waiter.Wait)
			if n := aim.early.Load(); !apart && n != 1 {
				t.Errorf("%s: asks %d times for payloads that lie in their lines", name, n)
			}
		}
	}
	aim.early.Store(0)
	for range 20 {
		send(t, ps[1], 0, 0, 7, payload(7, 8))
		recv(t, p, 0, 1, 7, payload(7, 8))
	}
	if n := aim.early.Load() + aim.other.Load(); n != 0 {
		t.Errorf("asks %d times although each message is there", n)
	}
}

// TestSoonLooks: a wait for a condition looks a few times before it makes progress, but only once where another
// rank may need the processor, and where the network knows no line to look at.
func TestSoonLooks(t *testing.T) {
	for _, c := range []struct {
		aimed, oversubscribed bool
		holds                 int // at this look
		looks                 int
	}{
		{true, false, 1, 1}, {true, false, 5, 5}, {true, false, soonLooks, soonLooks}, {true, false, soonLooks + 1, soonLooks},
		{true, true, 1, 1}, {true, true, 2, 1}, {false, false, 1, 1}, {false, false, 2, 1},
	} {
		nics, policy, n := nictest.Loopback(1, nictest.DefaultCaps()), wait.Policy{Spin: time.Microsecond, Yield: time.Hour, Local: true}, 0
		a := ir.AbilitiesOf(nics[0])
		if a.Aimer = nil; c.aimed {
			a.Aimer = &expecting{}
		}
		nics[0] = a.Give(nics[0])
		if c.oversubscribed {
			policy.Spin = 0
		}
		p := openPolicy(t, nics, policy, func(int) Limits { return Limits{} })[0]
		if held := p.soon(func() bool { n++; return n == c.holds }); held != (c.holds == c.looks) || n != c.looks {
			t.Errorf("%+v: %d looks, %v", c, n, held)
		}
	}
}
