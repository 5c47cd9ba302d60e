package cfd

import (
	"rhinet/mpi"
	"rhinet/npb/nas"
)

// Sweeper solves the line systems of all cells of a rank in one direction after the other (section 2.3).
// With one rank, each group of lines is finished before the next one begins, with a state that stays in the
// cache.
type Sweeper struct {
	march           *March
	lines           *Lines
	comm            *mpi.Comm
	timers          *nas.Timers
	stages          [3][]stage
	ut, rt          []float64 // lines along x, transposed
	args            LineArgs
	tr              transposeArgs
	gather, scatter func(*transposeArgs)

	send, recv []float64
	// Requests, not pointers to them; inactive when there is nothing to wait for. A time step allocates
	// nothing.
	sending, receiving mpi.Request
}

// stage is the work on one cell in one direction.
type stage struct {
	cell   *Cell
	groups []group
	n      int       // interior points along the direction
	state  []float64 // see storage
	size   int       // state of a group
	rowsAt int
}

// newStage returns the work on the lines of a box in direction d.
func newStage(b *Box, d int, lines *Lines) stage {
	from, to := b.Inside(d)
	return stage{
		groups: b.groups(d), n: to - from,
		size:   (to - from + 2*lines.Lead) * lines.Width * Lanes,
		rowsAt: (b.Low[d] + from) * RowWidth,
	}
}

// NewSweeper prepares the solves; their messages go over comm.
func NewSweeper(comm *mpi.Comm, m *March, lines *Lines, level nas.Level, timers *nas.Timers) *Sweeper {
	s := &Sweeper{march: m, lines: lines, comm: comm, timers: timers}
	s.gather, s.scatter = transposeKernels(level)
	longest, widest, stored := 0, 0, 0
	for d := range 3 {
		total := 0
		for p := range m.Root {
			c := m.Cells[m.At(d, p)]
			st := newStage(&c.Box, d, lines)
			st.cell = c
			s.stages[d] = append(s.stages[d], st)
			longest, widest = max(longest, st.n), max(widest, len(st.groups))
			total += st.storage(m.Root)
		}
		stored = max(stored, total)
	}
	// The directions use the same memory, one after the other.
	state := make([]float64, stored)
	for d := range s.stages {
		rest := state
		for p := range s.stages[d] {
			st := &s.stages[d][p]
			n := st.storage(m.Root)
			st.state, rest = rest[:n], rest[n:]
		}
	}
	comps := m.Cells[0].UL.Stride[1] / m.Cells[0].UL.Comp
	points := roundUp(longest+2, Lanes) + Lanes
	s.ut = make([]float64, points*comps*Lanes)
	s.rt = make([]float64, points*Components*Lanes)
	if m.Root > 1 {
		message := widest * lines.Lead * lines.Width * Lanes
		s.send, s.recv = make([]float64, message), make([]float64, message)
	}
	return s
}

// storage returns the length of the states that must be kept between the passes: those of all groups, but
// only of one group if there is one rank.
func (st *stage) storage(root int) int {
	if root == 1 {
		return st.size
	}
	return len(st.groups) * st.size
}

// Solve runs both passes in direction d.
func (s *Sweeper) Solve(d int) error {
	last := s.march.Root - 1
	if last == 0 {
		st := &s.stages[d][0]
		for g := range st.groups {
			s.clearBefore(st, 0)
			s.forward(d, st, g, 0)
			s.clearAfter(st, 0)
			s.backward(d, st, g, 0)
		}
		return nil
	}
	for p := 0; p <= last; p++ {
		if err := s.forwardStage(d, p, last); err != nil {
			return err
		}
	}
	for p := last; p >= 0; p-- {
		if err := s.backwardStage(d, p, last); err != nil {
			return err
		}
	}
	return s.finish(&s.sending)
}

// clearBefore clears the state before the first point of a line, and clearAfter the solution after the
// last: the results of the identity rows on the boundary.
func (s *Sweeper) clearBefore(st *stage, at int) {
	clear(st.state[at:][:s.lines.Lead*s.lines.Width*Lanes])
}

func (s *Sweeper) clearAfter(st *stage, at int) {
	n := s.lines.Lead * s.lines.Width * Lanes
	clear(st.state[at+st.size-n:][:n])
}

// Tags of the solve messages; both carry the order of the stages.
const (
	tagForward = iota
	tagBackward
)

// solution is the size of one point of a group in a message of the second pass.
const solution = Components * Lanes

func (s *Sweeper) forwardStage(d, p, last int) error {
	st := &s.stages[d][p]
	chunk := s.lines.Lead * s.lines.Width * Lanes
	if err := s.finish(&s.receiving); err != nil {
		return err
	}
	for g := range st.groups {
		if p == 0 {
			s.clearBefore(st, g*st.size)
		} else {
			copy(st.state[g*st.size:][:chunk], s.recv[g*chunk:])
		}
	}
	// The data for the next stage arrives in the meantime.
	if p < last {
		buf := s.recv[:len(s.stages[d][p+1].groups)*chunk]
		s.receiving = *mpi.Irecv(s.comm, buf, s.march.Pred[d], tagForward)
	}
	for g := range st.groups {
		s.forward(d, st, g, g*st.size)
	}
	if err := s.finish(&s.sending); err != nil || p == last {
		return err
	}
	buf := s.send[:len(st.groups)*chunk]
	for g := range st.groups {
		copy(buf[g*chunk:][:chunk], st.state[g*st.size+st.n*s.lines.Width*Lanes:])
	}
	s.sending = *mpi.Isend(s.comm, buf, s.march.Succ[d], tagForward)
	return nil
}

