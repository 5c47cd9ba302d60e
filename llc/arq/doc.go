// Package arq turns a way that loses, duplicates, damages and reorders datagrams into one that delivers
// packets in order: automatic repeat request. The protocol engine has it between itself and a transport that
// its translator declares unreliable (llc, section 4; infiniband, section 9.8).
//
// A [Link] is one end of a pair. It is pure: it reads no clock and sends nothing. Its owner tells it the
// time, gives it what has arrived, and asks it what to send.
//
//	Slot, Send                  a packet, which is numbered from then on
//	Due      ----datagram---->  Take     (header.go: checksum, number, acknowledgement)
//	Take     <---datagram-----  Due
//	Expire                      a deadline has passed
//	Next                        the packets that came, in order
//
// A packet of the sender:
//
//	      Send          Due              acknowledged
//	Free -------> Fresh -----> In flight -------------> Free
//	                             |   ^ \
//	       overtaken or expired  v   |  acknowledged out of order: Done, until those before it are
//	                            Lost-+ Due
//
// The receiver keeps packets that came early, and acknowledges with the first number that is missing and a
// bit for each of the 64 behind it. So the sender knows that a packet is lost as soon as three packets that
// were sent later have come, and otherwise when its deadline has passed. The number of packets in flight
// adapts to the way: one more for each that is acknowledged, half as many after a loss, one after a deadline.
package arq
