// Package timed runs the experiments of the specifications "martini", section 13 (E1 to E9) and
// "pm-messaging", section 2.3 (P1 to P10, P12) on the timed model of Martini: in microseconds and Mbyte/s
// of virtual time, with one table of parameters for all. Figures are exact, and the same on any machine.
//
//	experiments.go  the list
//	lab.go          two programs that answer each other, a program that sends continuously
//	latency.go stream.go exceptions.go vpush.go   E1 to E8
//	timeline.go     E9
//	pm.go mpi.go    P9, P10, P12
package timed
