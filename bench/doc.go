// Package bench is the measuring instrument: what a test is at any level, from the
// NIC's primitives to the suite of MPI, one policy of repetition, and printers for
// people and for programs.
//
// The bodies that are timed stand where their level is: in bench/pmb those of MPI, in
// bench/nic, bench/pm and bench/llc those below it. Package bench/compare runs the
// suite on other runtimes.
package bench
