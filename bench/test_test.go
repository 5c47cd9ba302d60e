package bench

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func sample() Test {
	return Test{Name: "x", Sizes: []int{8, 16, 32}, Min: 8, Max: 64, Unit: 8, Scale: 0.5, Moves: 1, Half: true}
}

func TestCheckSizes(t *testing.T) {
	small := sample()
	small.Min, small.Unit = 0, 1
	small.Max = 4
	for _, c := range []struct {
		sizes []int
		ok    bool
	}{{nil, true}, {[]int{8, 64, 3}, true}, {[]int{12}, false}, {[]int{128}, false}, {[]int{-8}, false}} {
		err := CheckSizes([]Test{sample(), small}, c.sizes)
		if (err == nil) != c.ok || err != nil && (!errors.Is(err, ErrInput) || !strings.Contains(err.Error(), "x takes multiples of 8 from 8 to 64")) {
			t.Errorf("%v: %v", c.sizes, err)
		}
	}
}

// TestMeasure: the median of five batches is the result, and sizes that a test cannot run are left to the
// other tests.
func TestMeasure(t *testing.T) {
	calls := map[int]int{}
	timed := func(bytes, reps int) (float64, error) {
		calls[bytes]++
		return float64(calls[bytes]%5+5) * 1e-6, nil // 6, 7, 8, 9, 5, 6 ...
	}
	var rows []Row
	sizes := []int{7, 8, 16}
	if err := sample().Measure(Steady(100*time.Microsecond), 3, sizes, timed, func(r Row) { rows = append(rows, r) }); err != nil {
		t.Fatal(err)
	}
	if len(rows) != 3 || calls[7] != 0 || rows[0].Microsecs != 3.5 || rows[0].Ranks != 3 || rows[1].Bytes != 16 || rows[2].Test != "x-half" {
		t.Errorf("%+v", rows)
	}
	if r := rows[0]; r.Repetitions != 4 || math.Abs(r.Spread-4/7.) > 1e-9 { // 20 us a batch, 5 us the last probe
		t.Errorf("%+v", r)
	}
	broken := errors.New("broken")
	for fail := 1; fail <= 8; fail++ {
		n := 0
		err := sample().Measure(Steady(100*time.Microsecond), 2, sizes, func(int, int) (float64, error) {
			if n++; n == fail {
				return 0, broken
			}
			return 1e-6, nil
		}, func(Row) {})
		if !errors.Is(err, broken) {
			t.Errorf("call %d fails: %v", fail, err)
		}
	}
}

// TestPolicy: the number of repetitions is computed from the slowest rank's time, and limited by number,
// volume and time.
func TestPolicy(t *testing.T) {
	suite := Policy{Batches: 1, Repetitions: 1000, Volume: 40 << 20, Time: time.Second}
	for _, c := range []struct {
		p       Policy
		bytes   int
		once    float64
		reps    int
		batches int
		calls   []int
	}{
		{suite, 8, 1e-6, 1000, 1, []int{2, 1, 1000}},
		{suite, 1 << 20, 1e-6, 40, 1, []int{2, 1, 40}},
		{suite, 64 << 20, 1e-6, 1, 1, []int{2, 1, 1}},
		{suite, 0, 0.125, 8, 1, []int{2, 1, 8}},
		{suite, 0, 0.05, 20, 1, []int{2, 1, 10, 20}},
		{suite, 0, 3, 1, 1, []int{2, 1}},
		{Steady(50 * time.Millisecond), 8, 1.0 / (1 << 20), 10485, 5, []int{2, 1, 10, 100, 1000, 10000, 10485, 10485, 10485, 10485, 10485}},
		{Steady(time.Hour), 8, 1e-9, 100_000, 5, []int{2, 1, 100_000, 100_000, 100_000, 100_000, 100_000}},
	} {
		var calls []int
		reps, batches, err := c.p.Run(c.bytes, func(reps int) (mine, slowest float64, err error) {
			calls = append(calls, reps)
			return c.once / 2, c.once, nil
		})
		if err != nil || reps != c.reps || len(batches) != c.batches || batches[0] != c.once/2 || !slices.Equal(calls, c.calls) {
			t.Errorf("%+v: %d repetitions, batches %v, calls %v, %v", c, reps, batches, calls, err)
		}
	}
	// The machine becomes a hundred times slower after the probes.
	once, n := 1.0/(1<<20), 0
	_, batches, err := Steady(50*time.Millisecond).Run(8, func(reps int) (mine, slowest float64, err error) {
		if n++; reps == 10485 {
			once = 100.0 / (1 << 20)
		}
		return once, once, nil
	})
	if err != nil || len(batches) != 1 || n != 7 {
		t.Errorf("%d batches, %d calls, %v", len(batches), n, err)
	}
}

