package nic

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rhinet/bench"
	"rhinet/bench/pair"
	"rhinet/nicemu/fabric"
)

// TestWorkloads measures each series of each workload at its smallest and its
// largest size.
func TestWorkloads(t *testing.T) {
	for _, w := range Workloads() {
		t.Run(w.Name, func(t *testing.T) {
			err := pair.Local(w.Processes, w.Processes, fabric.Default(), w.Open, func(e *pair.End, side pair.Side) error {
				for i, s := range w.Tests {
					s.Sizes = []int{s.Sizes[0], s.Sizes[len(s.Sizes)-1]}
					var rows []bench.Row
					timed := func(bytes, reps int) (float64, error) { return e.Call(side, i, bytes, min(reps, 20)) }
					err := s.Measure(bench.Steady(time.Microsecond), w.Processes, nil, timed, func(r bench.Row) { rows = append(rows, r) })
					if err != nil {
						return err
					}
					if len(rows) < 2 || rows[0].Test != s.Name || rows[0].Microsecs <= 0 || rows[0].Ranks != w.Processes {
						t.Errorf("%+v", rows)
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestUnknownName(t *testing.T) {
	if w, err := Find("barrier"); err != nil || w.Name != "barrier" {
		t.Error(err)
	}
	if _, err := Find("shove"); !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), "push, pull") {
		t.Error(err)
	}
}

// TestNothingToOpen: every workload returns an error if the NIC is already in use.
func TestNothingToOpen(t *testing.T) {
	f, err := fabric.Heap(3, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Enter(0); err != nil {
		t.Fatal(err)
	}
	for _, w := range Workloads() {
		if _, err := w.Open(pair.NewEnd(f, 0, w.Processes)); err == nil {
			t.Errorf("%s opens a NIC that is taken", w.Name)
		}
	}
}

// TestOtherIsGone: every workload ends with an error when the other process has ended.
func TestOtherIsGone(t *testing.T) {
	for _, w := range Workloads() {
		if w.Name == "pull" {
			continue // does not wait for another process
		}
		f, err := fabric.Heap(w.Processes, fabric.Default())
		if err != nil {
			t.Fatal(err)
		}
		e := pair.NewEnd(f, 0, w.Processes)
		side, err := w.Open(e)
		if err != nil {
			t.Fatal(err)
		}
		e.End(errors.New("struck by lightning"))
		if err := side.Run(0, 8, 3); err == nil && w.Processes == 2 { // of three, the first only waits for the call's end
			t.Errorf("%s: goes on alone", w.Name)
		}
		if _, err := e.Call(side, 0, 8, 3); err == nil || !strings.Contains(err.Error(), "lightning") {
			t.Errorf("%s: %v", w.Name, err)
		}
		_ = side.Close()
	}
}
