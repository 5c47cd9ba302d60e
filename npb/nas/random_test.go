package nas

import "testing"

func TestRandomFirstStates(t *testing.T) {
	for _, tc := range []struct {
		seed   uint64
		states [4]uint64
		values [4]float64
	}{
		{314159265, [4]uint64{55909509111989, 61155031930969, 45573031421645, 55279057169489},
			[4]float64{0.7945219111887383, 0.8690652738745399, 0.6476317284643329, 0.7855626502289539}},
		{271828183, [4]uint64{32883653486115, 55063727434591, 39106144873291, 46899331031975},
			[4]float64{0.46730482219622616, 0.7825026306504554, 0.5557317432659801, 0.6664795795355616}},
	} {
		r, f := NewRandom(tc.seed), NewRandom(tc.seed)
		if r.State() != tc.seed {
			t.Errorf("fresh state %d, want the seed %d", r.State(), tc.seed)
		}
		for i := range tc.states {
			if got := r.Next(); got != tc.states[i] || r.State() != got {
				t.Errorf("seed %d: x_%d = %d, want %d", tc.seed, i+1, got, tc.states[i])
			}
			if got := f.Float64(); got != tc.values[i] {
				t.Errorf("seed %d: value_%d = %v, want %v", tc.seed, i+1, got, tc.values[i])
			}
		}
	}
}

func TestPower(t *testing.T) {
	for n, want := range map[uint64]uint64{
		0: 1, 1: Multiplier, 4: 10035378892209, 8: 29146346075233, 32: 16326428699009,
		128: 15463640475137, 1 << 10: 30953364860929, 1 << 17: 62362532446209, 1 << 44: 1,
	} {
		if got := Power(n); got != want {
			t.Errorf("Power(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestSkipEqualsSteps(t *testing.T) {
	r := NewRandom(314159265)
	for n := range uint64(1000) {
		s := NewRandom(314159265)
		s.Skip(n)
		if s != r {
			t.Fatalf("Skip(%d) reaches %d, steps reach %d", n, s.State(), r.State())
		}
		r.Next()
	}
}
