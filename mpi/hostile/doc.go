// Package hostile is an instrument, all of it in its tests: jobs of real processes
// whose shared memory a helper overwrites at random, while the ranks run a program that
// checks everything it receives.
//
//	go test ./mpi/hostile -run TestHostile -hostile.jobs 500 -hostile.seed 1 -hostile.out report.md
//
// Each job ends in one of five ways: unaffected, with a clean error that names a peer
// or the damaged part of the memory, with wrong data, with a panic, or not at all. See
// docs/security.md.
package hostile
