// Package datagram is all of a translator whose NIC has unreliable datagrams and nothing
// else (llc, section 4; infiniband, section 9.8), but what that NIC does: a [Service]. Between
// the two lies a link of package rhinet/llc/arq for each pair, which numbers packets,
// acknowledges them and sends them again.
//
//	ir.Shared    a packet of the link to the peer; Busy as long as its window is full
//	ir.Arrived   the next packet of a link, in order
//
// All else the NIC does not have, so large messages are streamed.
//
// What is lost must be sent again, and what has come be acknowledged, also while a rank
// computes. As long as something is not acknowledged a goroutine sees to that, as the firmware
// of a NIC does.
//
// Faults, if a job asks for them, befall datagrams before the service sends them: faults.go.
package datagram
