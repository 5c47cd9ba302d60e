package mg

import "rhinet/mpi"

// The tags of the two directions must differ: with two ranks along an axis
// both neighbours are the same one.
const (
	tagUp = iota
	tagDown
	tagHandUp
	tagHandDown
)

// buffers hold planes during an exchange; they are large enough for the largest faces.
type buffers struct{ toPlus, toMinus, fromPlus, fromMinus []float64 }

// bufferSize is the length of a buffer for faces of level l.
func bufferSize(l *level) int {
	n := 0
	for a := range axes {
		b := l.slab(a, 0)
		n = max(n, 2*b.count()) // two planes in a hand-over
	}
	return n
}

func newBuffers(l *level) buffers {
	n := bufferSize(l)
	b := func() []float64 { return make([]float64, n) }
	return buffers{b(), b(), b(), b()}
}

// exchange refreshes the ghosts of array a on level l, axis by axis.
func (s *solver) exchange(l *level, a []float64) error {
	if l.dead {
		return nil // its arrays are 0 and stay so
	}
	for axis, procs := range s.shape {
		var err error
		switch {
		case procs == 1:
			s.timers.Begin(phaseGhosts)
			l.wrap(a, axis)
			s.timers.End(phaseGhosts)
		case l.plus[axis] == l.minus[axis] && (axis != axisZ || l.plane <= smallPlane):
			err = s.swapPair(l, a, axis)
		case axis == axisZ:
			err = s.swapPlanes(l, a)
		default:
			err = s.swapFaces(l, a, axis)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// smallPlane is the size, in numbers, up to which planes are copied into one message rather than sent one
// by one from their place in the array.
const smallPlane = 1024

// swapPair exchanges along an axis with two owners: both neighbours are the same rank, so one message
// carries the faces of both sides.
func (s *solver) swapPair(l *level, a []float64, axis int) error {
	b, last := &s.buffers, l.own[axis]
	s.timers.Begin(phaseGhosts)
	n := l.pack(b.toPlus, a, l.face(axis, last))
	l.pack(b.toPlus[n:], a, l.face(axis, 1))
	s.timers.End(phaseGhosts)
	s.timers.Begin(phaseMessages)
	partner := l.plus[axis]
	_, err := mpi.Sendrecv(s.world, b.toPlus[:2*n], partner, tagUp, b.fromMinus[:2*n], partner, tagUp)
	s.timers.End(phaseMessages)
	if err != nil {
		return err
	}
	s.timers.Begin(phaseGhosts)
	l.unpack(a, b.fromMinus[:n], l.face(axis, 0))
	l.unpack(a, b.fromMinus[n:2*n], l.face(axis, last+1))
	s.timers.End(phaseGhosts)
	return nil
}

// swapPlanes exchanges along z, where a plane including its ghosts is contiguous in memory.
func (s *solver) swapPlanes(l *level, a []float64) error {
	cut := func(k int) []float64 { return a[origin+k*l.plane:][:l.plane] }
	last := l.own[axisZ]
	return s.swap(l, axisZ, cut(last), cut(1), cut(last+1), cut(0))
}

// swapFaces exchanges along x or y, through the buffers.
func (s *solver) swapFaces(l *level, a []float64, axis int) error {
	b, last := &s.buffers, l.own[axis]
	s.timers.Begin(phaseGhosts)
	n := l.pack(b.toPlus, a, l.face(axis, last))
	l.pack(b.toMinus, a, l.face(axis, 1))
	s.timers.End(phaseGhosts)
	if err := s.swap(l, axis, b.toPlus[:n], b.toMinus[:n], b.fromPlus[:n], b.fromMinus[:n]); err != nil {
		return err
	}
	s.timers.Begin(phaseGhosts)
	l.unpack(a, b.fromPlus[:n], l.face(axis, last+1))
	l.unpack(a, b.fromMinus[:n], l.face(axis, 0))
	s.timers.End(phaseGhosts)
	return nil
}

// swap sends to both neighbours along an axis and receives from both.
func (s *solver) swap(l *level, axis int, toPlus, toMinus, fromPlus, fromMinus []float64) error {
	s.timers.Begin(phaseMessages)
	defer s.timers.End(phaseMessages)
	plus, minus := l.plus[axis], l.minus[axis]
	up := mpi.Irecv(s.world, fromMinus, minus, tagUp)
	down := mpi.Irecv(s.world, fromPlus, plus, tagDown)
	sendUp := mpi.Isend(s.world, toPlus, plus, tagUp)
	sendDown := mpi.Isend(s.world, toMinus, minus, tagDown)
	_, err := up.Wait()
	for _, r := range [...]*mpi.Request{down, sendUp, sendDown} {
		if _, e := r.Wait(); err == nil {
			err = e
		}
	}
	return err
}

// handOver sends the interpolated values to the ranks that own points on the fine level l but none on the
// coarse level c; their neighbours have computed them. The axes are handled in order, by whole planes. A
// rank may send values along one axis that it has yet to receive along another; the later axes correct
// them.
func (s *solver) handOver(l, c *level, u []float64) error {
	if l.dead {
		return nil
	}
	b := &s.buffers
	for axis := range axes {
		if c.step[axis] < 2 {
			continue
		}
		plus, minus := l.plus[axis], l.minus[axis]
		if c.owns(axis) {
			n := l.pack(b.toPlus, u, l.slab(axis, 1))
			copy(b.toMinus, b.toPlus[:n])
			l.pack(b.toPlus[n:], u, l.slab(axis, 2))
			s.timers.Begin(phaseMessages)
			err := mpi.Send(s.world, b.toPlus[:2*n], plus, tagHandUp)
			if err == nil {
				err = mpi.Send(s.world, b.toMinus[:n], minus, tagHandDown)
			}
			s.timers.End(phaseMessages)
			if err != nil {
				return err
			}
			continue
		}
		low := l.slab(axis, 0)
		n := low.count()
		s.timers.Begin(phaseMessages)
		_, err := mpi.Recv(s.world, b.fromMinus[:2*n], minus, tagHandUp)
		if err == nil {
			_, err = mpi.Recv(s.world, b.fromPlus[:n], plus, tagHandDown)
		}
		s.timers.End(phaseMessages)
		if err != nil {
			return err
		}
		l.unpack(u, b.fromMinus[:n], low)
		l.unpack(u, b.fromMinus[n:2*n], l.slab(axis, 1))
		l.unpack(u, b.fromPlus[:n], l.slab(axis, 2))
	}
	return nil
}
