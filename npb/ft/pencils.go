package ft

import (
	"errors"
	"fmt"

	"rhinet/mpi"
	"rhinet/npb/nas"
)

// pencils are one rank's part of the solution in the 2-D layout (section 4.4): the rank at (me1, me2) of a
// grid of p1 times p2 has first all x of a block of y (me1) and z (me2), then all y of a block of x (me1)
// and z (me2), and finally all z of a block of x (me1) and y (me2). Its messages go along the columns of
// the grid, with equal me2, and along the rows, with equal me1.
//
// The lines of a stage are numbered, and transformed 8 at a time in that order. Two arrays have them in
// cells, line by line: the values in space and in frequency. The others are sent and received, and hold
// single points, so that a block may be as narrow as one line.
type pencils struct {
	base
	column, row *mpi.Comm
	p1, p2      int
	me1, me2    int

	spaceY, spaceZ int // blocks of y and z in space
	blockX         int // of x in the others
	frequencyY     int // of y in frequency

	frequency []float64      // V, in cells
	out, in   []float64      // before and after an exchange; either may also hold the values in space, in cells
	message   int            // total numbers that are exchanged
	exy       [lanes]float64 // exponential factors of x and y of 8 lines
}

func newPencils(world *mpi.Comm, p params, grid [2]int, level nas.Level, timers bool) (*pencils, error) {
	s := &pencils{base: newBase(world, p, level, timers), p1: grid[0], p2: grid[1]}
	s.me1, s.me2 = world.Rank()/s.p2, world.Rank()%s.p2
	s.spaceY, s.spaceZ = p.ny/s.p1, p.nz/s.p2
	s.blockX, s.frequencyY = p.nx/s.p1, p.ny/s.p2
	s.message = 2 * p.nx * s.spaceY * s.spaceZ
	s.frequency = make([]float64, batches(s.blockX*s.frequencyY)*p.nz*cell)
	room := max(s.message, batches(s.spaceY*s.spaceZ)*p.nx*cell)
	s.out, s.in = make([]float64, room), make([]float64, room)
	var err error
	if s.column, err = world.Split(s.me2, s.me1); err != nil {
		return nil, err
	}
	s.row, err = world.Split(s.me1, s.me2)
	return s, err
}

// batches returns how many times 8 lines are transformed, including a last batch with possibly fewer.
func batches(lines int) int { return (lines + lanes - 1) / lanes }

func (s *pencils) layout() string { return fmt.Sprintf("2-D, %d x %d pencils", s.p1, s.p2) }

// free frees the communicators of rows and columns.
func (s *pencils) free() error { return errors.Join(s.column.Free(), s.row.Free()) }

// setUp makes the factors, the roots, and the initial values in space.
func (s *pencils) setUp() {
	s.timers.Begin(phaseSetUp)
	s.fill()
	nx, ny := s.p.nx, s.p.ny
	for g := range batches(s.spaceY * s.spaceZ) {
		var state [lanes]uint64
		for i := range state {
			line := min(g*lanes+i, s.spaceY*s.spaceZ-1)
			y, z := s.me1*s.spaceY+line%s.spaceY, s.me2*s.spaceZ+line/s.spaceY
			state[i] = nas.Skip(seed, 2*uint64(nx)*uint64(y+ny*z))
		}
		draw(s.in[g*nx*cell:][:nx*cell], state)
	}
	s.timers.End(phaseSetUp)
}

// The blocks of an exchange, each for or from one rank, differ in the order of the axes:
//
//	along a column: z, then x, then y fastest
//	along a row:    y, then z, then x fastest

// alongX returns batch g's lines of constant y and z in a block along a column.
func (s *pencils) alongX(g int) (l lines) {
	return s.batch(g, s.spaceY*s.spaceZ, 2*s.spaceY, func(line int) int {
		y, z := line%s.spaceY, line/s.spaceY
		return 2 * (z*s.blockX*s.spaceY + y)
	})
}

// columnY returns batch g's lines of constant x and z in a block along a column.
func (s *pencils) columnY(g int) lines {
	return s.batch(g, s.blockX*s.spaceZ, 2, func(line int) int { return 2 * line * s.spaceY })
}

// rowY returns the same lines in a block along a row.
func (s *pencils) rowY(g int) lines {
	return s.batch(g, s.blockX*s.spaceZ, 2*s.blockX*s.spaceZ, func(line int) int { return 2 * line })
}

// alongZ returns batch g's lines of constant x and y in a block along a row.
func (s *pencils) alongZ(g int) lines {
	return s.batch(g, s.blockX*s.frequencyY, 2*s.blockX, func(line int) int {
		x, y := line%s.blockX, line/s.blockX
		return 2 * (y*s.spaceZ*s.blockX + x)
	})
}

