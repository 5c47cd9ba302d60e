//go:build !ofi

package ofi

import (
	"errors"
	"strings"
	"testing"

	"rhinet/internal/libfabric"
	"rhinet/nicemu/fabric"
)

// A program that was built without libfabric says how to get it.
func TestProgramWithoutLibfabric(t *testing.T) {
	f, err := fabric.Heap(1, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(f, 0, Options{}); !errors.Is(err, libfabric.ErrUnavailable) || !strings.Contains(err.Error(), "build it with -tags ofi") {
		t.Error(err)
	}
}
