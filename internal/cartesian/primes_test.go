package cartesian

import (
	"slices"
	"testing"
)

// The prime factors of numbers that the methods divide by in different ways.
func TestPrimesOfNumbers(t *testing.T) {
	for n := 1; n < 3000; n++ {
		var want []int
		for p, rest := 2, n; rest > 1; p++ {
			for ; rest%p == 0; rest /= p {
				want = append(want, p)
			}
		}
		if got := primesOf(n); !slices.Equal(got, want) {
			t.Fatalf("%d: %v, want %v", n, got, want)
		}
	}
	for _, want := range [][]int{
		{2147483629, 2147483647}, {3037000493, 3037000493}, {65537, 65537, 65537}, {2, 4093, 4099, 4099, 4111},
		{4099, 4099, 4099, 4099, 4099}, {3, 2147483647}, {1<<61 - 1}, {7, 7, 73, 127, 337, 92737, 649657},
	} {
		n := 1
		for _, p := range want {
			n *= p
		}
		if got := primesOf(n); !slices.Equal(got, want) {
			t.Errorf("%d: %v, want %v", n, got, want)
		}
	}
}

// Where the numbers of a sequence meet modulo all factors at once, it finds none, and another one is tried.
func TestSequencesThatFindNoFactor(t *testing.T) {
	none := 0
	for _, n := range []uint64{4099 * 4099, 4099 * 4111, 4111 * 4127, 4127 * 4129, 65537 * 65537} {
		for c := range uint64(200) {
			switch d := dividedBy(n, c+1); {
			case d == 0:
				none++
			case d == 1 || d == n || n%d != 0:
				t.Fatalf("%d is no factor of %d", d, n)
			}
		}
	}
	if none == 0 {
		t.Error("each sequence finds a factor")
	}
}
