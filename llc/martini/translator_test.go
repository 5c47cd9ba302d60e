package martini

import (
	"errors"
	"os"
	"testing"

	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// open returns the translators of a job of goroutines.
func open(t testing.TB, peers int, o martini.Options) []ir.Translator {
	t.Helper()
	_, _, all := openJob(t, peers, o)
	return all
}

// openJob is open for tests that go behind the translators' backs.
func openJob(t testing.TB, peers int, o martini.Options) (*fabric.Fabric, *martini.Manager, []ir.Translator) {
	t.Helper()
	f, err := fabric.Heap(peers, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	boss, err := martini.Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]ir.Translator, peers)
	for i := range all {
		if all[i], err = Open(f, i, o); err != nil {
			t.Fatal(err)
		}
	}
	return f, boss, all
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

// mapped returns the translators of a job of processes: each has a mapping of its
// own of the job's memory.
func mapped(t testing.TB, peers int, o martini.Options) (all []ir.Translator) {
	t.Helper()
	file, err := fabric.Create(peers, fabric.Default())
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	manage(t, file)
	for i := range peers {
		f, err := fabric.Map(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		tr, err := Open(f, i, o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tr)
	}
	return all
}

// manage registers the ranks of a job, as a launcher does.
func manage(t testing.TB, file *os.File) {
	t.Helper()
	f, err := fabric.Map(file)
	if err == nil {
		_, err = martini.Manage(f)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
