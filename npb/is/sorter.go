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

	// Keys per bucket, followed by the values of the test keys: those of this rank, and the sums over all
	// ranks.
	local, totals [maxBuckets + tests]int32
	next          [maxBuckets]int32 // where the next key of a bucket goes in ordered

	// If there are many keys: the counts of each block, and one block in bucket order.
	blocks [][maxBuckets]int32
	block  []int32

	// parts[j] are the keys in ordered that go to process j, sends are the requests that send them. The
	// part of this rank is not copied.
	parts    [][]int32
	sends    []mpi.Request
	received []int32 // keys from other ranks, in the order of arrival
	vector   *vector // for the variant alltoallv; nil: one message to each rank

	first, last int     // this rank's buckets: first <= b < last
	before      int64   // all keys in the buckets of lower ranks
	held        int     // all keys in the buckets of this rank
	counts      []int32 // counts[v-lo]: keys of this rank <= v, for the values of the buckets
	passed      int64   // checks passed
}

// newSorter generates the keys of this rank.
func newSorter(world *mpi.Comm, p params, timers bool) *sorter {
	n, size := int(p.keys())/world.Size(), world.Size()
	s := &sorter{
		world: world, p: p, rank: world.Rank(), size: size,
		buckets: p.buckets(), shift: p.shift(),
		timers: nas.NewTimers(timers,
			nas.Phase{Name: "buckets"}, nas.Phase{Name: "bucket totals", Comm: true},
			nas.Phase{Name: "key exchange", Comm: true}, nas.Phase{Name: "ranking"}),
		keys: make([]int32, n), ordered: make([]int32, n),
		parts: make([][]int32, size), sends: make([]mpi.Request, size),
	}
	if n > fewKeys {
		s.blocks, s.block = make([][maxBuckets]int32, n/blockKeys), make([]int32, blockKeys)
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

// grow returns s with length n. If it must allocate, it reserves some more: the number of keys of a rank
// varies a little between iterations.
func grow(s []int32, n int) []int32 {
	if n > cap(s) {
		return make([]int32, n, n+n/8+1024)
	}
	return s[:n]
}

// alter changes two keys, both on rank 0, and stores the present values of the test keys that this rank
// owns.
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

// total sums the keys per bucket over all ranks, and gives every rank the values of the test keys.
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

// assign goes through the buckets and gives each process consecutive ones until the processes so far have
// their share of all keys. All ranks get the same result, and so know how many keys each will receive.
func (s *sorter) assign() {
	clear(s.parts)
	share := int64(len(s.keys))
	j, begin := 0, 0
	var total, start int64 // keys so far; at the first bucket of process j
	place, from := 0, 0    // in ordered; where the part of process j begins
	s.first, s.last, s.before, s.held = 0, 0, 0, 0
	for b := range s.buckets {
		total += int64(s.totals[b])
		place += int(s.local[b])
		if total < int64(j+1)*share {
			continue
		}
		s.parts[j] = s.ordered[from:place]
		if j == s.rank {
			s.first, s.last, s.before, s.held = begin, b+1, start, int(total-start)
		}
		begin, start, from = b+1, total, place
		if j++; j == s.size {
			break
		}
	}
	// The last process's total is reached with the last key, so no keys remain.
}
