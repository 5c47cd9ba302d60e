// Package tofu translates the engine's commands into orders of the Tofu NIC, and what
// the NIC receives into events.
//
//	ir.Packet    put into the data area of a packet ring if the payload is
//	             long, then a direct put of the line
//	ir.Shared    put into the next slot of the mailbox, with a notice
//	ir.ReadTail  get of the counters that the ring's reader exports
//	ir.Expose    a tag; ir.Conceal withdraws it
//	ir.Pull      get, ir.Push put
//	ir.Swap      swap in the control words
//	ir.FlagArray a line that the own NIC writes
//
// (llc, section 2.) Nothing is connected: rings, mailboxes and control words have the same tags at every
// node. The NIC runs each order to completion, so every answer is ready when Post returns. The only state
// here is queue positions and cached look-ups.
package tofu
