package ft

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb/nas"
	"rhinet/npb/nas/nastest"
)

// The layout depends on the number of processes: one box, then slabs and, if there are more processes than
// planes, pencils (section 4.4).
func TestLayoutByNumber(t *testing.T) {
	for _, tc := range []struct {
		class nas.Class
		procs int
		want  [2]int
	}{
		{nas.S, 1, [2]int{1, 1}}, {nas.S, 64, [2]int{1, 64}}, {nas.S, 128, [2]int{64, 2}}, {nas.S, 4096, [2]int{64, 64}},
		{nas.W, 32, [2]int{1, 32}}, {nas.W, 64, [2]int{32, 2}}, {nas.A, 256, [2]int{128, 2}}, {nas.E, 2048, [2]int{1, 2048}},
	} {
		p := classes()[tc.class]
		if got := p.gridOf(tc.procs); got != tc.want || !p.cuts(got) {
			t.Errorf("class %s on %d: grid %v, want %v", tc.class, tc.procs, got, tc.want)
		}
	}
}

// Every shape of grid verifies, with blocks wider than a vector, exactly as wide, and narrower.
func TestGridsVerify(t *testing.T) {
	grids := map[nas.Class][][2]int{
		nas.S: {{1, 1}, {1, 4}, {2, 1}, {2, 2}, {4, 1}, {2, 4}, {4, 2}, {8, 1}, {4, 4}, {2, 8}, {8, 2}, {16, 1}},
		nas.W: {{2, 2}, {2, 4}, {4, 4}},
	}
	for _, class := range []nas.Class{nas.S, nas.W} {
		if testing.Short() && class != nas.S {
			continue
		}
		for _, grid := range grids[class] {
			r := nastest.Run(t, Kernel(), grid[0]*grid[1], nas.Config{Class: class, Grid: grid, Timers: true})
			if r.Verdict != nas.Successful || len(r.Phases) != 7 || r.Variant != fmt.Sprintf("grid %dx%d", grid[0], grid[1]) {
				t.Errorf("class %s on %v: %v %+v", class, grid, r.Verdict, r)
			}
			for _, c := range r.Checks {
				if !(c.Difference < 2e-13) {
					t.Errorf("class %s on %v: %+v", class, grid, c)
				}
			}
			want := "Layout: 2-D"
			if grid[0] == 1 {
				want = map[bool]string{true: "Layout: 0-D", false: "Layout: 1-D"}[grid[1] == 1]
			}
			if len(r.Details) == 0 || !strings.HasPrefix(r.Details[0], want) {
				t.Errorf("class %s on %v: details %q, want %s", class, grid, r.Details, want)
			}
		}
	}
}

// Pencils narrower than a vector: two lines, and one.
func TestNarrowPencils(t *testing.T) {
	for _, tc := range []struct {
		p    params
		grid [2]int
	}{
		{params{nx: 8, ny: 8, nz: 4}, [2]int{4, 4}},
		{params{nx: 8, ny: 8, nz: 4}, [2]int{8, 2}},
		{params{nx: 16, ny: 4, nz: 4}, [2]int{4, 4}},
	} {
		// A single rank; its lines along y are whole vectors only in boxes of at least 8.
		reference := make([]complex128, 3)
		sums := make([]complex128, 3)
		alone := func(world *mpi.Comm) error {
			s, err := newPencils(world, tc.p, [2]int{1, 1}, nas.Plain, false)
			if err != nil {
				return err
			}
			return solve(s, reference, func(int) error { return nil })
		}
		mpitest.Run(t, 1, alone)
		mpitest.Run(t, tc.grid[0]*tc.grid[1], func(world *mpi.Comm) error {
			s, err := newPencils(world, tc.p, tc.grid, nas.BestLevel(), false)
			if err != nil {
				return err
			}
			mine := make([]complex128, 3)
			if err := solve(s, mine, func(int) error { return nil }); err != nil {
				return err
			}
			if world.Rank() == 0 {
				copy(sums, mine)
			}
			return s.free()
		})
		for i, want := range reference {
			if d := math.Hypot(real(sums[i]-want), imag(sums[i]-want)); !(d < 1e-12*math.Hypot(real(want), imag(want))) || want == 0 {
				t.Errorf("%+v on %v: checksum %d is %v, want %v", tc.p, tc.grid, i+1, sums[i], want)
			}
		}
	}
}

func TestWrongGrids(t *testing.T) {
	for _, tc := range []struct {
		procs int
		class nas.Class
		grid  [2]int
		want  string
	}{
		{4, nas.S, [2]int{2, 4}, "ft class S: grid 2x4 is not for 4 processes; the product of its sides is their number"},
		{4, nas.S, [2]int{-2, -2}, "ft class S: grid -2x-2 is not for 4 processes"},
		{6, nas.S, [2]int{3, 2}, "ft class S: grid 3x2 does not cut the box of 64x64x64 points; its sides are powers of two, the first up to 64, the second up to 64"},
		{64, nas.W, [2]int{1, 64}, "ft class W: grid 1x64 does not cut the box of 128x128x32 points"},
		{128, nas.S, [2]int{128, 1}, "ft class S: grid 128x1 does not cut"},
		{1, 'X', [2]int{1, 1}, `ft: unknown class "X"`},
	} {
		if err := CheckGrid(tc.procs, tc.class, tc.grid); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%d ranks, class %s, grid %v: %v", tc.procs, tc.class, tc.grid, err)
		}
	}
	mpitest.Run(t, 2, func(world *mpi.Comm) error {
		if _, err := Run(world, nas.Config{Class: nas.S, Grid: [2]int{2, 2}}); err == nil || !strings.Contains(err.Error(), "is not for 2 processes") {
			t.Errorf("Run: %v", err)
		}
		return nil
	})
}

func TestPencilsDoNotAllocate(t *testing.T) {
	nastest.NoAllocation(t, []int{4}, func(world *mpi.Comm) (func() error, error) {
		s, err := newPencils(world, classes()[nas.S], [2]int{2, 2}, nas.BestLevel(), true)
		if err != nil {
			return nil, err
		}
		sums := make([]complex128, 1)
		return func() error { return solve(s, sums, func(int) error { return nil }) }, nil
	})
}
