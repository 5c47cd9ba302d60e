// Package arq makes a way that loses, doubles, damages and overtakes datagrams into one that
// keeps the order of packets: automatic repeat request. It is what the protocol engine puts
// between itself and a transport that its translator declares unreliable (llc, section
// 4; infiniband, section 9.8).
//
// A [Link] is one end of a pair. It is pure: it reads no clock and sends nothing. Its
// owner says what time it is, gives it what has arrived, and asks it what to send.
//
//	Slot, Send                  a packet; it has a number from then on
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
// The receiver keeps packets that came early, and acknowledges with the first number
// that is missing and a bit for each of the 64 behind it. So the sender knows what is lost
// as soon as three packets that were sent later have come, and else when its deadline has
// passed. How many packets are in flight follows what the way carries: one more for each that
// is acknowledged, half as many after a loss, one after a deadline.
package arq
