package port

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/internal/wait"
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

// TestHelperRestsBesideASleeper: while a goroutine sleeps on the doorbell the
// helper, which would wake the process many times a second for nothing, goes to
// rest although a request is open; when that goroutine leaves it comes back, and
// the transfer gets on.
func TestHelperRestsBesideASleeper(t *testing.T) {
	ps := open(t, 2)
	away := func() bool {
		ps[0].gate.enter()
		defer ps[0].gate.leave()
		return ps[0].helper.away
	}
	in, out := make([]byte, 300000), payload(1, 300000)
	r := &llc.Request{Peer: 1, Tag: 1, Buf: in}
	ps[0].Start(r, false)
	if away() {
		t.Fatal("no helper for an open request")
	}
	var left atomic.Bool
	go func() {
		other := &llc.Request{Peer: 1, Tag: 2}
		ps[0].Start(other, false)
		ps[0].Wait(other)
		left.Store(true)
	}()
	eventually(t, "the helper rests", func() bool { return napping(ps[0]) && away() })
	send(t, ps[1], 0, 0, 2, nil)
	eventually(t, "the receive returns", left.Load)
	// From here on, rank 0 computes.
	inTime(t, "the other rank", func() { send(t, ps[1], 0, 0, 1, out) })
	eventually(t, "the receive is done by the helper", func() bool {
		ps[0].gate.enter()
		defer ps[0].gate.leave()
		return r.Done()
	})
	if string(in) != string(out) {
		t.Error("wrong bytes")
	}
}

// TestPollerHandsOver: a request that is started while another goroutine polls in
// a short wait gets on when that one has left, although no goroutine of the rank
// calls any more.
func TestPollerHandsOver(t *testing.T) {
	for _, way := range []string{"receive", "send", "lane"} {
		t.Run(way, func(t *testing.T) {
			ps := open(t, 3)
			if way == "lane" {
				acquaint(t, ps)
			}
			is := func(cond func() bool) func() bool {
				return func() bool {
					ps[0].gate.enter()
					defer ps[0].gate.leave()
					return cond()
				}
			}
			eventually(t, "no helper", is(func() bool { return ps[0].helper.away }))
			ps[0].policy = wait.Policy{Yield: time.Hour, Local: true} // it never sleeps
			var poller sync.WaitGroup
			poller.Go(func() {
				if way == "send" {
					ps[0].Send(0, 1, 2, llc.Synchronous, nil)
				} else {
					ps[0].Recv(0, 1, 2, nil)
				}
			})
			eventually(t, "a goroutine polls", is(func() bool {
				return ps[0].is(polling) && (way == "lane") == (len(ps[0].eng.Pending()) == 0)
			}))
			ps[0].Start(&llc.Request{Peer: 2, Tag: 1, Buf: make([]byte, 300000)}, false)
			if way == "send" {
				recv(t, ps[1], 0, 0, 2, nil)
			} else {
				send(t, ps[1], 0, 0, 2, nil)
			}
			inTime(t, "the poller", poller.Wait)
			inTime(t, "the other rank", func() { send(t, ps[2], 0, 0, 1, payload(1, 300000)) })
		})
	}
}
