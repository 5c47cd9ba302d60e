package nics

import (
	"errors"
	"strings"
	"testing"

	"rhinet/internal/pmi"
)

func TestLocalConnectsAllRanks(t *testing.T) {
	ts, release, err := Local(Default, 3, Debug{})
	if err != nil {
		t.Fatal(err)
	}
	for i, tr := range ts {
		if tr.Self() != i || tr.Peers() != 3 {
			t.Errorf("NIC %d is %d of %d", i, tr.Self(), tr.Peers())
		}
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}

// A process without memory from a launcher is alone, on the NIC that its job names, or on the default one.
func TestProcessAlone(t *testing.T) {
	for name, want := range map[string]string{"": Default, "tofu": "tofu"} {
		job := pmi.Single(0, 1)
		job.NIC = name
		nic, release, err := Process(job, Debug{})
		if err != nil {
			t.Fatal(err)
		}
		if got := nic.Caps().Name; nic.Self() != 0 || nic.Peers() != 1 || !strings.HasPrefix(got, want) {
			t.Errorf("%q: rank %d of %d on %s", name, nic.Self(), nic.Peers(), got)
		}
		if err := errors.Join(nic.Close(), release()); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := Process(pmi.Job{NIC: "pigeon", Size: 1, Fabric: pmi.None}, Debug{}); err == nil || !strings.Contains(err.Error(), "no such network interface") {
		t.Errorf("got %v", err)
	}
}

func TestRefusalsNameTheCause(t *testing.T) {
	_, _, err := Local("pigeon", 2, Debug{})
	if err == nil || !strings.Contains(err.Error(), `NIC "pigeon": no such network interface; there is `+strings.Join(Selectable(), ", ")) {
		t.Errorf("got %v", err)
	}
	if _, _, err := Local(Default, 0, Debug{}); err == nil {
		t.Error("no error for 0 ranks")
	}
	if _, _, err := Join(Default, -1, 0, 1); err == nil {
		t.Error("no error for a descriptor that is none")
	}
}
