package mpi

import (
	"bytes"
	"errors"
	"runtime"
	"testing"
	"time"
)

// The goroutine that tells the server of a window of its revocation does not go on when the window has ended.
func TestTheEndOfAWindowWaitsForTheNoticeOfRevoke(t *testing.T) {
	ts, release, err := Local(1, "")
	if err != nil {
		t.Fatal(err)
	}
	c, err := Join(Job{Size: 1, Transport: ts[0], Check: true, KeepGoing: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, revoked := range []bool{true, false} {
		d, err := c.Dup()
		if err != nil {
			t.Fatal(err)
		}
		v := &window{c: d, reach: serve(d, nil, false)}
		v.refuseLocks()
		pool := &c.w.requests.mu
		if pool.Lock(); revoked { // the notice is a message, which needs the pool
			if err := d.Revoke(); err != nil {
				t.Error(err)
			}
			stacks := make([]byte, 1<<20)
			for !bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte(").notify(")) {
				runtime.Gosched()
			}
		}
		ended := make(chan struct{})
		go func() { v.endWatch(); close(ended) }()
		select {
		case <-ended:
			if revoked {
				t.Error("the end has not waited for the notice")
			}
		case <-time.After(20 * time.Millisecond):
			if !revoked {
				t.Error("the end waits for a notice that nobody gives")
			}
		}
		pool.Unlock()
		<-ended
		v.endWatch() // again: nothing happens
		if err := errors.Join(v.reach.close(), d.Free()); err != nil {
			t.Error(err)
		}
	}
	if err := errors.Join(Finalize(c), release()); err != nil {
		t.Error(err)
	}
}
