// Package ep is the NAS kernel EP, embarrassingly parallel: it draws 2^m pairs
// of uniform numbers, turns accepted pairs into Gaussian deviates by the polar
// method, sums the deviates and counts them in square annuli.
//
// Ranks share the work in batches of 2^16 pairs and talk only at the end, in
// three sums. So EP shows what a processor computes, not what a network moves:
// its inner loop exists in Go and, for processors with AVX-512, in assembly.
package ep
