// Package cenju4 translates the commands of the protocol engine to parcels of the Cenju-4 NIC (package
// rhinet/nicemu/cenju4).
//
// The packet rings and the control words of a peer are memory of the job, in its static segment. Repeated
// writes there go by a [cenju4.Way]: a packet is remote DMA of its line, after remote DMA of what
// does not fit the line. Before there is a ring, a short packet is a message of message buffer 0; a longer
// one lies in the mailbox (package rhinet/llc/mailbox), and a message says where. Large messages are remote
// reads and remote DMA of memory that the peer has mapped. Claims are compare and swap.
//
// A refused parcel is an error of the NIC. A full message buffer is not: the packet waits.
package cenju4
