// Package cenju4 translates the commands of the protocol engine to parcels of the Cenju-4
// NIC (package rhinet/nicemu/cenju4).
//
// The packet rings and the control words of a peer are memory of the job, in its static segment. What
// goes there again and again goes by a [cenju4.Way]: a packet is remote DMA of its line, after
// remote DMA of the payload if that does not fit. Before there is a ring, a packet is a message of
// message buffer 0, if it is short, or else lies in the mailbox (package rhinet/llc/mailbox), and a
// message says where. Large messages are remote reads and remote DMA of memory that the peer has
// mapped. Claims are compare and swap.
//
// What refuses a parcel is an error of the NIC. A message buffer that is full is not one: the
// packet waits.
package cenju4
