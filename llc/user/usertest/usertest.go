// Package usertest runs programs on rhinet/llc/user in tests: their peers are goroutines.
package usertest

import (
	"sync"
	"testing"

	"rhinet/llc/ir"
	"rhinet/llc/nics"
	"rhinet/llc/user"
)

// RunRemote is Run for a program that reads and writes memory of other peers: on each network interface that
// can reach it.
func RunRemote(t *testing.T, n int, run func(*user.Peer) error) {
	t.Helper()
	for _, nic := range nics.Names() {
		if reaches(t, nic) {
			runOn(t, nic, n, run)
		}
	}
}

// reaches reports whether a network interface can reach memory of other peers.
func reaches(t *testing.T, nic string) bool {
	t.Helper()
	one, release, err := nics.Local(nic, 1, nics.Debug{})
	if err != nil {
		t.Fatal(err)
	}
	remote := one[0].Caps().Remote && ir.AbilitiesOf(one[0]).Remote != nil
	if err := one[0].Close(); err != nil {
		t.Error(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	return remote
}

// Run runs a program of n peers on each network interface. The program closes its peer.
func Run(t *testing.T, n int, run func(*user.Peer) error) {
	t.Helper()
	for _, nic := range nics.Names() {
		runOn(t, nic, n, run)
	}
}

func runOn(t *testing.T, nic string, n int, run func(*user.Peer) error) {
	t.Helper()
	peers, err := user.Local(n, nic)
	if err != nil {
		t.Fatalf("%d peers on %s: %v", n, nic, err)
	}
	var all sync.WaitGroup
	for _, p := range peers {
		all.Go(func() {
			if err := run(p); err != nil {
				t.Errorf("%d peers on %s: peer %d: %v", n, nic, p.Self(), err)
			}
		})
	}
	all.Wait()
}
