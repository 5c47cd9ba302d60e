// Package nic measures the primitives of the Martini NIC on the clock of the host, with the axes of the
// specification "martini", section 13 (E1 to E6, and VPUSH of E8) and of "pm-messaging", section 2.3 (P1 to
// P5): latency by ping-pong, half the round trip; throughput of one size sent continuously; the size at
// which throughput reaches half its peak; and the cost of refused requests for other nodes. What depends on
// the parts of the controller is measured by package model.
//
// All latencies poll the end of the receive area.
package nic
