package fserror

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestReason(t *testing.T) {
	_, err := os.Open(filepath.Join(t.TempDir(), "none"))
	if got := Reason(fmt.Errorf("reading: %w", err)); got != syscall.ENOENT {
		t.Errorf("%v became %v", err, got)
	}
	other := errors.New("another one")
	if Reason(other) != other || Reason(nil) != nil {
		t.Error("other errors change")
	}
}
