package pm

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rhinet/bench"
	"rhinet/bench/pair"
	"rhinet/nicemu/fabric"
)

// TestLayers runs both series on each layer, with two nodes and with idle ones.
func TestLayers(t *testing.T) {
	for _, l := range Layers() {
		for _, nodes := range []int{2, 5} {
			g := l.geometry(fabric.Small(), nodes)
			err := pair.Local(2, nodes, g, l.Open, func(e *pair.End, s pair.Side) error {
				for i, series := range l.Workload().Tests {
					var rows []bench.Row
					timed := func(bytes, reps int) (float64, error) { return e.Call(s, i, bytes, min(reps, 100)) }
					if err := series.Measure(bench.Steady(time.Microsecond), nodes, nil, timed, func(r bench.Row) { rows = append(rows, r) }); err != nil {
						return err
					}
					if len(rows) < len(series.Sizes) || rows[0].Ranks != nodes || rows[0].Microsecs <= 0 {
						t.Errorf("%s: %+v", series.Name, rows)
					}
				}
				_, err := e.Call(s, Burst, l.most, 300)
				return err
			})
			if err != nil {
				t.Errorf("%s, %d nodes: %v", l.Name, nodes, err)
			}
		}
	}
}

func TestUnknownLayer(t *testing.T) {
	if l, err := FindLayer("vp"); err != nil || l.Name != "vp" {
		t.Error(err)
	}
	if _, err := FindLayer("tcp"); !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), "rhinet, vp, ring, throttled") {
		t.Error(err)
	}
}

func TestNothingToOpen(t *testing.T) {
	f, err := fabric.Heap(20, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	l, _ := FindLayer("rhinet")
	if _, err := l.Open(pair.NewEnd(f, 0, 2)); err == nil {
		t.Error("rings without memory")
	}
	if _, err := l.Open(pair.NewEnd(f, 0, 2)); err == nil {
		t.Error("a NIC that is taken")
	}
}

func TestOtherIsGone(t *testing.T) {
	for _, l := range Layers() {
		f, err := fabric.Heap(2, l.geometry(fabric.Small(), 2))
		if err != nil {
			t.Fatal(err)
		}
		e := pair.NewEnd(f, 0, 2)
		s, err := l.Open(e)
		if err != nil {
			t.Fatal(err)
		}
		e.End(nil)
		for series := range 2 {
			if err := s.Run(series, 8, 100_000); err == nil {
				t.Errorf("%s: nobody is there", l.Name)
			}
		}
	}
}

func TestScan(t *testing.T) {
	for _, way := range Scans() {
		s, err := NewScan(way, 40)
		if err != nil {
			t.Fatal(err)
		}
		s.Pass()
		s.Pass()
		if s.sum != 40*39 || len(s.words) != 40 {
			t.Errorf("%s: sum %d of %d words", way, s.sum, len(s.words))
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
