package port

import (
	"sync"
	"testing"
	"time"

	"rhinet/internal/wait"
	"rhinet/llc/nictest"
)

// TestLaneLeavesOthersForTheirReceives: in its first looks a rank that shares its processor does not take
// what other peers have sent: a message that is received next still goes by the lane.
func TestLaneLeavesOthersForTheirReceives(t *testing.T) {
	ps := open(t, 3)
	acquaint(t, ps)
	both(t, []*Port{ps[0], ps[2]}, func(p *Port, i int) { // peer 2 gets a ring, too
		for tag := range 4 {
			send(t, p, 0, 2*(1-i), tag, payload(tag, 8))
			recv(t, p, 0, 2*(1-i), tag, payload(tag, 8))
		}
	})
	p := ps[0]
	p.policy, p.lone, p.shun = wait.Policy{Yield: time.Hour, Local: true}, 1<<30, 0
	before := p.Unexpected(0)
	send(t, ps[2], 0, 0, 1, payload(1, 8))
	var lane sync.WaitGroup
	lane.Go(func() { recv(t, p, 0, 1, 9, payload(9, 8)) })
	eventually(t, "in the lane", func() bool { return inLane(p) })
	send(t, ps[1], 0, 0, 9, payload(9, 8))
	inTime(t, "the lane", lane.Wait)
	recv(t, p, 0, 2, 1, payload(1, 8))
	if n := p.Unexpected(0) - before; n != 0 || p.shun != 0 {
		t.Errorf("%d messages had to wait for their receive, and %d receives go the long way", n, p.shun)
	}
}

// TestLoneLooks: messages of other peers are taken at once where each rank has a processor, and soon where
// not.
func TestLoneLooks(t *testing.T) {
	for _, c := range []struct {
		policy wait.Policy
		want   int
	}{{wait.For(2, 2, false), 0}, {wait.For(3, 2, false), loneLooks}} {
		p := openPolicy(t, nictest.Loopback(1, nictest.DefaultCaps()), c.policy, func(int) Limits { return Limits{} })[0]
		if p.lone != c.want {
			t.Errorf("%+v: %d looks, want %d", c.policy, p.lone, c.want)
		}
	}
}
