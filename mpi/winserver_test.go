package mpi

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// A server whose answer cannot be sent goes on if the rank that has asked is dead, and
// ends with the network.
func TestServersGoOnAfterADeath(t *testing.T) {
	net := &instant{}
	w := alone(t, net)
	defer Finalize(w)
	v := &served{c: w, writer: -1}
	if err := v.answer(&request{What: askLock}); err != nil || len(v.readers) != 1 {
		t.Fatalf("%v, %d readers", err, len(v.readers))
	}
	w.failures = newCommFailures(w.core)
	defer func() { w.failures = nil }()
	for _, tc := range []struct {
		err  error
		ends bool
	}{{llc.ErrPeerGone, false}, {llc.ErrRefused, true}} {
		net.err = tc.err
		err := v.answer(&request{What: askLock})
		if ends := err != nil; ends != tc.ends {
			t.Errorf("%v: the server ends with %v", tc.err, err)
		}
	}
	net.err = nil
}

// A server gives no lock once the window is revoked, also not to a rank that has not heard of it.
func TestServersRefuseLocksOfRevokedWindows(t *testing.T) {
	w := alone(t, &instant{})
	defer Finalize(w)
	v := &served{c: w, writer: -1}
	if err := v.revoke(); err != nil {
		t.Fatal(err)
	}
	if err := v.answer(&request{What: askLock}); err != nil || len(v.readers) != 0 || len(v.queue) != 0 {
		t.Errorf("%v, %d readers, %d wait", err, len(v.readers), len(v.queue))
	}
}

// A lateEnd is a transport without memory for windows whose user's context ends when a window has its server, and
// asks for locks of the network.
type lateEnd struct {
	Transport
	end func()
}

func (t *lateEnd) Locker() ir.Locker {
	t.end()
	return nil
}

func (t *lateEnd) Memory() ir.Memory { return nil }

// serversOf counts the goroutines that serve windows.
func serversOf() int {
	buf := make([]byte, 1<<20)
	return strings.Count(string(buf[:runtime.Stack(buf, true)]), "mpi.(*served).run(")
}

// The server of a window that fails to be made ends.
func TestServersEndWithAWindowThatFails(t *testing.T) {
	ts, release, err := Local(2, "martini")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		closeAll(ts)
		release()
	}()
	before := serversOf()
	var all sync.WaitGroup
	var served atomic.Int32
	for rank, tr := range ts {
		ctx, end := context.WithCancel(t.Context())
		defer end()
		w, err := Join(Job{Rank: rank, Size: 2, Transport: &lateEnd{tr, func() {
			for ; serversOf() == before; time.Sleep(time.Millisecond) {
			}
			served.Add(1)
			end()
		}}})
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			if _, err := WinAllocate[int](w.WithContext(ctx), 1, Info{HintWindow: "lock=ncl"}); !errors.Is(err, ErrCancelled) {
				t.Errorf("rank %d: %v", rank, err)
			}
		})
	}
	all.Wait()
	if served.Load() != 2 {
		t.Errorf("%d ranks had a server, want 2", served.Load())
	}
	for start := time.Now(); serversOf() > before; time.Sleep(time.Millisecond) {
		if time.Since(start) > 10*time.Second {
			t.Fatal("a server is left")
		}
	}
}
