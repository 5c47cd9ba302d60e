// Package network measures the timed model of a network (package nicemu/network):
// latency and throughput under load, for several kinds of traffic.
//
//	plan.go    what to measure
//	traffic.go destinations of packets
//	run.go     one point of a curve
//	row.go     results, as tables and as plots; the table of parameters
//
// All times are virtual: figures depend only on the plan, to the last digit.
package network
