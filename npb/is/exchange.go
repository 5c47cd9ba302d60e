package is

import (
	"fmt"

	"rhinet/mpi"
)

// Message tags. A rank may begin the verification while others still receive keys.
const (
	tagKeys = iota
	tagLargest
)

// exchange sends every rank the keys of its buckets, and counts the keys of this rank by value: its own
// while the messages of the others are under way, and those of each message when it has arrived, while they
// are still in the caches.
//
// Every rank receives one message from every other rank, which may contain no keys. The number of keys that
// arrive is known from the totals, so no counts need to be sent. A message of the next iteration cannot be
// received in this one: its sender has left the Allreduce between the two, which no rank leaves before all
// ranks have entered it, and a rank enters it only after it has received all messages of this iteration.
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
			return err // the sends are abandoned: other ranks may have failed too
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

// clearCounts sets the counts of this rank's values to zero, and returns the first value.
func (s *sorter) clearCounts() (lo int32) {
	s.counts = grow(s.counts, (s.last-s.first)<<s.shift)
	clear(s.counts)
	return int32(s.first << s.shift)
}

// promised returns an error if the number of keys that arrived is not the one that the totals give.
func (s *sorter) promised(arrived, held int) error {
	if arrived != held {
		return fmt.Errorf("is: rank %d received %d keys, the bucket totals promise %d", s.rank, arrived, held)
	}
	return nil
}

// send starts sending the parts, beginning with the next rank, so that not all ranks send to rank 0 first.
func (s *sorter) send() {
	s.timers.Begin(phaseExchange)
	defer s.timers.End(phaseExchange)
	for i := 1; i < s.size; i++ {
		j := (s.rank + i) % s.size
		s.sends[j] = *mpi.Isend(s.world, s.parts[j], j, tagKeys)
	}
}

// sent waits until the sends that send started are complete.
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
