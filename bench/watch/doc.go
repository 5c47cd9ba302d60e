// Package watch finds out whether the runtime has become slower, also on machines that are too busy for
// timing: it counts the allocations and system calls of messages, and the instructions and cache lines of
// pieces of work that never wait, and compares them with a record. On a machine of the same kind it can
// also compare times, allowing for the noise of both measurements.
package watch
