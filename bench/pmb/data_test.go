package pmb

import "testing"

// The data of every length are those of pattern and value, and nothing behind them is written.
func TestFill(t *testing.T) {
	for _, n := range []int{0, 1, period - 1, period, period + 1, 2*period + 7, 5 * period} {
		bytes, floats := make([]byte, n+1), make([]float32, n+1)
		fill(bytes[:n], func(i int) byte { return pattern(3, i) })
		fill(floats[:n], func(i int) float32 { return value(3, i) })
		for i := range n {
			if bytes[i] != pattern(3, i) || floats[i] != value(3, i) {
				t.Fatalf("%d values: number %d is %d and %g, want %d and %g", n, i, bytes[i], floats[i], pattern(3, i), value(3, i))
			}
		}
		if bytes[n] != 0 || floats[n] != 0 {
			t.Errorf("%d values: one more is written", n)
		}
	}
}
