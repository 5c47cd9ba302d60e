package is

// More than fewKeys keys are put into bucket order block by block. Each bucket is one more place of ordered
// that is being written. While all these places fit in the caches, that costs little; beyond that, nearly
// every key waits for a new cache line. A block stays in a core's cache while its keys are put in order;
// then each place is written with a run of keys, and many cache lines are requested at once.
const (
	fewKeys   = 1 << 19
	blockKeys = 1 << 17
)

// bucketSort counts the own keys per bucket and puts them into bucket order.
func (s *sorter) bucketSort() {
	local := (*[maxBuckets]int32)(s.local[:])
	clear(local[:s.buckets])
	if s.blocks == nil {
		countBuckets(local, s.keys, s.shift)
	}
	for i := range s.blocks {
		s.countBlock(i, local)
	}
	s.next = *local
	firstPlaces(s.next[:s.buckets])
	if s.blocks == nil {
		scatter(s.ordered, &s.next, s.keys, s.shift)
	}
	for i := range s.blocks {
		s.scatterBlock(i)
	}
}

// countBlock counts the keys of block i and adds them to local.
func (s *sorter) countBlock(i int, local *[maxBuckets]int32) {
	counts := &s.blocks[i]
	*counts = [maxBuckets]int32{}
	countBuckets(counts, s.keys[i*blockKeys:][:blockKeys], s.shift)
	for b, c := range counts {
		local[b] += c
	}
}

// scatterBlock puts the keys of block i, which have been counted, into bucket order within the block, and
// copies them from there to ordered.
func (s *sorter) scatterBlock(i int) {
	next := &s.blocks[i]
	firstPlaces(next[:s.buckets])
	scatter(s.block, next, s.keys[i*blockKeys:][:blockKeys], s.shift)
	from := int32(0)
	for b, to := range next[:s.buckets] { // by now where the next bucket begins
		s.next[b] += int32(copy(s.ordered[s.next[b]:], s.block[from:to]))
		from = to
	}
}

// firstPlaces replaces the count of each bucket by where it begins.
func firstPlaces(counts []int32) {
	sum := int32(0)
	for b, c := range counts {
		counts[b] = sum
		sum += c
	}
}
