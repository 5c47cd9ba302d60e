package port

import (
	"context"
	"testing"
	"time"

	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// sleepless counts sleeps, all of which are needless, and cuts them short.
type sleepless struct {
	ir.Translator
	slept int
}

func (s *sleepless) Sleep(time.Duration) { s.slept++ }

// TestNoSleepWhilePacketsFly sends a message of many packets through a shared ring that has room for all of
// them. Only a poll tells that a packet went, so a sleep between two polls makes each packet take as long as
// a sleep: no peer rings for it.
func TestNoSleepWhilePacketsFly(t *testing.T) {
	for name, policy := range map[string]wait.Policy{"sleeping at once": {}, "oversubscribed": wait.For(8, 1, true)} {
		caps := nictest.DefaultCaps()
		caps.Rings, caps.Fragment = 0, 100
		nics := nictest.Loopback(2, caps)
		s := &sleepless{Translator: nics[0]}
		p := New(Config{NIC: s, Policy: policy})
		inTime(t, name, func() {
			if err := p.Send(0, 1, 1, llc.Standard, payload(1, 4000)); err != nil {
				t.Error(err)
			}
		})
		if s.slept != 0 {
			t.Errorf("%s: slept %d times though every packet had room", name, s.slept)
		}
	}
}

// TestSleepAfterALookInVain: a peer with refused packets to several others sleeps only after a poll that
// found nothing, however many refusals wait before: packets behind them may have arrived without a ring.
func TestSleepAfterALookInVain(t *testing.T) {
	const peers = 8
	caps := nictest.DefaultCaps()
	caps.Rings, caps.Fragment = 0, 100
	full := true
	nics := nictest.LoopbackWith(peers, caps, nictest.Hooks{Busy: func(from int, _ *ir.Command) bool { return full && from == 0 }})
	s := &impatient{Translator: nics[0]}
	s.rest = func() {
		if !s.vain {
			t.Error("a sleep after a look that found something")
		}
		full = false
	}
	p := New(Config{NIC: s})
	inTime(t, "refused", func() {
		var rs []*llc.Request
		for to := 1; to < peers; to++ {
			r := &llc.Request{Peer: to, Buf: payload(to, 300)}
			p.Start(r, true)
			rs = append(rs, r)
		}
		for _, r := range rs {
			p.Wait(r)
		}
	})
	if full {
		t.Error("it never slept")
	}
}

// impatient calls rest instead of sleeping.
type impatient struct {
	ir.Translator
	vain bool // the latest Poll found nothing
	rest func()
}

func (s *impatient) Poll(ev *ir.Event) bool {
	found := s.Translator.Poll(ev)
	s.vain = !found
	return found
}

func (s *impatient) Sleep(time.Duration) { s.rest() }

// TestShortSleepsForRoom: no peer rings when a full ring has room again, the shared one or a packet ring, so
// a wait for room only sleeps for a moment.
func TestShortSleepsForRoom(t *testing.T) {
	for name, rings := range map[string]int{"shared ring": 0, "packet ring": 4} {
		caps := nictest.DefaultCaps()
		if caps.Rings = rings; rings == 0 {
			caps.Fragment = 100
		}
		nics := nictest.Loopback(2, caps)
		s := &impatientFor{Translator: nics[0]}
		p, other := New(Config{NIC: s}), New(Config{NIC: nics[1]})
		inTime(t, name, func() {
			if rings > 0 { // the first message asks for a ring
				p.Send(0, 1, 1, llc.Standard, nil)
				other.Recv(0, 0, 1, nil)
				for p.Test(&llc.Request{}); !p.eng.Idle(); p.Test(&llc.Request{}) {
				}
			}
			var rs []*llc.Request
			for i := range 40 {
				r := &llc.Request{Peer: 1, Tag: 2, Buf: payload(i, 4000)}
				p.Start(r, true)
				rs = append(rs, r)
			}
			ctx, cancel := context.WithCancel(t.Context())
			s.rest = func(d time.Duration) {
				if d > stalledNap {
					t.Errorf("%s: a sleep of %v for room", name, d)
				}
				cancel()
			}
			p.WaitContext(ctx, rs[39])
		})
		if s.slept == 0 {
			t.Errorf("%s: it never slept", name)
		}
	}
}

// impatientFor calls rest, if set, instead of sleeping.
type impatientFor struct {
	ir.Translator
	slept int
	rest  func(time.Duration)
}

func (s *impatientFor) Sleep(d time.Duration) {
	if s.slept++; s.rest != nil {
		s.rest(d)
	}
}
