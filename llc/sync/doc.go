// Package sync translates the engine's commands into packets of the communication/synchronization controller
// (package rhinet/nicemu/sync), and what comes to the Responsive Processor of this node into events.
//
//	ir.Packet      data packets of the payload into the data area of a packet ring, if it is long,
//	               then one of the line
//	ir.Shared      data packets into the next slot of the mailbox, and an event packet
//	ir.ReadTail    an event packet that asks for credit
//	ir.FlagArray   a data packet that goes to all
//	ir.Controller  codes of RBCQ-1 at the distributed barrier controller
//
// (llc, section 2.) The controller reaches no memory of processes: large messages go through the rings.
package sync
