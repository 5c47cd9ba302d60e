package clock

import "testing"

func TestUse(t *testing.T) {
	before := Seconds()
	Use(func() float64 { return 5e9 })
	if s := Seconds(); s != 5e9 {
		t.Errorf("virtual time is %v", s)
	}
	Use(nil)
	if s := Seconds(); s < before || s > 1e9 {
		t.Errorf("after %v it is %v", before, s)
	}
}
