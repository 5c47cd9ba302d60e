// Package bench is the measuring instrument: the definition of a test at any level, from the NIC's
// primitives to the suite of MPI, one policy of repetition, and printers for people and for programs.
//
// The timed code is in the packages of the levels: bench/pmb for MPI; bench/nic, bench/pm and bench/llc for
// the levels below it. Package bench/compare runs the suite on other runtimes.
package bench
