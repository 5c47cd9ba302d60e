package wait

import (
	"io/fs"
	"testing"
	"testing/fstest"
)

// TestAlone: who cannot know of others is alone, as is the only thread that runs.
func TestAlone(t *testing.T) {
	for text, want := range map[string]bool{
		"0.00 0.01 0.05 1/108 4242\n":   true,
		"2.31 0.50 0.11 2/108 4242\n":   false,
		"9.99 9.99 9.99 130/999 4242\n": false,
		"0.00 0.01 0.05\n":              true,
		"0.00 0.01 0.05 many\n":         true,
		"":                              true,
	} {
		if got := alone(fstest.MapFS{"proc/loadavg": &fstest.MapFile{Data: []byte(text)}}); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if !alone(fstest.MapFS{}) {
		t.Error("not alone on a system that does not tell")
	}
}

// TestMomentsOfOthersDoNotCount: one look that finds nobody is enough, and there are several.
func TestMomentsOfOthersDoNotCount(t *testing.T) {
	for busy, want := range map[int]bool{aloneLooks - 1: true, aloneLooks: false} {
		if got := alone(&busyLooks{busy}); got != want {
			t.Errorf("others are there at %d looks: %v", busy, got)
		}
	}
}

// busyLooks is a system on which others are there at the first looks.
type busyLooks struct{ left int }

func (b *busyLooks) Open(name string) (fs.File, error) {
	text := "0.00 0.00 0.00 1/100 7\n"
	if b.left > 0 {
		b.left--
		text = "0.00 0.00 0.00 2/100 7\n"
	}
	return fstest.MapFS{name: &fstest.MapFile{Data: []byte(text)}}.Open(name)
}
