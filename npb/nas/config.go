package nas

import (
	"encoding/json"
	"fmt"

	"rhinet/mpi"
)

// A Config says how to run a kernel. All ranks pass the same values, except
// Progress, which only rank 0 calls.
type Config struct {
	Class Class

	// Iterations replaces the class's own number of iterations (time steps) if it is positive. Unless it
	// equals that number, the class of the run is Unknown and the run is not verified. EP has no iterations
	// and ignores it.
	Iterations int

	// Variant names another form of a kernel's communication, one of Kernel.Variants; empty means the usual
	// one. Kernels without variants ignore it.
	Variant string

	// Grid is the process grid, for a kernel whose grid can be chosen, see Kernel.CheckGrid; zero means
	// that the kernel chooses. Other kernels ignore it.
	Grid [2]int

	// Timers turns on timing of each phase, for Result.Phases.
	Timers bool

	// Clock, if not nil, returns the time of this rank in seconds. It is needed when several ranks share
	// one process. Phases are timed with mpi.Wtime all the same.
	Clock func() float64

	// Progress, if not nil, is called on rank 0 when iteration k of n begins (k = 1..n). The call is inside
	// the timed section.
	Progress func(k, n int)
}

// Wtime returns the time of this rank, as mpi.Wtime does.
func (c *Config) Wtime() float64 {
	if c.Clock != nil {
		return c.Clock()
	}
	return mpi.Wtime()
}

// Count returns the number of iterations to run, and whether it is the class's own number, so that the
// result can be verified.
func (c *Config) Count(own int) (iterations int, verifiable bool) {
	if c.Iterations <= 0 || c.Iterations == own {
		return own, true
	}
	return c.Iterations, false
}

// Step calls Progress on rank 0, if it is set.
func (c *Config) Step(rank, k, n int) {
	if rank == 0 && c.Progress != nil {
		c.Progress(k, n)
	}
}

// A Problem describes what a kernel computes for one class.
type Problem struct {
	Kernel     string // in capitals, such as "CG"
	Class      Class
	Size       Size
	Iterations int
	TimeStep   float64 // BT, SP, LU; 0 elsewhere
}

// A Size is the extent of a problem: the edges of a grid, or one number.
type Size struct {
	Count int64
	Grid  [3]int
}

// Count returns the Size of a problem without a grid.
func Count(n int64) Size { return Size{Count: n} }

// Grid returns the Size of a problem on a grid.
func Grid(nx, ny, nz int) Size {
	return Size{Count: int64(nx) * int64(ny) * int64(nz), Grid: [3]int{nx, ny, nz}}
}

// String returns the size as in the NPB report: 1400 or "  12x  12x  12".
func (s Size) String() string {
	if s.Grid == [3]int{} {
		return fmt.Sprint(s.Count)
	}
	return fmt.Sprintf("%4dx%4dx%4d", s.Grid[0], s.Grid[1], s.Grid[2])
}

// MarshalJSON writes a number, or an array of three edges.
func (s Size) MarshalJSON() ([]byte, error) {
	if s.Grid == [3]int{} {
		return json.Marshal(s.Count)
	}
	return json.Marshal(s.Grid)
}
