// Package datagram is a complete translator for a NIC that has nothing but unreliable datagrams (llc,
// section 4; infiniband, section 9.8), except for what the NIC does: a [Service]. Between the two is a link
// of package rhinet/llc/arq for each pair, which numbers packets, acknowledges and retransmits them.
//
//	ir.Shared    a packet of the link to the peer; Busy as long as its window is full
//	ir.Arrived   the next packet of a link, in order
//
// The NIC has nothing else, so large messages are streamed.
//
// Lost datagrams must be retransmitted, and received ones acknowledged, even while a rank computes. As long
// as something is not acknowledged a goroutine does this, as the firmware of a NIC does.
//
// Faults, if a job asks for them, are applied to datagrams before the service sends them: faults.go.
package datagram
