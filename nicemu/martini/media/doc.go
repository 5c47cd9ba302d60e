// Package media is Martini as a network of ranks in virtual time (package medium): messages between
// ranks go through a message layer to the timed model of NICs, hosts, buses and switches.
//
//	parameters.go  the layers, and the numbers that they add to the table
//	media.go       the model: processors, links, topology
//	host.go        a rank's messages, part by part, over its Windows
//	ring.go        rings at receivers: one for each sender, or one that the receiver's NIC fills
//
// The layers:
//
//	pm      PM/RHiNET: a ring at the receiver for each sender      pm-messaging, section 1.4
//	vp      PM/RHiNET-VP: VPUSH to one ring, by firmware           1.5
//	vpush   VPUSH in hardware                                      1.7
//	""      that of the low-level communication library: rings as in PM, several Windows, long messages by PULL
//
// A layer is a state machine in virtual time, not a program: it is notified of contflags, acks and
// data, and posts the next request. The costs of its calls for the processors of sender and
// receiver are in the costs of the medium.
package media
