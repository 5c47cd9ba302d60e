package llc

import (
	"errors"
	"strings"
	"testing"

	"rhinet/bench"
)

func TestFind(t *testing.T) {
	for _, w := range Workloads() {
		if got, err := Find(w.Name); err != nil || got.Name != w.Name {
			t.Errorf("%s: %v, %v", w.Name, got.Name, err)
		}
	}
	if _, err := Find("x"); !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), "there is pingpong, burst") {
		t.Error(err)
	}
}
