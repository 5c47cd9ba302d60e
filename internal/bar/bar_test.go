package bar

import (
	"bytes"
	"io"
	"os"
	"testing"

	"rhinet/internal/ptytest"
)

// Progress is shown on terminals, not on other devices, and quiet suppresses it.
func TestBar(t *testing.T) {
	device, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	_, terminal := ptytest.Open(t, 80)
	for _, c := range []struct {
		errs         io.Writer
		quiet, shows bool
	}{{terminal, false, true}, {terminal, true, false}, {device, false, false}, {new(bytes.Buffer), false, false}} {
		b := New(c.errs, c.quiet)
		b.Step(0, 2, "one")
		if (b.shown != nil) != c.shows {
			t.Errorf("%T, quiet %v: shows %v", c.errs, c.quiet, b.shown != nil)
		}
		first := b.shown
		b.Step(1, 2, "two")
		if b.shown != first {
			t.Error("a step of the same makes another bar")
		}
		b.Step(0, 1, "again")
		if c.shows && b.shown == first {
			t.Error("what begins anew has the same bar")
		}
		b.End()
		if b.shown != nil {
			t.Error("the bar stays")
		}
	}
}
