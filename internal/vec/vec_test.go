package vec

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// check compares an operation with its reference on random elements, with lengths around the kernels' steps
// and at several alignments. The elements around inout and all of in must stay unchanged.
func check[T comparable](t *testing.T, name string, op func(in, inout []T), reference func(a, b T) T, random func(*rand.Rand) T) {
	t.Helper()
	t.Run(fmt.Sprintf("%s/%T", name, *new(T)), func(t *testing.T) {
		const guard = 5
		r := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{0, 1, 2, 15, 16, 31, 32, 33, 63, 64, 65, 95, 96, 127, 128, 200, 1000} {
			for shift := range 4 {
				in, inout := make([]T, n+2*guard), make([]T, n+2*guard)
				for i := range in {
					in[i], inout[i] = random(r), random(r)
				}
				in0, inout0 := append([]T{}, in...), append([]T{}, inout...)
				lo := guard - shift
				op(in[lo:lo+n+1], inout[lo:lo+n]) // elements of in beyond the length of inout are not used
				for i := range inout {
					want := inout0[i]
					if i >= lo && i < lo+n {
						want = reference(in[i], inout0[i])
					}
					if !same(inout[i], want) {
						t.Fatalf("length %d, shift %d, element %d: %v op %v = %v, want %v", n, shift, i-lo, in0[i], inout0[i], inout[i], want)
					}
					if !same(in[i], in0[i]) {
						t.Fatalf("length %d: in was written", n)
					}
				}
			}
		}
		same := make([]T, 70)
		for i := range same {
			same[i] = random(r)
		}
		if n := testing.AllocsPerRun(10, func() { op(same, same) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// same compares the bits, except those of NaNs.
func same[T comparable](a, b T) bool {
	switch a := any(a).(type) {
	case float64:
		b := any(b).(float64)
		return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
	case float32:
		b := any(b).(float32)
		return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
	}
	return a == b
}

func checkNumber[T Number](t *testing.T, random func(*rand.Rand) T) {
	check(t, "Sum", Sum[T], func(a, b T) T { return b + a }, random)
	check(t, "Prod", Prod[T], func(a, b T) T { return b * a }, random)
}

func checkReal[T Real](t *testing.T, random func(*rand.Rand) T) {
	checkNumber(t, random)
	check(t, "Min", Min[T], func(a, b T) T { return min(b, a) }, random)
	check(t, "Max", Max[T], func(a, b T) T { return max(b, a) }, random)
	bit := func(b bool) T {
		if b {
			return 1
		}
		return 0
	}
	some := func(r *rand.Rand) T { // zero is as likely as not
		if r.IntN(2) == 0 {
			return 0
		}
		return random(r)
	}
	check(t, "LAnd", LAnd[T], func(a, b T) T { return bit(a != 0 && b != 0) }, some)
	check(t, "LOr", LOr[T], func(a, b T) T { return bit(a != 0 || b != 0) }, some)
	check(t, "LXor", LXor[T], func(a, b T) T { return bit(a != 0 && b == 0 || a == 0 && b != 0) }, some)
}

func checkInteger[T Integer](t *testing.T) {
	random := func(r *rand.Rand) T { return T(r.Uint64()) }
	checkReal(t, random)
	check(t, "BAnd", BAnd[T], func(a, b T) T { return a & b }, random)
	check(t, "BOr", BOr[T], func(a, b T) T { return a | b }, random)
	check(t, "BXor", BXor[T], func(a, b T) T { return a ^ b }, random)
}

// special mixes ordinary numbers with those that are special in comparisons.
func special(r *rand.Rand) float64 {
	odd := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, 1, -1, math.SmallestNonzeroFloat64}
	if i := r.IntN(2 * len(odd)); i < len(odd) {
		return odd[i]
	}
	return r.NormFloat64()
}

type celsius float64

func TestOperations(t *testing.T) {
	checkInteger[int8](t)
	checkInteger[int16](t)
	checkInteger[int32](t)
	checkInteger[int64](t)
	checkInteger[int](t)
	checkInteger[uint8](t)
	checkInteger[uint16](t)
	checkInteger[uint32](t)
	checkInteger[uint64](t)
	checkInteger[uint](t)
	checkInteger[uintptr](t)
	checkReal(t, special)
	checkReal(t, func(r *rand.Rand) float32 { return float32(special(r)) })
	checkReal(t, func(r *rand.Rand) celsius { return celsius(r.NormFloat64()) })
	checkNumber(t, func(r *rand.Rand) complex128 { return complex(r.NormFloat64(), r.NormFloat64()) })
	checkNumber(t, func(r *rand.Rand) complex64 { return complex(r.Float32(), r.Float32()) })

	truth := func(r *rand.Rand) bool { return r.IntN(2) == 0 }
	check(t, "BoolAnd", BoolAnd[bool], func(a, b bool) bool { return a && b }, truth)
	check(t, "BoolOr", BoolOr[bool], func(a, b bool) bool { return a || b }, truth)
	check(t, "BoolXor", BoolXor[bool], func(a, b bool) bool { return a != b }, truth)
}

// Every pair of special values meets in every lane.
func TestSpecialPairs(t *testing.T) {
	zero := math.Copysign(0, -1)
	odd := []float64{0, zero, math.Inf(1), math.Inf(-1), math.NaN(), 1, -1}
	for _, a := range odd {
		for _, b := range odd {
			in, low, high := make([]float64, 64), make([]float64, 64), make([]float64, 64)
			in4, low4, high4 := make([]float32, 64), make([]float32, 64), make([]float32, 64)
			for i := range in {
				in[i], low[i], high[i] = a, b, b
				in4[i], low4[i], high4[i] = float32(a), float32(b), float32(b)
			}
			Min(in, low)
			Max(in, high)
			Min(in4, low4)
			Max(in4, high4)
			for i := range in {
				if !same(low[i], min(b, a)) || !same(high[i], max(b, a)) {
					t.Errorf("float64 %v, %v: min %v, max %v", a, b, low[i], high[i])
				}
				if !same(float64(low4[i]), min(b, a)) || !same(float64(high4[i]), max(b, a)) {
					t.Errorf("float32 %v, %v: min %v, max %v", a, b, low4[i], high4[i])
				}
			}
		}
	}
}

func TestShortInputPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Sum(make([]int64, 63), make([]int64, 64)[:64:64])
}

func BenchmarkSum(b *testing.B) {
	for _, n := range []int{1, 8, 64, 1024, 16384} {
		b.Run(fmt.Sprintf("float64/%d", n), func(b *testing.B) {
			in, inout := make([]float64, n), make([]float64, n)
			b.SetBytes(int64(8 * n))
			for b.Loop() {
				Sum(in, inout)
			}
		})
	}
}
