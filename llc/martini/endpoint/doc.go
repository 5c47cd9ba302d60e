// Package endpoint is what all translators of the Martini NIC have in common, whichever way their packets go:
// the answers that wait for Poll, remote memory access, the doorbell and the rank's status line.
//
//	ir.Expose    pin-down and a SID; ir.Conceal withdraws both
//	ir.Pull      PULL, ir.Push PUSH, the local side pinned for the call
//
// (martini, sections 3 and 5; llc, section 2: the IR command translator.)
package endpoint
