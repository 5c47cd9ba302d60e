package report

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Curves are drawn with their names, and the file is recognized as a plot later.
func TestLines(t *testing.T) {
	f, err := Lines("load", "Latency under load", "load", "latency (µs)", []Curve{{"uniform", []float64{0.1, 0.5, 0.9}, []float64{1, 1.5, 40}}, {"hot-spot", []float64{0.1, 0.2}, []float64{1, 90}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "load.svg")
	if err := f.Save(file); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Latency under load", "uniform", "hot-spot"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in the plot", want)
		}
	}
	if err := PlotFile(file).Check(); err != nil {
		t.Error(err)
	}
	if _, err := Lines("x", "x", "x", "x", []Curve{{"none", []float64{1}, []float64{math.NaN()}}}); err == nil {
		t.Error("no number was drawn")
	}
}
