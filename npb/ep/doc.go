// Package ep is the NAS kernel EP, embarrassingly parallel: it draws 2^m pairs
// of uniform numbers, turns accepted pairs into Gaussian deviates by the polar
// method, sums the deviates and counts them in square annuli.
//
// Ranks share the work in batches of 2^16 pairs and communicate only at the end, in three sums. So EP shows
// the speed of a processor, not of a network: its inner loop exists in Go and, for processors with AVX2 or
// AVX-512, in assembly.
package ep
