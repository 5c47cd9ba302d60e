package timed

import (
	"errors"
	"testing"

	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/loggp"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/timed"
	"rhinet/nicemu/vtime"
)

// job returns the memory of a job whose network serves as long as the test goes on.
func job(t testing.TB, peers int, lax bool, attach func(*vtime.Kernel) (medium.Model, error)) *fabric.Fabric {
	t.Helper()
	f, err := fabric.Heap(peers, timed.Geometry(fabric.Small()))
	if err != nil {
		t.Fatal(err)
	}
	s, err := timed.Start(f, timed.Config{Lax: lax}, attach, func(bool) {})
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan error)
	go func() { over <- s.Run() }()
	t.Cleanup(func() {
		s.Stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	})
	return f
}

// network opens the translators of a network, whose service waits for no rank.
func network(t testing.TB, peers int, attach fabric.Attach, lax bool) []ir.Translator {
	f := job(t, peers, lax, func(k *vtime.Kernel) (medium.Model, error) {
		return loggp.New(k, peers, loggp.Parameters()), nil
	})
	all := make([]ir.Translator, peers)
	for i := range all {
		tr, err := Open(f, i, martini.Options{Attach: attach})
		if err != nil {
			t.Fatal(err)
		}
		all[i] = tr.limited()
		if a := ir.AbilitiesOf(all[i]); a.Memory != nil || a.Remote != nil || a.Clock == nil {
			t.Fatal("memory of peers is reached without time")
		}
	}
	return all
}

// TestContract takes the translator through the suite. One goroutine drives all peers there, so the service
// must not wait for those that run.
func TestContract(t *testing.T) {
	for _, attach := range []fabric.Attach{fabric.AttachAuto, fabric.AttachOff} {
		nictest.Run(t, func(t testing.TB, peers int) []ir.Translator { return network(t, peers, attach, true) })
	}
}

func TestNoService(t *testing.T) {
	f, err := fabric.Heap(1, timed.Geometry(fabric.Small()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(f, 0, martini.Options{}); !errors.Is(err, timed.ErrNoService) {
		t.Error(err)
	}
}
