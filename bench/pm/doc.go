// Package pm measures the PM message layers on the clock of the host, after
// part 2 of the specification "pm-messaging": round trips (P9) and bursts
// (P10) between two nodes of a job whose other nodes are idle, and what it
// costs to look at many receive rings (P11).
//
// Beside PM/RHiNET ("rhinet", and "throttled" by acks) and PM/RHiNET-VP ("vp")
// it measures the packet rings that the MPI runtime uses by default ("ring"),
// with a ring from every idle node connected.
//
// Connected measures over MPI what idle peers cost, within one job.
package pm
