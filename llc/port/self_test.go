package port

import (
	"testing"
	"time"

	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/nictest"
)

// TestBlockingCallsTell: a blocking call that ends the wait of another goroutine, because its message goes to
// this peer itself, wakes that goroutine, however long it sleeps. It also empties the list of finished
// requests: one that is used again while listed would lose its next report.
func TestBlockingCallsTell(t *testing.T) {
	for name, c := range map[string]struct {
		send bool // what is waited for
		end  func(p *Port) error
	}{
		"Send ends a receive": {false, func(p *Port) error { return p.Send(0, 0, 1, llc.Standard, payload(1, 100)) }},
		"Recv ends a send": {true, func(p *Port) error {
			_, err := p.Recv(0, 0, 1, make([]byte, 100))
			return err
		}},
	} {
		for _, wake := range []bool{true, false} {
			p := New(Config{NIC: nictest.Loopback(1, nictest.DefaultCaps())[0], Policy: wait.Policy{Nap: time.Hour}})
			r := &llc.Request{Tag: 1, Mode: llc.Synchronous, Buf: payload(1, 100)}
			p.Start(r, c.send)
			waited := make(chan struct{})
			if wake {
				go func() {
					p.Wait(r)
					close(waited)
				}()
				for !napping(p) {
					time.Sleep(time.Millisecond)
				}
			} else {
				close(waited)
			}
			inTime(t, name, func() {
				if err := c.end(p); err != nil {
					t.Error(err)
				}
				<-waited
			})
			p.lock()
			if open := p.begun - p.eng.Ended(); open != 0 || r.Notify {
				t.Errorf("%s: nobody was told: %d requests are open", name, open)
			}
			p.gate.leave()
		}
	}
}
