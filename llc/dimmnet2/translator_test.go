package dimmnet2

import (
	"testing"

	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/fabric/fabrictest"
)

// open returns the translators of a job of goroutines, and its memory.
func open(t testing.TB, peers int) (*fabric.Fabric, []ir.Translator) {
	t.Helper()
	return fabrictest.Heap(t, peers, Geometry(fabric.Small(), peers), nil, opener)
}

func opener(f *fabric.Fabric, rank int) (ir.Translator, error) { return Open(f, rank) }

func TestContract(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator { _, all := open(t, peers); return all })
}

// TestContractBetweenProcesses: translators meet as processes do, each with a mapping of its
// own of the job's memory.
func TestContractBetweenProcesses(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
		return fabrictest.Mapped(t, peers, Geometry(fabric.Default(), peers), Entry().Register, opener)
	})
}
