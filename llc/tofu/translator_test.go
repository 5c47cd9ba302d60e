package tofu

import (
	"testing"

	"rhinet/llc/endpoint/endpointtest"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/fabric/fabrictest"
)

// open returns the translators of a job of goroutines.
func open(t testing.TB, peers int, o Options) []ir.Translator {
	t.Helper()
	_, all := openJob(t, peers, o)
	return all
}

// openJob is open for tests that change the job's memory behind the translators' backs.
func openJob(t testing.TB, peers int, o Options) (*fabric.Fabric, []ir.Translator) {
	t.Helper()
	return fabrictest.Heap(t, peers, Geometry(fabric.Small(), peers), nil, opener(o))
}

func opener(o Options) endpointtest.Opener {
	return func(f *fabric.Fabric, rank int) (ir.Translator, error) { return Open(f, rank, o) }
}

func TestContract(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator { return open(t, peers, Options{}) })
}

// TestContractByFourPorts: long messages may go by all injection ports.
func TestContractByFourPorts(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator { return open(t, peers, Options{Ports: 4}) })
}

func TestContractWithoutAttach(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
		return open(t, peers, Options{Attach: fabric.AttachOff})
	})
}

// TestContractBetweenProcesses: translators meet as processes do, by cross-memory
// attach and futex.
func TestContractBetweenProcesses(t *testing.T) {
	for name, attach := range map[string]fabric.Attach{"attach": fabric.AttachAuto, "no attach": fabric.AttachOff} {
		t.Run(name, func(t *testing.T) {
			nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
				return mapped(t, peers, Options{Attach: attach})
			})
		})
	}
}

// mapped returns the translators of a job of processes.
func mapped(t testing.TB, peers int, o Options) []ir.Translator {
	t.Helper()
	return fabrictest.Mapped(t, peers, Geometry(fabric.Default(), peers), Entry().Register, opener(o))
}
