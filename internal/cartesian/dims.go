package cartesian

import (
	"math"
	"slices"
)

// Dims returns the k dimensions of a grid of n places, n at least 1: factors of n, in descending order, whose largest
// and smallest differ as little as possible.
//
// MPI 4.1, section 8.5.2 (MPI_Dims_create).
func Dims(n, k int) []int {
	if k == 0 {
		return nil
	}
	b := balance{divisors: divisorsOf(n), spread: math.MaxInt}
	b.choose(n, n, make([]int, 0, k), k)
	return b.best
}

// divisorsOf lists the divisors of n, the smallest first.
func divisorsOf(n int) []int {
	all, primes := []int{1}, primesOf(n)
	for i, last := 0, all; i < len(primes); i++ {
		if i == 0 || primes[i] != primes[i-1] {
			last = all
		}
		var more []int
		for _, d := range last {
			more = append(more, d*primes[i])
		}
		all, last = append(all, more...), more
	}
	slices.Sort(all)
	return all
}

// A balance is a search for factors. It tries those near the root first, so that it soon
// has a spread that most others exceed.
type balance struct {
	divisors []int // of the number, the smallest first
	best     []int
	spread   int // of best
}

// choose adds k factors of n, at most limit, to those chosen, and keeps the best.
func (b *balance) choose(n, limit int, chosen []int, k int) {
	if k == 1 {
		first := n
		if len(chosen) > 0 {
			first = chosen[0]
		}
		if n <= limit && first-n < b.spread {
			b.best, b.spread = append(slices.Clone(chosen), n), first-n
		}
		return
	}
	at, _ := slices.BinarySearch(b.divisors, root(n, k))
	for _, f := range b.divisors[at:] {
		first := f
		if len(chosen) > 0 {
			first = chosen[0]
		}
		// The smallest of the other factors is at most their root.
		if f > min(n, limit) || first-floorRoot(n/f, k-1) >= b.spread {
			return
		}
		if n%f == 0 {
			b.choose(n/f, f, append(chosen, f), k-1)
		}
	}
}

// root returns the smallest number whose power k is at least n.
func root(n, k int) int {
	r := floorRoot(n, k)
	if !exceeds(r, k, n-1) {
		r++
	}
	return r
}

// floorRoot returns the largest number whose power k is at most n.
func floorRoot(n, k int) int {
	if k == 1 {
		return n
	}
	r := max(int(math.Pow(float64(n), 1/float64(k))), 1)
	for exceeds(r, k, n) {
		r--
	}
	for !exceeds(r+1, k, n) {
		r++
	}
	return r
}

// exceeds reports whether f to the k is more than n.
func exceeds(f, k, n int) bool {
	p := 1
	for range k {
		if p > n/f {
			return true
		}
		p *= f
	}
	return false
}