func (s *Sweeper) backwardStage(d, p, last int) error {
	st := &s.stages[d][p]
	point := s.lines.Width * Lanes
	chunk := s.lines.Lead * solution
	y := s.lines.Y * Lanes
	if err := s.finish(&s.receiving); err != nil {
		return err
	}
	for g := range st.groups {
		if p == last {
			s.clearAfter(st, g*st.size)
			continue
		}
		after := st.state[g*st.size+(s.lines.Lead+st.n)*point+y:]
		for l := range s.lines.Lead {
			copy(after[l*point:][:solution], s.recv[g*chunk+l*solution:])
		}
	}
	if p > 0 {
		buf := s.recv[:len(s.stages[d][p-1].groups)*chunk]
		s.receiving = *mpi.Irecv(s.comm, buf, s.march.Succ[d], tagBackward)
	}
	for g := range st.groups {
		s.backward(d, st, g, g*st.size)
	}
	if err := s.finish(&s.sending); err != nil || p == 0 {
		return err
	}
	buf := s.send[:len(st.groups)*chunk]
	for g := range st.groups {
		first := st.state[g*st.size+s.lines.Lead*point+y:]
		for l := range s.lines.Lead {
			copy(buf[g*chunk+l*solution:][:solution], first[l*point:])
		}
	}
	s.sending = *mpi.Isend(s.comm, buf, s.march.Pred[d], tagBackward)
	return nil
}

// finish completes a request, if it is active.
func (s *Sweeper) finish(r *mpi.Request) error {
	s.timers.Begin(PhaseLines)
	_, err := r.Wait()
	s.timers.End(PhaseLines)
	return err
}

// forward eliminates along group g, whose state begins at at.
func (s *Sweeper) forward(d int, st *stage, g, at int) {
	s.prepare(d, st, g, at)
	if d == 0 {
		s.transpose(st, g, s.gather)
	}
	s.lines.Forward[d](&s.args)
}

// backward substitutes along group g.
func (s *Sweeper) backward(d int, st *stage, g, at int) {
	s.prepare(d, st, g, at)
	s.lines.Backward[d](&s.args)
	if d == 0 {
		gr, c := &st.groups[g], st.cell
		s.tr = transposeArgs{
			field: c.R, scratch: s.rt, at: c.RL.At(gr.i, gr.j, gr.k),
			row: 8 * c.RL.Stride[1], comp: 8 * c.RL.Comp, comps: Components, width: Components,
			count: st.n, valid: gr.valid,
		}
		s.scatter(&s.tr)
	}
}

// prepare sets the arguments of a pass over group g.
func (s *Sweeper) prepare(d int, st *stage, g, at int) {
	gr, c, a := &st.groups[g], st.cell, &s.args
	point := s.lines.Width * Lanes
	a.U, a.UAt, a.UComp, a.UStep = c.U, c.UL.At(gr.i, gr.j, gr.k), 8*c.UL.Comp, 8*c.UL.Stride[d]
	a.R, a.RAt, a.RComp, a.RStep = c.R, c.RL.At(gr.i, gr.j, gr.k), 8*c.RL.Comp, 8*c.RL.Stride[d]
	if d == 0 {
		comps := c.UL.Stride[1] / c.UL.Comp
		a.U, a.UAt, a.UComp, a.UStep = s.ut, comps*Lanes, 8*Lanes, 8*comps*Lanes
		a.R, a.RAt, a.RComp, a.RStep = s.rt, 0, 8*Lanes, 8*Components*Lanes
	}
	a.State, a.StateAt, a.StateStep = st.state, at+s.lines.Lead*point, 8*point
	a.Frame, a.Rows, a.RowsAt = s.lines.Frame, s.lines.Rows[d], st.rowsAt
	a.N, a.Valid = st.n, gr.valid
}

// transpose copies the states, with one neighbour on either side, and the right-hand sides of group g to
// the scratch.
func (s *Sweeper) transpose(st *stage, g int, kernel func(*transposeArgs)) {
	gr, c := &st.groups[g], st.cell
	at := c.UL.At(gr.i-1, gr.j, gr.k)
	for _, need := range s.lines.Needs {
		s.tr = transposeArgs{
			field: c.U, scratch: s.ut[need[0]*Lanes:], at: at + need[0]*c.UL.Comp,
			row: 8 * c.UL.Stride[1], comp: 8 * c.UL.Comp, comps: need[1] - need[0],
			count: st.n + 2, valid: gr.valid, width: c.UL.Stride[1] / c.UL.Comp,
		}
		kernel(&s.tr)
	}
	s.tr.field, s.tr.scratch, s.tr.at = c.R, s.rt, c.RL.At(gr.i, gr.j, gr.k)
	s.tr.row, s.tr.comp, s.tr.comps = 8*c.RL.Stride[1], 8*c.RL.Comp, Components
	s.tr.count, s.tr.width = st.n, Components
	kernel(&s.tr)
}
