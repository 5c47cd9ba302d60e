package port

import (
	"testing"
	"time"

	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// sleepless counts sleeps, none of which has a reason, and cuts them short.
type sleepless struct {
	ir.Translator
	slept int
}

func (s *sleepless) Sleep(time.Duration) { s.slept++ }

// TestNoSleepWhilePacketsFly sends a message of many packets through a shared
// ring that has room for all of them. Only a look at the network tells that a
// packet went, so whoever sleeps between two looks makes each packet take as
// long as a sleep: nobody rings for it.
func TestNoSleepWhilePacketsFly(t *testing.T) {
	for name, policy := range map[string]wait.Policy{"sleeping at once": {}, "crowded": wait.For(8, 1, true)} {
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
