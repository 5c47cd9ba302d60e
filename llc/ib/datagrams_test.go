package ib

import (
	"testing"

	"rhinet/llc/datagram"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/ib"
)

// datagramsOf returns translators that use datagrams only, with the faults of a level.
func datagramsOf(t testing.TB, fs []*fabric.Fabric, level string) (all []ir.Translator) {
	t.Helper()
	faults, err := datagram.Level(level)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range fs {
		tr, err := OpenDatagrams(f, i, ib.Options{}, faults, DatagramName)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tr)
	}
	return all
}

// sharing returns the memory of a job of goroutines, once for each peer.
func sharing(t testing.TB, peers int) (fs []*fabric.Fabric) {
	t.Helper()
	f, err := fabric.Heap(peers, ib.Geometry(fabric.Small(), peers))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ib.Manage(f); err != nil {
		t.Fatal(err)
	}
	for range peers {
		fs = append(fs, f)
	}
	return fs
}

// TestDatagramContract: whatever happens to datagrams, the contract holds.
func TestDatagramContract(t *testing.T) {
	for _, level := range datagram.Levels() {
		t.Run(level, func(t *testing.T) {
			nictest.Run(t, func(t testing.TB, peers int) []ir.Translator { return datagramsOf(t, sharing(t, peers), level) })
		})
	}
}
