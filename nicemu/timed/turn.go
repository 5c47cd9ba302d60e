package timed

import (
	"sync/atomic"
	"time"

	"rhinet/nicemu/vtime"
)

// longestWait bounds a single sleep, so that a wake-up lost by a crash delays the job but does not
// stop it. Tests that no other wake-up is lost change it.
var longestWait = time.Second

// certainAfter is how long nothing must happen before a job is said to hang. A test changes it.
var certainAfter = 200 * time.Millisecond

// give hands the turn to the service. The lock is held.
func (n *Node) give(request uint64) {
	w := n.box.words
	others := request == askWait && n.Others != nil && n.Others()
	w[wordRequest], w[wordNow], w[wordOut], w[wordOthers] = request, uint64(n.now), uint64(n.out), flag(others)
	w[wordCompute], w[wordCall], w[wordStarved] = uint64(n.computed), uint64(n.called), flag(n.starved > 0)
	n.out = 0
	n.box.turn().Store(turnService)
	step := uint64(1)
	if request == askFlush {
		step += flushed
	}
	given := atomic.AddUint64(n.given, step)
	if request == askFlush || n.cfg.Lax || uint32(given) == uint32(atomic.LoadUint64(n.awaited)) {
		n.ring()
	}
}

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// giveTurn hands the turn to the service and returns when the rank has it again, for a wait at the
// latest after limit of real time. It is called with the lock held, and releases it while it waits.
func (n *Node) giveTurn(request uint64, limit time.Duration) {
	for n.wanted > 0 { // they have waited for this turn
		n.front.Wait()
	}
	if n.closed {
		return
	}
	n.away = true
	n.give(request)
	n.mu.Unlock()
	for start := time.Now(); n.box.turn().Load() != turnRank; {
		d := longestWait
		if limit > 0 {
			if d = limit - time.Since(start); d <= 0 {
				n.alert(n.rank, expired)
				d, limit = longestWait, 0
			}
		}
		if n.local != nil {
			<-n.local
			continue
		}
		n.box.turn().Wait(turnService, min(d, longestWait))
	}
	n.mu.Lock()
	n.away = false
	w := n.box.words
	if request != askFlush {
		if request == askWait {
			n.idle += max(0, vtime.Time(w[wordGoOn])-n.now)
		}
		n.now = max(n.now, vtime.Time(w[wordGoOn]))
		n.horizon = vtime.Time(w[wordHorizon])
		n.in, n.end = 0, int(min(w[wordIn], areaBytes))
		n.refill()
		n.rung = n.rung || n.end > 0 || w[wordCalled] == called
	}
	n.back.Broadcast()
}

// Arm announces that a sleep follows: see [rhinet/llc/ir.Translator].
func (n *Node) Arm() {
	n.mu.Lock()
	n.armed, n.rung = true, false
	atomic.StoreUint64(&n.box.words[wordAttention], 0)
	n.mu.Unlock()
}

// Disarm cancels Arm and reports whether something has arrived since, or Wake was called.
func (n *Node) Disarm() bool {
	defer n.mu.Unlock()
	n.mu.Lock()
	n.armed = false
	return n.rung || atomic.LoadUint64(&n.box.words[wordAttention]) == called
}

// Sleep returns when something has arrived, or when limit has passed in real time; for a rank that
// [Service.Local] connects there is no limit.
func (n *Node) Sleep(limit time.Duration) {
	defer n.mu.Unlock()
	n.mu.Lock()
	if n.away || n.closed || n.in < n.end || limit <= 0 {
		return
	}
	n.giveTurn(askWait, limit)
}

// Wake ends the sleep of any rank.
func (n *Node) Wake(rank int) { n.alert(rank, called) }
