// Package watch finds out whether the runtime has become slower, on machines
// too busy to time anything: it counts what a message costs in allocations and
// system calls, and what pieces of work that never wait cost in instructions
// and cache lines, and compares with what it cost before. Times are compared too
// where the machine is of the same kind, beyond the noise of both measurements.
package watch
