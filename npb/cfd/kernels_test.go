package cfd

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"rhinet/npb/nas"
)

// guard marks memory that a kernel must not write.
const guard = -7777.25

func guarded(n int) []float64 {
	f := make([]float64, n)
	for i := range f {
		f[i] = guard
	}
	return f
}

// disturbed returns the initial field with a little noise, which breaks all symmetries.
func disturbed(rnd *rand.Rand) func(n, i, j, k int) norm {
	return func(n, i, j, k int) norm {
		u := Initial(n, i, j, k)
		for m := range u {
			u[m] *= 1 + 0.01*rnd.Float64()
		}
		u[4] += 5 * u[0] // keeps e - q positive
		return u
	}
}

// agree compares two fields: they must be equal up to a difference relative to the largest value, and
// unchanged elsewhere.
func agree(t *testing.T, name string, got, want []float64, tolerance float64) {
	t.Helper()
	largest := 0.0
	for _, x := range want {
		if x != guard && !math.IsInf(x, 0) {
			largest = math.Max(largest, math.Abs(x))
		}
	}
	for i, x := range want {
		if d := math.Abs(got[i] - x); !(d <= tolerance*largest) && got[i] != x {
			t.Fatalf("%s: at %d got %v, want %v", name, i, got[i], x)
		}
		if (x == guard) != (got[i] == guard) {
			t.Fatalf("%s: wrote beyond the run, at %d", name, i)
		}
	}
}

// TestOperatorLevels compares the assembly with plain Go, to 1e-13 of the largest value, for runs of
// several lengths; memory outside the runs must stay unchanged.
func TestOperatorLevels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{12, 13, 19, 31} {
		box := Box{N: n, Edge: [3]int{n, n, n}}
		layouts := []Layout{
			ByRows:      RowLayout(box.Edge, Ghosts, Sound+1, 1),
			ByDiagonals: DiagonalLayout(box.Edge, Ghosts, Sound+1, 1),
		}
		for order, l := range layouts {
			u, f := l.New(), l.New()
			box.Fill(u, &l, disturbed(rnd))
			box.Fill(f, &l, disturbed(rnd))
			fillPrimitives(NewPrimitives(Sound+1, nas.Plain), u, &l, box)
			for _, transform := range []bool{false, true} {
				run := func(level nas.Level) []float64 {
					r := guarded(l.Size)
					NewOperator(Plan{Box: box, U: l, R: l, Order: Order(order), Scale: 0.01, Transform: transform, Level: level}).Apply(r, u, f)
					return r
				}
				want := run(nas.Plain)
				for _, level := range nas.Levels()[1:] {
					agree(t, level.String(), run(level), want, 1e-13)
				}
			}
		}
	}
}

func TestPrimitiveLevels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	box := Box{N: 20, Edge: [3]int{20, 1, 1}}
	l := RowLayout(box.Edge, Ghosts, Sound+1, 1)
	u := guarded(l.Size)
	box.Fill(u, &l, disturbed(rnd))
	for comps := Sound; comps <= Sound+1; comps++ {
		for n := 1; n <= 20; n++ {
			run := func(level nas.Level) []float64 {
				v := append([]float64(nil), u...)
				NewPrimitives(comps, level).Fill(v, &l, l.At(0, 0, 0), n)
				return v
			}
			for _, level := range nas.Levels()[1:] {
				agree(t, level.String(), run(level), run(nas.Plain), 1e-15)
			}
		}
	}
}

// TestTransposeLevels transposes blocks of all shapes and transposes them back; copies are exact.
func TestTransposeLevels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	const comps, row = 3, 40
	field := make([]float64, 64+Lanes*comps*row+64)
	for i := range field {
		field[i] = rnd.Float64()
	}
	for _, level := range nas.Levels() {
		gather, scatter := transposeKernels(level)
		for count := 1; count <= 20; count++ {
			for valid := 1; valid <= Lanes; valid++ {
				a := &transposeArgs{
					field: field, scratch: guarded((count + 2*Lanes) * (comps + 1) * Lanes), at: 67,
					row: 8 * comps * row, comp: 8 * row, comps: comps, count: count, valid: valid, width: comps + 1,
				}
				gather(a)
				a.field = guarded(len(field))
				scatter(a)
				for i, x := range a.field {
					m, x0 := (i-67)/row%comps, (i-67)%row
					inside := i >= 67 && (i-67)/(row*comps) < valid && x0 < count && m < comps
					if inside && x != field[i] || !inside && x != guard {
						t.Fatalf("%v, %d columns, %d rows: at %d got %v", level, count, valid, i, x)
					}
				}
			}
		}
	}
}

// TestFieldOffsets compares the layout of the arguments with what the assembly expects.
func TestFieldOffsets(t *testing.T) {
	for _, c := range []struct {
		args    any
		offsets []uintptr
	}{
		{opArgs{}, []uintptr{0, 24, 48, 72, 96, 120, 144, 168, 176, 184, 192, 200, 208, 216, 224}},
		{primitiveArgs{}, []uintptr{0, 24, 32, 40, 48}},
		{transposeArgs{}, []uintptr{0, 24, 48, 56, 64, 72, 80, 88, 96}},
		{LineArgs{}, []uintptr{0, 24, 48, 72, 96, 120, 128, 136, 144, 152, 160, 168, 176, 184, 192, 200}},
	} {
		typ := reflect.TypeOf(c.args)
		if typ.NumField() != len(c.offsets) {
			t.Errorf("%v has %d fields, the assembly knows %d", typ, typ.NumField(), len(c.offsets))
			continue
		}
		for i, want := range c.offsets {
			if f := typ.Field(i); f.Offset != want {
				t.Errorf("%v.%s is at %d, the assembly expects %d", typ, f.Name, f.Offset, want)
			}
		}
	}
}