// TestProbesOfASlowMoment: batches that are too short are dropped, and the following ones have the intended
// length, within the limits of time and number.
func TestProbesOfASlowMoment(t *testing.T) {
	for name, c := range map[string]struct {
		p     Policy
		slow  int // this call and those before take a hundred times their time
		calls []int
	}{
		"bounded by time":   {Steady(50 * time.Millisecond), 4, []int{2, 1, 10, 100, 104, 10485, 10485, 10485, 10485, 10485}},
		"bounded by number": {Policy{Batches: 1, Repetitions: 1000, Time: 10 * time.Millisecond}, 4, []int{2, 1, 10, 100, 104, 1000}},
		"twice":             {Steady(50 * time.Millisecond), 5, []int{2, 1, 10, 100, 104, 104, 10485, 10485, 10485, 10485, 10485}},
		"within half":       {Steady(50 * time.Millisecond), -1, []int{2, 1, 10, 100, 1000, 10000, 10485, 10485, 10485, 10485, 10485}},
	} {
		var calls []int
		reps, batches, err := c.p.Run(8, func(reps int) (mine, slowest float64, err error) {
			calls = append(calls, reps)
			once := 1.0 / (1 << 20)
			if len(calls) <= c.slow {
				once *= 100
			}
			return once, once, nil
		})
		last := c.calls[len(c.calls)-1]
		if err != nil || reps != last || len(batches) != c.p.Batches || batches[0] != 1.0/(1<<20) || !slices.Equal(calls, c.calls) {
			t.Errorf("%s: %d repetitions, batches %v, calls %v, %v", name, reps, batches, calls, err)
		}
	}
}

// TestOneBatchAtLeast: a batch counts even if the time is up after one that was too short to count.
func TestOneBatchAtLeast(t *testing.T) {
	took := []float64{97e-3, 4e-3, 9e-3} // of 10 ms each, and 100 in all at most
	n := 0
	_, batches, err := Steady(50*time.Millisecond).Run(8, func(reps int) (mine, slowest float64, err error) {
		once := 1e-6
		if reps > 1000 {
			once = took[n] / float64(reps)
			n++
		}
		return once, once, nil
	})
	if err != nil || len(batches) != 1 || n != len(took) {
		t.Errorf("batches %v, %v, after %d", batches, err, n)
	}
}

// TestHalf checks E5: the value is between two measured sizes, or the first size that is large enough.
func TestHalf(t *testing.T) {
	row := func(bytes int, rate float64) Row { return Row{Bytes: bytes, MBPerSec: rate} }
	for _, c := range []struct {
		rows []Row
		size int
		rate float64
	}{
		{[]Row{row(8, 10), row(16, 20), row(32, 60), row(64, 100), row(128, 90)}, 28, 50},
		{[]Row{row(8, 60), row(16, 100)}, 8, 50},
	} {
		got, ok := Half(c.rows)
		if !ok || got.Bytes != c.size || got.MBPerSec != c.rate {
			t.Errorf("%+v", got)
		}
	}
	for _, none := range [][]Row{nil, {row(8, 1)}, {row(8, 0), row(16, 0)}} {
		if _, ok := Half(none); ok {
			t.Errorf("of %v", none)
		}
	}
}
