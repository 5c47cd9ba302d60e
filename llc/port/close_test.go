package port

import (
	"testing"

	"rhinet/llc"
)

// Close takes what has come before it ends: here an offer to a context that is shut, which its sender waits for.
func TestCloseAnswersWhatHasCome(t *testing.T) {
	ps := open(t, 2)
	r := &llc.Request{Peer: 1, Context: 5, Tag: 1, Buf: payload(1, 40000)}
	ps[0].Start(r, true)
	ps[1].Shut(5)
	both(t, ps, func(p *Port, self int) {
		if err := p.Close(); err != nil {
			t.Errorf("port %d: %v", self, err)
		}
	})
}
