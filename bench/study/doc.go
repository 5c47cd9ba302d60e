// Package study runs the NAS Parallel Benchmarks in virtual time on modelled Martini NICs, each kernel,
// class and number of nodes with each message layer (pm-messaging, sections 2.3, P13, and 2.5). A cell is
// one job; its result is kept in a folder, so that an interrupted study can be continued.
//
//	plan.go   the cells
//	run.go    a cell as a job of mpirun
//	table.go  results: rows, speed-up, plots
package study
