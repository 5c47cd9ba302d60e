package is

// countBuckets adds the keys of each bucket to counts.
func countBuckets(counts *[maxBuckets]int32, keys []int32, shift uint) {
	shift &= 31 // spares the compiler the case of larger shifts
	for _, k := range keys {
		counts[uint32(k)>>shift&(maxBuckets-1)]++
	}
}

// scatter puts keys into bucket order; next has the place of each bucket's
// next key in out.
func scatter(out []int32, next *[maxBuckets]int32, keys []int32, shift uint) {
	shift &= 31
	for _, k := range keys {
		b := uint32(k) >> shift & (maxBuckets - 1)
		i := uint32(next[b])
		next[b]++
		out[i] = k
	}
}

// count adds the number of keys of each value lo, lo+1, ... to counts. The keys
// lie in order of buckets: neighbours often have one value, and adding to a
// counter waits for what was added to it just before. Two places apart do not
// meet.
func count(counts []int32, keys []int32, lo int32) {
	half := len(keys) / 2
	far := keys[half:]
	for i, k := range keys[:half] {
		counts[uint32(k-lo)]++
		counts[uint32(far[i]-lo)]++
	}
	if len(far) > half {
		counts[uint32(far[half]-lo)]++
	}
}

// runningSum replaces every count by the sum of all up to it.
func runningSum(counts []int32) {
	sum := int32(0)
	for i, c := range counts {
		sum += c
		counts[i] = sum
	}
}
