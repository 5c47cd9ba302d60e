// Package pmb is a suite of the measurements of the Intel MPI Benchmarks (formerly Pallas MPI Benchmarks):
// with their names, sizes, repetitions, timing and output, so that programs that read their output can read
// this.
//
// Point-to-point patterns are timed as a whole loop. Collective calls are timed one by one, with an untimed
// barrier after each, and a rank's figure is the mean of its calls. The smallest, largest and mean figure
// over the ranks are reported. Nonblocking collective operations are timed alone and overlapped with
// computation, as in IMB-NBC.
package pmb
