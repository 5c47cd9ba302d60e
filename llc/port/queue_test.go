package port

import (
	"errors"
	"sync"
	"testing"

	"rhinet/llc"
)

// TestQueue: Next returns each transfer that Enqueue has started once, in the order in which they were done,
// including those that were done at once.
func TestQueue(t *testing.T) {
	ps := open(t, 2)
	const n = 200
	both(t, ps, func(p *Port, self int) {
		rs := make([]*llc.Request, n)
		for i := range rs {
			rs[i] = &llc.Request{Peer: 1 - self, Tag: i, Buf: payload(i, i*7)}
			if self == 1 {
				rs[i].Buf = make([]byte, i*7)
			}
			if err := p.Enqueue(rs[i], self == 0); err != nil {
				t.Error(err)
			}
		}
		for i := range rs {
			if r := p.Next(true); r != rs[i] || r.Status.Err != nil {
				t.Errorf("peer %d: request %d is not next", self, i)
				return
			}
		}
		if r := p.Next(false); r != nil {
			t.Errorf("peer %d: a request is told twice", self)
		}
	})
}

// TestReadersOfTheQueue: each of many readers gets requests until all are returned, though another reader may
// take what one wait ended for.
func TestReadersOfTheQueue(t *testing.T) {
	ps := open(t, 2)
	const n, readers = 400, 8
	var mu sync.Mutex
	told := map[*llc.Request]int{}
	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			for {
				r := ps[1].Next(true)
				if r == nil {
					t.Error("a port that is open tells that it is closed")
					return
				}
				mu.Lock()
				told[r]++
				mu.Unlock()
				if r.Context == 1 {
					return
				}
			}
		})
	}
	for i := range n + readers {
		ctx := uint16(0)
		if i >= n {
			ctx = 1
		}
		if err := ps[1].Enqueue(&llc.Request{Peer: 0, Tag: i, Context: ctx}, false); err != nil {
			t.Error(err)
		}
		send(t, ps[0], ctx, 1, i, nil)
	}
	inTime(t, "readers", all.Wait)
	for r, times := range told {
		if times != 1 {
			t.Errorf("request %d is told %d times", r.Tag, times)
		}
	}
	if len(told) != n+readers {
		t.Errorf("%d requests are told, of %d", len(told), n+readers)
	}
}

// TestQueueOfAClosedPort: nothing begins on it, and Next does not wait.
func TestQueueOfAClosedPort(t *testing.T) {
	ps := open(t, 2)
	ended := make(chan *llc.Request)
	go func() { ended <- ps[0].Next(true) }()
	if err := ps[0].Close(); err != nil {
		t.Fatal(err)
	}
	if r := <-ended; r != nil {
		t.Errorf("request %+v", r)
	}
	if err := ps[0].Enqueue(&llc.Request{Peer: 1}, true); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if r := ps[0].Next(true); r != nil {
		t.Errorf("request %+v", r)
	}
}
