//go:build !pmix

package pmix

import (
	"errors"
	"strings"
	"testing"
)

// A program that was built without PMIx explains how to build it with PMIx.
func TestProgramWithoutPMIx(t *testing.T) {
	if _, err := Open(); Built || !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "build it with -tags pmix") {
		t.Error(err)
	}
}
