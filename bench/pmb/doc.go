// Package pmb is a suite of the measurements that users of the Intel MPI
// Benchmarks (once Pallas MPI Benchmarks) know: their names, sizes,
// repetitions, timing and output, so that the programs that read theirs read
// these.
//
// Point-to-point patterns are timed as a whole loop; collective calls are
// timed one by one with a barrier after each that is not timed, and a rank's
// figure is the mean of its calls. The least, greatest and mean figure over
// the ranks are reported. Nonblocking collective operations are timed alone and beside
// computation, as by IMB-NBC.
package pmb
