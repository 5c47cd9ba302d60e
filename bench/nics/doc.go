// Package nics runs the same programs in virtual time on all modelled network interfaces: once each with
// its own network, clocks and processors, and once all with the same modern link, clock and processor, so that what
// differs is the idea. A cell is one program on so many ranks, which are goroutines of this process. What it gave is
// kept in a folder, so that a study goes on where it was ended.
//
//	plan.go     which cells there are
//	modern.go   the rule by which numbers become modern
//	run.go      a cell
//	row.go      what came of it: rows, factors, plots
//	page.go     one page
package nics
