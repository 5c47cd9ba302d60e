package ib

import (
	"testing"

	"rhinet/llc/endpoint/endpointtest"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/fabric/fabrictest"
	"rhinet/nicemu/ib"
)

// open returns the translators of a job of goroutines.
func open(t testing.TB, peers int, o ib.Options) []ir.Translator {
	t.Helper()
	_, _, all := openJob(t, peers, o)
	return all
}

// openJob is open for tests that change the job's memory behind the translators' backs.
func openJob(t testing.TB, peers int, o ib.Options) (f *fabric.Fabric, boss *ib.Manager, all []ir.Translator) {
	t.Helper()
	manage := func(f *fabric.Fabric) (err error) {
		boss, err = ib.Manage(f)
		return err
	}
	f, all = fabrictest.Heap(t, peers, ib.Geometry(fabric.Small(), peers), manage, opener(o))
	return f, boss, all
}

func opener(o ib.Options) endpointtest.Opener {
	return func(f *fabric.Fabric, rank int) (ir.Translator, error) { return Open(f, rank, o) }
}

func TestContract(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator { return open(t, peers, ib.Options{}) })
}

func TestContractWithoutAttach(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
		return open(t, peers, ib.Options{Attach: fabric.AttachOff})
	})
}

// TestContractBetweenProcesses: translators meet as processes do, by cross-memory
// attach and futex.
func TestContractBetweenProcesses(t *testing.T) {
	for name, attach := range map[string]fabric.Attach{"attach": fabric.AttachAuto, "no attach": fabric.AttachOff} {
		t.Run(name, func(t *testing.T) {
			nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
				return mapped(t, peers, ib.Options{Attach: attach})
			})
		})
	}
}

// mapped returns the translators of a job of processes.
func mapped(t testing.TB, peers int, o ib.Options) []ir.Translator {
	t.Helper()
	return fabrictest.Mapped(t, peers, ib.Geometry(fabric.Default(), peers), Entry().Register, opener(o))
}
