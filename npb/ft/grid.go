package ft

import (
	"fmt"

	"rhinet/mpi"
	"rhinet/npb/nas"
)

// gridOf returns the default process grid for a number of processes (section 4.4): one slab of planes for
// each, or pencils if there are more processes than planes.
func (p *params) gridOf(procs int) [2]int {
	if procs <= p.nz {
		return [2]int{1, procs}
	}
	return [2]int{p.nz, procs / p.nz}
}

// cuts reports whether a grid cuts the box into equal parts.
func (p *params) cuts(grid [2]int) bool {
	a, b := grid[0], grid[1]
	return nas.IsPowerOfTwo(a) && nas.IsPowerOfTwo(b) && a <= min(p.nx, p.ny) && b <= min(p.ny, p.nz)
}

// CheckGrid returns nil if procs processes can run the class on a grid: in space, x is cut into grid[0]
// parts and z into grid[1]; y is cut into either.
func CheckGrid(procs int, class nas.Class, grid [2]int) error {
	p, err := classes().Lookup(name, class)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("ft class %s: grid %dx%d", class, grid[0], grid[1])
	switch {
	case grid[0] < 1 || grid[1] < 1 || grid[0]*grid[1] != procs:
		return fmt.Errorf("%s is not for %s; the product of its sides is their number", text, nas.Processes(procs))
	case !p.cuts(grid):
		return fmt.Errorf("%s does not cut the box of %dx%dx%d points; its sides are powers of two, the first up to %d, the second up to %d",
			text, p.nx, p.ny, p.nz, min(p.nx, p.ny), min(p.ny, p.nz))
	}
	return nil
}

// newField returns this rank's part of the box on the given grid, or on the default one for the number of
// ranks, and its timers. Collective.
func newField(world *mpi.Comm, p params, grid [2]int, level nas.Level, timers bool) (field, *nas.Timers, error) {
	if grid == [2]int{} {
		grid = p.gridOf(world.Size())
	}
	if grid[0] == 1 {
		s := newSolver(world, p, level, timers)
		return s, s.timers, nil
	}
	s, err := newPencils(world, p, grid, level, timers)
	if err != nil {
		return nil, nil, err
	}
	return s, s.timers, nil
}
