package is

import (
	"fmt"

	"rhinet/mpi"
)

// Tags. The verification begins while others still receive keys.
const (
	tagKeys = iota
	tagLargest
)

// exchange sends every rank the keys of its buckets, and counts those of this
// rank by value: its own while the others' are on their way, and each message
// when it has come, as long as it lies in the caches.
//
// Everybody gets one message of everyone, if need be without keys. How many
// come together is known from the totals, so nobody has to say how many he
// sends. A message of the next iteration cannot overtake one of this: its sender
// has left the Allreduce between them, which no rank does before all have
// entered it, and so have received what belongs here.
func (s *sorter) exchange() error {
	if s.vector != nil {
		return s.exchangeVector()
	}
	own := s.parts[s.rank]
	s.received = grow(s.received, s.held-len(own))
	s.send()

	s.timers.Begin(phaseRanking)
	lo := s.clearCounts()
	count(s.counts, own, lo)
	s.timers.End(phaseRanking)

	arrived := 0
	for range s.size - 1 {
		s.timers.Begin(phaseExchange)
		st, err := mpi.Recv(s.world, s.received[arrived:], mpi.AnySource, tagKeys)
		s.timers.End(phaseExchange)
		if err != nil {
			return err // the sends are given up: others may have failed as well
		}
		s.timers.Begin(phaseRanking)
		count(s.counts, s.received[arrived:][:st.Count], lo)
		s.timers.End(phaseRanking)
		arrived += st.Count
	}
	if err := s.sent(); err != nil {
		return err
	}
	return s.promised(arrived, len(s.received))
}

// clearCounts makes the counts of this rank's values zero, and returns the first value.
func (s *sorter) clearCounts() (lo int32) {
	s.counts = grow(s.counts, (s.last-s.first)<<s.shift)
	clear(s.counts)
	return int32(s.first << s.shift)
}

// promised compares how many keys came with what the totals say.
func (s *sorter) promised(arrived, held int) error {
	if arrived != held {
		return fmt.Errorf("is: rank %d received %d keys, the bucket totals promise %d", s.rank, arrived, held)
	}
	return nil
}

// send begins to send the parts, first to the next rank and so on, so that not
// all begin with rank 0.
func (s *sorter) send() {
	s.timers.Begin(phaseExchange)
	defer s.timers.End(phaseExchange)
	for i := 1; i < s.size; i++ {
		j := (s.rank + i) % s.size
		s.sends[j] = *mpi.Isend(s.world, s.parts[j], j, tagKeys)
	}
}

// sent waits for what send began.
func (s *sorter) sent() error {
	s.timers.Begin(phaseExchange)
	defer s.timers.End(phaseExchange)
	for j := range s.sends {
		if _, err := s.sends[j].Wait(); err != nil {
			return err
		}
	}
	return nil
}
