package fabric

import (
	"testing"
	"time"
)

// TestBury: all ranks see who has been buried, once, and those that sleep wake.
func TestBury(t *testing.T) {
	f, err := Heap(130, Default())
	if err != nil {
		t.Fatal(err)
	}
	bell := f.Bell(3)
	bell.Arm()
	for range 2 {
		f.Bury(129)
		f.Bury(0)
	}
	bell.Sleep(time.Hour)
	if f.Buried() != 2 || !f.IsBuried(129) || !f.IsBuried(0) || f.IsBuried(1) || f.IsBuried(64) {
		t.Errorf("%d are buried", f.Buried())
	}
}
