package martini

import (
	"testing"

	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// open returns the translators of a job of goroutines.
func open(t testing.TB, peers int, o martini.Options) []ir.Translator {
	t.Helper()
	f, err := fabric.Heap(peers, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	all := make([]ir.Translator, peers)
	for i := range all {
		if all[i], err = Open(f, i, o); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestContract(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator { return open(t, peers, martini.Options{}) })
}

func TestContractWithoutAttach(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
		return open(t, peers, martini.Options{Attach: martini.Off})
	})
}

// TestContractBetweenProcesses gives each peer a mapping of its own of the
// memory of a job of processes, so that they meet as processes do: by
// cross-memory attach and futex.
func TestContractBetweenProcesses(t *testing.T) {
	for name, attach := range map[string]martini.Attach{"attach": martini.Auto, "no attach": martini.Off} {
		t.Run(name, func(t *testing.T) {
			nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
				file, err := fabric.Create(peers, fabric.Default())
				if err != nil {
					t.Skip(err)
				}
				all := make([]ir.Translator, peers)
				for i := range all {
					f, err := fabric.Map(file)
					if err != nil {
						t.Fatal(err)
					}
					t.Cleanup(func() { _ = f.Close() })
					if all[i], err = Open(f, i, martini.Options{Attach: attach}); err != nil {
						t.Fatal(err)
					}
				}
				if err := file.Close(); err != nil {
					t.Fatal(err)
				}
				return all
			})
		})
	}
}
