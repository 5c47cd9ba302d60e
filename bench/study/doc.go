// Package study runs the NAS Parallel Benchmarks in virtual time on modelled Martini
// NICs, each kernel, class and number of nodes under each message layer
// (pm-messaging, sections 2.3, P13, and 2.5). A cell is one job; what it gave is kept in a
// folder, so that a study goes on where it was ended.
//
//	plan.go   which cells there are
//	run.go    a cell as a job of mpirun
//	table.go  what came of it: rows, speed-up, plots
package study
