// Package media is Martini as a network of ranks in virtual time (package
// medium): what ranks send each other goes through a message layer to the timed
// model of NICs, hosts, buses and switches.
//
//	parameters.go  the layers, and the numbers that they add to the table
//	media.go       the model: processors, links, topology
//	host.go        what a rank sends, part by part, over its Windows
//	ring.go        where it goes: rings that the sender knows, or one that the receiver's NIC fills
//
// The layers:
//
//	pm      PM/RHiNET: a ring at the receiver for each sender      pm-messaging, section 1.4
//	vp      PM/RHiNET-VP: VPUSH to one ring, by firmware           1.5
//	vpush   VPUSH in hardware                                      1.7
//	""      as the low-level communication library sends: rings as PM's, with several Windows, long messages by PULL
//
// A layer is a state machine in virtual time, not a program: it is told when
// contflags, acks and data have come, and posts what is next. What its calls cost the
// processors of sender and receiver is in the costs of the medium.
package media
