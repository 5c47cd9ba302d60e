// Package nics runs the same programs in virtual time on all modelled network interfaces: once each with
// its own network, clocks and processors, and once all with the same modern link, clock and processor, so
// that only the designs differ. A cell is one program on a number of ranks, which are goroutines of this
// process. Results are kept in a folder, so that an interrupted study can be continued.
//
//	plan.go     the cells
//	modern.go   the rule by which numbers are modernised
//	run.go      running a cell
//	row.go      results: rows, factors, plots
//	page.go     results as a page
package nics
