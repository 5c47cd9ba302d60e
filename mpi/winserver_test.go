package mpi

import (
	"testing"

	"rhinet/llc"
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
