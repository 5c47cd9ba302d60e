// Package martini translates the engine's commands into operations of the Martini NIC, and what the NIC
// receives into events.
//
//	ir.Packet    PUSH into the data area of a packet ring if the payload is
//	             long, then BOTF of the line
//	ir.Shared    VPUSH
//	ir.ReadTail  PULL of the counters that the ring's reader exports
//	ir.Expose    pin-down and a SID; ir.Conceal withdraws both
//	ir.Pull      PULL, ir.Push PUSH, the local side lent for the call
//	ir.Swap      a special packet to firmware
//	ir.FlagArray BOTF of one line
//
// What does not depend on the NIC, such as when a ring is opened and what an answer contains, is in package
// endpoint (rhinet/llc/endpoint).
package martini
