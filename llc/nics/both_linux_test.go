package nics

import (
	"errors"
	"testing"

	"rhinet/internal/libfabric"
	"rhinet/internal/need"
	"rhinet/llc/endpoint/endpointtest"
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/nicemu/fabric"
)

// openBoth opens ranks of a job on hosts. All are in one process and one memory, of which those on other
// hosts use nothing.
func openBoth(t testing.TB, d Debug, far string, peers int, host func(rank int) int) []ir.Translator {
	t.Helper()
	f, err := fabric.Heap(peers, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	ts, err := endpointtest.Meet(peers, host, func(rank int, n *entry.Network) (ir.Translator, error) {
		return d.openNIC("martini+"+far, f, rank, n)
	})
	if errors.Is(err, libfabric.ErrUnavailable) {
		need.Missing(t, err.Error())
	} else if err != nil {
		t.Fatal(err)
	}
	for i, tr := range ts {
		a := ir.AbilitiesOf(tr)
		a.FailureDetector = nil // a closing peer is marked as failed, which no peer is in the suite
		ts[i] = a.Give(endpointtest.Told{Translator: tr, Hosts: []*fabric.Fabric{f}})
	}
	return ts
}

// Ranks on one host talk through its NIC, those on different hosts through a network.
func TestContractOfBoth(t *testing.T) {
	for name, host := range map[string]func(rank int) int{"in turn": inTurn, "in pairs": func(rank int) int { return rank / 2 }} {
		for _, far := range fars {
			t.Run(far+" "+name, func(t *testing.T) {
				nictest.Run(t, func(t testing.TB, peers int) []ir.Translator { return openBoth(t, Debug{}, far, peers, host) })
			})
		}
	}
}

// inTurn places ranks on two hosts.
func inTurn(rank int) int { return rank % 2 }

// The same with a checksum on every packet of both NICs.
func TestContractOfBothWithChecksums(t *testing.T) {
	for _, far := range fars {
		t.Run(far, func(t *testing.T) {
			nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
				return openBoth(t, Debug{Checksum: true}, far, peers, inTurn)
			})
		})
	}
}
