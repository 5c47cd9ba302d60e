// Package network is a timed model of the RHiNET networks (specification "martini", section 1):
// links of flits, switches with a crossbar and virtual channels, and endpoints that inject packets
// and receive them. The model does not look at the payload of packets. It runs on the kernel of
// package vtime.
//
//	parameters.go  every number, with its unit and its source
//	topology.go    hosts, switches, links; format.go as text; generate.go by rule
//	routes.go      shortest routes and virtual channels      1.2, 1.3
//	deadlock.go    the proof that they cannot deadlock       1.3
//	network.go     a network of links, switches, endpoints
//	wire.go        one direction of a link                   1.5
//	room.go        credit, Stop-and-Go                       1.4
//	arq.go crc.go  bit errors, correction, retransmission    1.4, 1.5
//	crossbar.go    the switch                                1.2, 1.5
//	endpoint.go    where packets begin and end
//
// A switch forwards by virtual cut-through: a packet leaves as soon as its header has been read, if
// the next buffer has room for all of it. So a packet that has begun to move over a link never
// stops on it, and a few events for each switch give the exact times of its first and its last
// flit, however long it is. Times are edges of the links' clock; credits return flit by flit. Only
// where bit errors can cost flits does the model handle every flit.
package network
