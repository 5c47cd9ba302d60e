package nics

import (
	"strings"
	"testing"
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

func TestRefusalsNameTheCause(t *testing.T) {
	_, _, err := Local("pigeon", 2, Debug{})
	if err == nil || !strings.Contains(err.Error(), `NIC "pigeon": no such network interface; there is martini`) {
		t.Errorf("got %v", err)
	}
	if _, _, err := Local(Default, 0, Debug{}); err == nil {
		t.Error("no error for 0 ranks")
	}
	if _, _, err := Join(Default, -1, 0, 1); err == nil {
		t.Error("no error for a descriptor that is none")
	}
}
