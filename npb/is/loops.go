package is

// countBuckets adds the keys of each bucket to counts.
func countBuckets(counts *[maxBuckets]int32, keys []int32, shift uint) {
	shift &= 31 // so that the compiler need not handle larger shifts
	for _, k := range keys {
		counts[uint32(k)>>shift&(maxBuckets-1)]++
	}
}

// scatter puts keys into bucket order; next contains, for each bucket, the index in out of its next key.
func scatter(out []int32, next *[maxBuckets]int32, keys []int32, shift uint) {
	shift &= 31
	for _, k := range keys {
		b := uint32(k) >> shift & (maxBuckets - 1)
		i := uint32(next[b])
		next[b]++
		out[i] = k
	}
}

// count adds the number of keys of each value lo, lo+1, ... to counts. The keys are in bucket order, so
// adjacent keys often have the same value, and incrementing a counter has to wait for the previous
// increment of the same counter. Therefore the loop takes four keys that are a quarter of all keys apart.
func count(counts []int32, keys []int32, lo int32) {
	n := len(keys) / 4
	a, b, c, d := keys[:n], keys[n:][:n], keys[2*n:][:n], keys[3*n:][:n]
	for i, k := range a {
		counts[uint32(k-lo)]++
		counts[uint32(b[i]-lo)]++
		counts[uint32(c[i]-lo)]++
		counts[uint32(d[i]-lo)]++
	}
	for _, k := range keys[4*n:] {
		counts[uint32(k-lo)]++
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
