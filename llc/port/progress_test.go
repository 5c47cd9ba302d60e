package port

import (
	"sync/atomic"
	"testing"

	"rhinet/llc"
)

// TestProgressInShortWaits: a rank that has posted its part, and then waits only
// for conditions that hold at once or after a turn of the others, does not hold
// up the transfer (MPI 4.1, section 3.5: progress).
func TestProgressInShortWaits(t *testing.T) {
	for name, need := range map[string]int{"at once": 0, "after one look": 1, "after two looks": 2} {
		t.Run(name, func(t *testing.T) {
			ps := open(t, 2)
			ps[0].helper.away = false // as if it were here: it would do the work
			in, out := make([]byte, 300000), payload(1, 300000)
			ps[0].Start(&llc.Request{Peer: 1, Tag: 1, Buf: in}, false)
			var sent atomic.Bool
			inTime(t, "transfer", func() {
				go func() {
					defer sent.Store(true)
					send(t, ps[1], 0, 0, 1, out)
				}()
				for !sent.Load() {
					looks := 0
					ps[0].Await("Test", nil, func() bool { looks++; return looks > need })
				}
			})
		})
	}
}
