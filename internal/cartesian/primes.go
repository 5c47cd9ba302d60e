package cartesian

import (
	"math/big"
	"math/bits"
	"slices"

	"rhinet/internal/integer"
)

// smallFactors is the number below which all factors are found by division.
const smallFactors = 1 << 12

// primesOf lists the prime factors of n, the smallest first, each as often as it divides n.
func primesOf(n int) (primes []int) {
	for p := 2; p < smallFactors && p <= n/p; p++ {
		for n%p == 0 {
			primes, n = append(primes, p), n/p
		}
	}
	primes = append(primes, largePrimesOf(n)...)
	slices.Sort(primes)
	return primes
}

// largePrimesOf is primesOf for a number without small factors, in any order.
func largePrimesOf(n int) []int {
	if n == 1 {
		return nil
	}
	if big.NewInt(int64(n)).ProbablyPrime(0) { // exact for such numbers
		return []int{n}
	}
	for c := uint64(1); ; c++ {
		if d := dividedBy(uint64(n), c); d != 0 {
			return append(largePrimesOf(int(d)), largePrimesOf(n/int(d))...)
		}
	}
}

// dividedBy returns a factor of n, which is odd and composite, other than 1 and n. It is Pollard's rho method: the
// sequence x -> x*x + c comes to a cycle modulo the smallest prime p of n after about the root of p steps, and two of
// its numbers then differ by a multiple of p. Where they are also the same modulo n, another c must be tried, and the
// result is 0.
func dividedBy(n, c uint64) uint64 {
	next := func(x uint64) uint64 {
		hi, lo := bits.Mul64(x, x)
		lo, carry := bits.Add64(lo, c, 0)
		return bits.Rem64(hi+carry, lo, n)
	}
	for slow, fast := uint64(2), uint64(2); ; {
		slow, fast = next(slow), next(next(fast))
		switch d := integer.GCD(max(slow, fast)-min(slow, fast), n); d {
		case 1:
		case n:
			return 0
		default:
			return d
		}
	}
}
