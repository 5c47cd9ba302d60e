// Package pm measures the PM message layers by the host's clock, as in part 2 of the specification
// "pm-messaging": round trips (P9) and bursts (P10) between two nodes of a job whose other nodes are idle,
// and the cost of looking into many receive rings (P11).
//
// Besides PM/RHiNET ("rhinet", and "throttled" by acks) and PM/RHiNET-VP ("vp"), it measures the packet
// rings that the MPI runtime uses by default ("ring"), with a ring from every idle node connected.
//
// Connected measures over MPI, within one job, how much idle peers cost.
package pm
