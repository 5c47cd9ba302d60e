// Package model measures the stepped model of the Martini NIC: the experiments of the specification
// "martini", section 13, that depend on what the modules of a controller do at the same time, and on what
// firmware does when it takes one over (E6 to E9; "pm-messaging", section 2.3, P5 to P8), and also latency
// and throughput (E1 to E5) on the same clock.
//
// The clock is the model's: steps, in each of which every module advances by one state. Figures on it are
// exact and the same everywhere. The host's time for computing them is reported in a separate column and is
// no property of the NIC.
package model
