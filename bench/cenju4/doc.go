// Package cenju4 measures the model of Cenju-4 in virtual time (package nicemu/cenju4/timed): the
// five experiments of the specification (cenju4, section 11), on any number of nodes.
//
//	plan.go      what is measured, and its limits
//	row.go       results, as tables and plots
//	one.go       one-to-one: latency, throughput, odd words
//	all.go       N-to-N
//	barrier.go   barriers
//
// Figures depend only on the plan, to the last digit.
package cenju4
