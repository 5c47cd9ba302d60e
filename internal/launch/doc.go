// Package launch starts, places, binds, watches and ends the processes of one job on this machine. It is
// the core of mpirun.
//
// A [Job] describes the job. [Prepare] checks it completely and decides where each rank runs, before
// anything is started; [Plan.Run] builds what must be built, starts the ranks, forwards their input, output
// and signals, and returns the exit status of the job when all its processes have ended.
//
// Three threads of control share a running job:
//
//   - the parent: a goroutine locked to one thread that forks every rank and
//     reaps it. The death signal that the kernel sends to a rank is tied to
//     this thread, so it lives as long as the job does.
//   - the watcher: the caller of Run. It alone decides that the job fails,
//     takes signals and timers, and words the message.
//   - the streams: one goroutine for each rank's output and error output.
//
// Nothing that a job uses has a name that could outlive it: the fabric is an anonymous file, pipes are
// anonymous, each rank leads a process group that is killed with it, and the directory in which a Go
// package is built is removed before the ranks do anything.
package launch
