// Package cfdtest has the common parts of the tests of BT, SP and LU.
package cfdtest

import (
	"errors"
	"math"
	"testing"

	"rhinet/npb/cfd"
)

// Norm is a norm as printed in the specification: one number for each of the five components.
type Norm = [cfd.Components]float64

// Near fails the test unless the components agree to the approximately 12 digits that the specification
// prints.
func Near(t *testing.T, name string, got, want Norm) {
	t.Helper()
	for m := range got {
		if d := math.Abs(got[m]/want[m] - 1); !(d <= 2e-11) {
			t.Errorf("%s, component %d: got %.13e, want %.13e", name, m, got[m], want[m])
		}
	}
}

// A Point is a check point in the first time step: an action, and the norm required after it.
type Point struct {
	Name string
	Do   func() error // nil: nothing
	Norm func() (Norm, error)
	Want Norm
}

// Follow goes through check points one after the other.
func Follow(t *testing.T, points ...Point) error {
	t.Helper()
	var all error
	for _, p := range points {
		if p.Do != nil {
			all = errors.Join(all, p.Do())
		}
		got, err := p.Norm()
		Near(t, p.Name, got, p.Want)
		all = errors.Join(all, err)
	}
	return all
}
