package martini

import (
	"testing"

	"rhinet/llc/endpoint/endpointtest"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/fabric/fabrictest"
	"rhinet/nicemu/martini"
)

// open returns the translators of a job of goroutines.
func open(t testing.TB, peers int, o martini.Options) []ir.Translator {
	t.Helper()
	_, _, all := openJob(t, peers, o)
	return all
}

// openJob is open for tests that change the job's memory behind the translators' backs.
func openJob(t testing.TB, peers int, o martini.Options) (f *fabric.Fabric, boss *martini.Manager, all []ir.Translator) {
	t.Helper()
	manage := func(f *fabric.Fabric) (err error) {
		boss, err = martini.Manage(f)
		return err
	}
	f, all = fabrictest.Heap(t, peers, fabric.Small(), manage, opener(o))
	return f, boss, all
}

func opener(o martini.Options) endpointtest.Opener {
	return func(f *fabric.Fabric, rank int) (ir.Translator, error) { return Open(f, rank, o) }
}

func TestContract(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator { return open(t, peers, martini.Options{}) })
}

func TestContractWithoutAttach(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
		return open(t, peers, martini.Options{Attach: martini.Off})
	})
}

// TestContractBetweenProcesses: translators meet as processes do, by cross-memory
// attach and futex.
func TestContractBetweenProcesses(t *testing.T) {
	for name, attach := range map[string]martini.Attach{"attach": martini.Auto, "no attach": martini.Off} {
		t.Run(name, func(t *testing.T) {
			nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
				return mapped(t, peers, martini.Options{Attach: attach})
			})
		})
	}
}

// mapped returns the translators of a job of processes.
func mapped(t testing.TB, peers int, o martini.Options) []ir.Translator {
	t.Helper()
	return fabrictest.Mapped(t, peers, fabric.Default(), Entry().Register, opener(o))
}
