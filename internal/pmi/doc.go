// Package pmi is the contract between a launcher and the processes of its job, both halves of it: a [Job]
// is what the launcher tells a process in its environment, and a [Status] is what a rank tells the launcher
// in the memory of the job. Other MPI implementations call this the process management interface, PMI.
//
// Launcher, runtime and NICs share these types and nothing else. The package reads no clock, file or
// environment.
package pmi
