//go:build amd64 && !purego && !race

package vec

import (
	"bytes"
	"slices"
	"testing"
)

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

// Copy moves the same bytes whether or not it does so by lines.
func TestCopyByLines(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	defer func(saved bool) { stringsOfLines = saved }(stringsOfLines)
	for _, stringsOfLines = range []bool{false, true} {
		if ByLines(shortestLines) != stringsOfLines || ByLines(shortestLines-1) {
			t.Errorf("strings %v: %v and %v by lines", stringsOfLines, ByLines(shortestLines), ByLines(shortestLines-1))
		}
		TestCopy(t)
		TestCopyOfOverlap(t)
	}
}

// TestMoveLines compares moveLines, which most processors do not use, and movePast with copy, at lengths around a
// line and at all alignments of both sides.
func TestMoveLines(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	const guard, longest = 64, 5000
	src, dst := make([]byte, longest+guard), make([]byte, longest+3*guard)
	for i := range src {
		src[i] = byte(i*7 ^ i>>8)
	}
	for name, move := range map[string]func(dst, src *byte, n int){"moveLines": moveLines, "movePast": movePast} {
		for _, n := range []int{64, 65, 127, 128, 129, 191, 192, 193, 255, 256, 2559, 2560, 2561, 4096, 4160, longest} {
			for from := range guard {
				for to := range guard {
					clear(dst)
					at := guard + to
					move(&dst[at], &src[from], n)
					if !bytes.Equal(dst[at:at+n], src[from:from+n]) {
						t.Fatalf("%s: %d bytes from %d to %d: something else was copied", name, n, from, to)
					}
					if clear(dst[at : at+n]); slices.Max(dst) != 0 {
						t.Fatalf("%s: %d bytes from %d to %d: more was written", name, n, from, to)
					}
				}
			}
		}
	}
}
