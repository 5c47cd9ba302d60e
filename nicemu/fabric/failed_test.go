package fabric

import (
	"testing"
	"time"
)

// TestMarkFailed: all ranks see which ranks have failed, once, and those that sleep wake.
func TestMarkFailed(t *testing.T) {
	g := Default()
	g.FlagArrays = 0 // they would take gigabytes
	f, err := Heap(130, g)
	if err != nil {
		t.Fatal(err)
	}
	bell := f.Bell(3)
	bell.Arm()
	for range 2 {
		f.MarkFailed(129)
		f.MarkFailed(0)
	}
	bell.Sleep(time.Hour)
	if f.FailedCount() != 2 || !f.HasFailed(129) || !f.HasFailed(0) || f.HasFailed(1) || f.HasFailed(64) {
		t.Errorf("%d have failed", f.FailedCount())
	}
}
