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