// batch returns the lines of batch g in a stage with all lines.
func (s *pencils) batch(g, all, stride int, place func(line int) int) lines {
	l := lines{used: min(lanes, all-g*lanes), stride: stride}
	for i := range l.at {
		l.at[i] = place(g*lanes + min(i, l.used-1))
	}
	return l
}

// forward transforms the values in space, which are in in, into frequency. Collective.
func (s *pencils) forward() error {
	p := &s.p
	s.timers.Begin(phaseXY)
	for g := range batches(s.spaceY * s.spaceZ) {
		s.k.take(s.work, p.nx, s.in, g*p.nx*cell, cell)
		s.px.transform(s.k, s.work)
		s.scatter(s.alongX(g), s.px, s.p1)
	}
	s.timers.End(phaseXY)
	if err := s.exchange(s.column); err != nil {
		return err
	}
	s.timers.Begin(phaseXY)
	for g := range batches(s.blockX * s.spaceZ) {
		s.gather(s.columnY(g), s.py, s.p1)
		s.scatter(s.rowY(g), s.py, s.p2)
	}
	s.timers.End(phaseXY)
	if err := s.exchange(s.row); err != nil {
		return err
	}
	s.timers.Begin(phaseZ)
	for g := range batches(s.blockX * s.frequencyY) {
		s.gather(s.alongZ(g), s.pz, s.p2)
		s.k.put(s.frequency, g*p.nz*cell, cell, s.work, s.pz.place)
	}
	s.timers.End(phaseZ)
	return nil
}

// step advances frequency in time and transforms it back into space, in out, with real and imaginary parts
// exchanged. Collective.
func (s *pencils) step() error {
	p := &s.p
	s.timers.Begin(phaseZ)
	for g := range batches(s.blockX * s.frequencyY) {
		s.factorsOf(g)
		s.k.takeEvolved(s.work, s.frequency, g*p.nz*cell, cell, &s.exy, 1, s.ez)
		s.pz.transform(s.k, s.work)
		s.scatter(s.alongZ(g), s.pz, s.p2)
	}
	s.timers.End(phaseZ)
	if err := s.exchange(s.row); err != nil {
		return err
	}
	s.timers.Begin(phaseXY)
	for g := range batches(s.blockX * s.spaceZ) {
		s.gather(s.rowY(g), s.py, s.p2)
		s.scatter(s.columnY(g), s.py, s.p1)
	}
	s.timers.End(phaseXY)
	if err := s.exchange(s.column); err != nil {
		return err
	}
	s.timers.Begin(phaseXY)
	for g := range batches(s.spaceY * s.spaceZ) {
		s.gather(s.alongX(g), s.px, s.p1)
		s.k.put(s.out, g*p.nx*cell, cell, s.work, s.px.place)
	}
	s.timers.End(phaseXY)
	return nil
}

// factorsOf makes the exponential factors of x and y of a batch of lines along z.
func (s *pencils) factorsOf(g int) {
	for i := range s.exy {
		line := min(g*lanes+i, s.blockX*s.frequencyY-1)
		s.exy[i] = s.ex[s.me1*s.blockX+line%s.blockX] * s.ey[s.me2*s.frequencyY+line/s.blockX]
	}
}

// gather copies lines from the blocks received from the ranks, and transforms them.
func (s *pencils) gather(l lines, along *plan, ranks int) {
	n, block := along.n/ranks, s.message/ranks
	for r := range ranks {
		l.gather(s.work[r*n*cell:], n, s.in[r*block:])
	}
	along.transform(s.k, s.work)
}

// scatter copies transformed lines to the blocks for the ranks.
func (s *pencils) scatter(l lines, along *plan, ranks int) {
	n, block := along.n/ranks, s.message/ranks
	for r := range ranks {
		l.scatter(s.out[r*block:], s.work, along.place[r*n:][:n])
	}
}

// exchange exchanges the blocks of out along a column or a row. Collective.
func (s *pencils) exchange(c *mpi.Comm) error {
	s.timers.Begin(phaseExchange)
	defer s.timers.End(phaseExchange)
	return mpi.Alltoall(c, s.out[:s.message], s.in[:s.message])
}

// checksum returns this rank's part of the checksum of the values in space.
func (s *pencils) checksum() (re, im float64) {
	s.timers.Begin(phaseChecksum)
	for j := 1; j <= terms; j++ {
		x, y, z := j%s.p.nx, 3*j%s.p.ny-s.me1*s.spaceY, 5*j%s.p.nz-s.me2*s.spaceZ
		if y < 0 || y >= s.spaceY || z < 0 || z >= s.spaceZ {
			continue
		}
		line := z*s.spaceY + y
		c := s.out[(line/lanes*s.p.nx+x)*cell+line%lanes:]
		im += c[0]
		re += c[lanes]
	}
	s.timers.End(phaseChecksum)
	n := s.p.points()
	return re / n, im / n
}
