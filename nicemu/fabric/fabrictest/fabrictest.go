// Package fabrictest has helpers for the tests of all network interfaces: jobs made of goroutines
// and of processes.
package fabrictest

import (
	"testing"

	"rhinet/nicemu/fabric"
)

// Heap opens the NICs of a job of goroutines, and returns them and its memory, of the given
// geometry. manage starts the NICs, as a launcher does; if it is nil, the first NIC that is opened
// does.
func Heap[N any](t testing.TB, ranks int, g fabric.Geometry, manage func(f *fabric.Fabric) error, open func(f *fabric.Fabric, rank int) (N, error)) (*fabric.Fabric, []N) {
	t.Helper()
	f, err := fabric.Heap(ranks, g)
	if err == nil && manage != nil {
		err = manage(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f, all(t, ranks, func() *fabric.Fabric { return f }, open)
}

// Mapped opens the NICs of a job of processes: each has its own mapping of the job's memory. manage
// starts the NICs.
func Mapped[N any](t testing.TB, ranks int, g fabric.Geometry, manage func(f *fabric.Fabric) error, open func(f *fabric.Fabric, rank int) (N, error)) []N {
	t.Helper()
	view := Views(t, ranks, g)
	if err := manage(view()); err != nil {
		t.Fatal(err)
	}
	return all(t, ranks, view, open)
}

func all[N any](t testing.TB, ranks int, view func() *fabric.Fabric, open func(f *fabric.Fabric, rank int) (N, error)) []N {
	t.Helper()
	nics := make([]N, ranks)
	for rank := range nics {
		var err error
		if nics[rank], err = open(view(), rank); err != nil {
			t.Fatal(err)
		}
	}
	return nics
}

// Views makes the memory of a job of processes, and returns a function that maps it anew at each
// call. Nothing stays mapped after the test, which is skipped where processes cannot share memory.
func Views(t testing.TB, ranks int, g fabric.Geometry) func() *fabric.Fabric {
	t.Helper()
	file, err := fabric.Create(ranks, g)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return func() *fabric.Fabric {
		t.Helper()
		f, err := fabric.Map(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
}
