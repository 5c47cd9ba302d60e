package is

// More than fewKeys keys are put into bucket order by blocks. Each bucket is one
// more place where ordered is written; while it lies in the caches that costs
// little, but beyond them the next key waits for nearly every new line. In
// order of blocks, which stay in a core's cache, each place is written by a
// run of keys, and many lines are on their way at once.
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

// scatterBlock puts block i, which has been counted, into bucket order by
// itself, and from there into ordered.
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
