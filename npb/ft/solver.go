package ft

import (
	"fmt"
	"math"

	"rhinet/mpi"
	"rhinet/npb/nas"
)

// The phases of the timed section.
const (
	phaseSetUp = iota
	phaseZ
	phaseXY
	phaseExchange
	phaseChecksum
	phaseReduce
)

// A field is one rank's part of the box in one of the layouts, in space and in
// frequency.
type field interface {
	setUp()
	forward() error // from space into frequency; collective
	step() error    // in time, and back into space; collective
	checksum() (re, im float64)
	reduce(re, im float64) (complex128, error)
	layout() string
	free() error
}

// A base is what all layouts have in common.
type base struct {
	world      *mpi.Comm
	p          params
	timers     *nas.Timers
	k          *kernels
	px, py, pz *plan
	ex, ey, ez []float64 // exponential factors along the axes
	work       []float64 // lines being transformed
	sum        [2]float64
}

func newBase(world *mpi.Comm, p params, level nas.Level, timers bool) base {
	return base{
		world: world, p: p, k: newKernels(level),
		timers: nas.NewTimers(timers,
			nas.Phase{Name: "set-up"}, nas.Phase{Name: "transform along z"},
			nas.Phase{Name: "transform along x, y"}, nas.Phase{Name: "exchange", Comm: true},
			nas.Phase{Name: "checksum"}, nas.Phase{Name: "checksum sum", Comm: true}),
		px: newPlan(p.nx), py: newPlan(p.ny), pz: newPlan(p.nz),
		ex: make([]float64, p.nx), ey: make([]float64, p.ny), ez: make([]float64, p.nz),
		work: make([]float64, max(p.nx, p.ny, p.nz)*cell),
	}
}

// fill makes the exponential factors and the roots of unity.
func (b *base) fill() {
	factors(b.ex)
	factors(b.ey)
	factors(b.ez)
	b.px.fill()
	b.py.fill()
	b.pz.fill()
}

// A solver is one rank's part of the solution in the layout with one slab for each rank, or a single slab
// if there is one rank.
type solver struct {
	base
	rank, size int
	slabY      int // planes of y in frequency order
	slabZ      int // planes of z in space and mixed order

	// Strides in numbers: a row is all x of one y, in cells of x; a sheet is the rows of one z in a slab of
	// y; a part is what is sent to one rank.
	row, sheet, part int

	frequency []float64 // V
	mixed     []float64 // send buffer, and later the values in space
	received  []float64 // the same array as mixed if there is one rank
	plane     []float64 // one z, all y, in cells of x
	planeRow  int       // its stride
}

func newSolver(world *mpi.Comm, p params, level nas.Level, timers bool) *solver {
	s := &solver{base: newBase(world, p, level, timers), rank: world.Rank(), size: world.Size()}
	s.slabY, s.slabZ = p.ny/s.size, p.nz/s.size
	s.row = 2 * p.nx
	// The additional cell keeps sheets from sharing the same sets of the cache.
	s.sheet = s.slabY*s.row + cell
	s.part = s.slabZ * s.sheet
	s.planeRow = s.row + cell
	s.frequency = make([]float64, p.nz*s.sheet)
	s.mixed = make([]float64, p.nz*s.sheet)
	s.received = s.mixed
	if s.size > 1 {
		s.received = make([]float64, p.nz*s.sheet)
	}
	s.plane = make([]float64, p.ny*s.planeRow)
	return s
}

// layout returns the name of the layout for the report.
func (s *solver) layout() string {
	if s.size == 1 {
		return "0-D"
	}
	return fmt.Sprintf("1-D, %d slabs", s.size)
}

func (s *solver) free() error { return nil }

// setUp makes the exponential factors, the roots of unity, and the initial
// values in space.
func (s *solver) setUp() {
	s.timers.Begin(phaseSetUp)
	s.fill()
	for z := range s.slabZ {
		for y := 0; y < s.p.ny; y += lanes {
			line := uint64(y + s.p.ny*(s.rank*s.slabZ+z))
			initialise(s.mixed[s.space(z, y):][:s.row*lanes], line*uint64(s.p.nx), s.p.nx)
		}
	}
	s.timers.End(phaseSetUp)
}

// factors fills e with exp(-4 alpha pi^2 k^2), k the signed frequency.
func factors(e []float64) {
	n := len(e)
	for i := range e {
		k := float64((i+n/2)%n - n/2)
		e[i] = math.Exp(-4 * alpha * math.Pi * math.Pi * k * k)
	}
}

// initialise fills 8 lines of nx points with random numbers, real part first. Point 0 of the first line has
// number point in the box; the lines follow one another.
func initialise(cells []float64, point uint64, nx int) {
	var state [lanes]uint64
	for y := range state {
		state[y] = nas.Skip(seed, 2*(point+uint64(y*nx)))
	}
	draw(cells, state)
}

// draw fills cells with the random numbers that follow the states, one for each
// line.
func draw(cells []float64, state [lanes]uint64) {
	for ; len(cells) >= cell; cells = cells[cell:] {
		c := (*[cell]float64)(cells)
		for y, x := range state {
			re := x * nas.Multiplier & nas.Mask
			im := re * nas.Multiplier & nas.Mask
			c[y], c[y+lanes] = float64(int64(re))*nas.Scale, float64(int64(im))*nas.Scale
			state[y] = im
		}
	}
}

// space returns the index of the cells of 8 lines along x in space order; y is the first line.
func (s *solver) space(z, y int) int { return z*(s.p.ny*s.row+cell) + y*s.row }

// checksum returns this rank's part of the checksum of the values in space,
// which have their real and imaginary parts exchanged.
func (s *solver) checksum() (re, im float64) {
	s.timers.Begin(phaseChecksum)
	for j := 1; j <= terms; j++ {
		x, y, z := j%s.p.nx, 3*j%s.p.ny, 5*j%s.p.nz-s.rank*s.slabZ
		if z < 0 || z >= s.slabZ {
			continue
		}
		c := s.mixed[s.space(z, y-y%lanes)+x*cell+y%lanes:]
		im += c[0]
		re += c[lanes]
	}
	s.timers.End(phaseChecksum)
	n := s.p.points()
	return re / n, im / n
}

// reduce sums the checksum on rank 0.
func (s *base) reduce(re, im float64) (complex128, error) {
	s.timers.Begin(phaseReduce)
	defer s.timers.End(phaseReduce)
	s.sum = [2]float64{re, im}
	err := mpi.Reduce(s.world, s.sum[:], s.sum[:], mpi.Sum, 0)
	return complex(s.sum[0], s.sum[1]), err
}
