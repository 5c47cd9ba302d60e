// Package nic measures the primitives of the Martini NIC on the clock of the
// host, with the axes of the specification "martini", section 13 (E1, E2, E3,
// E5) and of "pm-messaging", section 2.3 (P1 to P3): latency by ping-pong,
// half the round trip; throughput of one size sent continuously; and the size
// at which throughput reaches half its peak.
//
// All latencies poll the end of the receive area.
package nic
