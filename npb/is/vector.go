package is

import "rhinet/mpi"

// A vector holds what the variant alltoallv needs: the number of keys sent to and received from each rank,
// as messages (int32) and as arguments (int).
type vector struct {
	out, in       []int32
	sends, coming []int
}

func newVector(size int) *vector {
	return &vector{make([]int32, size), make([]int32, size), make([]int, size), make([]int, size)}
}

// exchangeVector exchanges the keys as the original does (section 5.3, step 7): with an Alltoall of the
// counts, one number for each pair of ranks, and then an Alltoallv of all keys, including the rank's own.
// So it measures these two operations; no keys are counted during the transfer.
func (s *sorter) exchangeVector() error {
	v := s.vector
	for j, part := range s.parts {
		v.out[j], v.sends[j] = int32(len(part)), len(part)
	}
	s.timers.Begin(phaseExchange)
	err := mpi.Alltoall(s.world, v.out, v.in)
	s.timers.End(phaseExchange)
	if err != nil {
		return err
	}
	total := 0
	for j, n := range v.in {
		v.coming[j] = int(n)
		total += int(n)
	}
	if err := s.promised(total, s.held); err != nil {
		return err
	}
	s.received = grow(s.received, total)
	s.timers.Begin(phaseExchange)
	err = mpi.Alltoallv(s.world, s.ordered, v.sends, nil, s.received, v.coming, nil)
	s.timers.End(phaseExchange)
	if err != nil {
		return err
	}
	s.parts[s.rank] = nil // it has arrived with the others

	s.timers.Begin(phaseRanking)
	lo := s.clearCounts()
	count(s.counts, s.received, lo)
	s.timers.End(phaseRanking)
	return nil
}
