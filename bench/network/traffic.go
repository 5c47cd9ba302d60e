package network

import "math/rand/v2"

// Kinds names the kinds of traffic.
const Kinds = "uniform, permutation, hot-spot"

// A pattern draws the destination of a packet.
type pattern func(src int, r *rand.Rand) int

// newPattern returns the pattern of a kind between a number of hosts.
func newPattern(kind string, hosts int, hot float64, r *rand.Rand) pattern {
	switch kind {
	case "permutation":
		to := cycle(hosts, r)
		return func(src int, _ *rand.Rand) int { return to[src] }
	case "hot-spot":
		return func(src int, r *rand.Rand) int {
			if src != 0 && r.Float64() < hot {
				return 0
			}
			return other(src, hosts, r)
		}
	}
	return func(src int, r *rand.Rand) int { return other(src, hosts, r) }
}

// other draws a host that is not src.
func other(src, hosts int, r *rand.Rand) int { return (src + 1 + r.IntN(hosts-1)) % hosts }

// cycle draws a permutation with one cycle (Sattolo): no host sends to itself.
func cycle(n int, r *rand.Rand) []int {
	to := make([]int, n)
	for i := range to {
		to[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := r.IntN(i)
		to[i], to[j] = to[j], to[i]
	}
	return to
}
