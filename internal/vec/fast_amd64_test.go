//go:build amd64 && !purego && !race

package vec

import "testing"

// A processor without AVX2 uses the loops in Go.
func TestWithoutAVX2(t *testing.T) {
	saved := hasAVX2
	defer func() { hasAVX2 = saved }()
	hasAVX2 = false
	in := make([]float64, 100)
	if n := fastSum(in, in) + fastMin(in, in) + fastMax(in, in); n != 0 {
		t.Errorf("%d elements by kernels", n)
	}
	TestSpecialPairs(t)
	TestCopy(t)
}

// Kinds without a kernel use the loops in Go, the others a kernel.
func TestKernelOfKind(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	if n := fastSum(make([]int16, 100), make([]int16, 100)); n != 0 {
		t.Errorf("int16: %d elements by kernels", n)
	}
	f, c := make([]float64, 100), make([]complex128, 100)
	if n := fastMin(f, f); n != 96 {
		t.Errorf("float64: %d elements by kernels", n)
	}
	if n := fastSum(c, c); n != 96 {
		t.Errorf("complex128: %d elements by kernels", n)
	}
}
