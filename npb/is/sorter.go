package is

import (
	"rhinet/mpi"
	"rhinet/npb/nas"
)

// A sorter is one rank's part of the sort.
type sorter struct {
	world      *mpi.Comm
	p          params
	rank, size int
	buckets    int
	shift      uint // bucket of a key: key >> shift
	timers     *nas.Timers

	keys    []int32 // own keys, positions rank*len(keys) and up
	ordered []int32 // the same by bucket

	// Keys per bucket, followed by the values of the test keys: of this rank,
	// and summed over all.
	local, totals [maxBuckets + tests]int32
	next          [maxBuckets]int32 // where the next key of a bucket goes in ordered

	// Per process: how many keys of ordered it takes and where they begin. The
	// keys that stay here are not moved: own is their place in ordered, and
	// their entries in the arrays for the exchange are 0.
	sendCounts, sendDispls []int
	recvCounts, recvDispls []int
	own                    []int32
	received               []int32 // keys from other ranks
	arrived                int     // how many

	first, last int     // this rank's buckets: first <= b < last
	before      int64   // keys in the buckets of lower ranks
	counts      []int32 // counts[v-lo]: own keys <= v, for the values of the buckets
	passed      int64   // checks passed
}

// newSorter makes the keys of this rank.
func newSorter(world *mpi.Comm, p params, timers bool) *sorter {
	n, size := int(p.keys())/world.Size(), world.Size()
	s := &sorter{
		world: world, p: p, rank: world.Rank(), size: size,
		buckets: p.buckets(), shift: p.shift(),
		timers: nas.NewTimers(timers,
			nas.Phase{Name: "buckets"}, nas.Phase{Name: "bucket totals", Comm: true},
			nas.Phase{Name: "key exchange", Comm: true}, nas.Phase{Name: "ranking"}),
		keys: make([]int32, n), ordered: make([]int32, n),
		sendCounts: make([]int, size), sendDispls: make([]int, size),
		recvCounts: make([]int, size), recvDispls: make([]int, size),
	}
	generate(s.keys, int64(s.rank)*int64(n), p.rangeLog)
	return s
}

// generate fills keys with those from global position first on: each is the
// sum of four random numbers, scaled to the range of key values.
func generate(keys []int32, first int64, rangeLog int) {
	r := nas.NewRandom(seed)
	r.Skip(4 * uint64(first))
	for i := range keys {
		sum := r.Next() + r.Next() + r.Next() + r.Next()
		keys[i] = int32(sum >> (46 - (rangeLog - 2)))
	}
}

// grow returns s with length n, and room for some more if it must allocate:
// the shares of the ranks vary a little between iterations.
func grow(s []int32, n int) []int32 {
	if n > cap(s) {
		return make([]int32, n, n+n/8+1024)
	}
	return s[:n]
}

// alter changes two keys, both on rank 0, and notes the present values of the
// test keys that this rank owns.
func (s *sorter) alter(it int) {
	if s.rank == 0 {
		s.keys[it] = int32(it)
		s.keys[it+iterations] = int32(s.p.values() - it)
	}
	n := int64(len(s.keys))
	for i, g := range s.p.position {
		v := int32(0)
		if g/n == int64(s.rank) {
			v = s.keys[g%n]
		}
		s.local[s.buckets+i] = v
	}
}

// bucketSort counts the own keys per bucket and puts them into bucket order.
func (s *sorter) bucketSort() {
	clear(s.local[:s.buckets])
	countBuckets((*[maxBuckets]int32)(s.local[:]), s.keys, s.shift)
	sum := int32(0)
	for b, c := range s.local[:s.buckets] {
		s.next[b] = sum
		sum += c
	}
	scatter(s.ordered, &s.next, s.keys, s.shift)
}

// total sums the keys per bucket over all ranks, and tells everybody the values
// of the test keys.
func (s *sorter) total() error {
	n := s.buckets + tests
	if s.size == 1 {
		copy(s.totals[:n], s.local[:n])
		return nil
	}
	s.timers.Begin(phaseTotals)
	defer s.timers.End(phaseTotals)
	return mpi.Allreduce(s.world, s.local[:n], s.totals[:n], mpi.Sum)
}

// assign walks through the buckets and gives each process consecutive ones
// until the processes so far have their share of all keys. All ranks come to
// the same result.
func (s *sorter) assign() {
	clear(s.sendCounts)
	clear(s.sendDispls)
	share := int64(len(s.keys))
	j, begin := 0, 0
	var total, start int64 // keys so far; at the first bucket of process j
	place := 0             // in ordered
	s.first, s.last, s.before = 0, 0, 0
	for b := range s.buckets {
		total += int64(s.totals[b])
		s.sendCounts[j] += int(s.local[b])
		if total < int64(j+1)*share {
			continue
		}
		s.sendDispls[j] = place
		place += s.sendCounts[j]
		if j == s.rank {
			s.first, s.last, s.before = begin, b+1, start
		}
		begin, start = b+1, total
		if j++; j == s.size {
			break
		}
	}
	// The last process's total is reached with the last key, so no keys remain.
	s.own = s.ordered[s.sendDispls[s.rank]:][:s.sendCounts[s.rank]]
	s.sendCounts[s.rank] = 0
}

// exchange sends every rank the keys of its buckets.
func (s *sorter) exchange() error {
	if s.size == 1 {
		return nil
	}
	if err := mpi.Alltoall(s.world, s.sendCounts, s.recvCounts); err != nil {
		return err
	}
	s.arrived = 0
	for i, n := range s.recvCounts {
		s.recvDispls[i] = s.arrived
		s.arrived += n
	}
	s.received = grow(s.received, s.arrived)
	return mpi.Alltoallv(s.world, s.ordered, s.sendCounts, s.sendDispls,
		s.received, s.recvCounts, s.recvDispls)
}

// countValues counts the keys of this rank by value and sums the counts up.
func (s *sorter) countValues() {
	s.counts = grow(s.counts, (s.last-s.first)<<s.shift)
	clear(s.counts)
	lo := int32(s.first << s.shift)
	count(s.counts, s.own, lo)
	count(s.counts, s.received, lo)
	runningSum(s.counts)
}
