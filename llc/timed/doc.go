// Package timed is the translator of ranks that live in virtual time: what the engine posts takes the time
// that a model of the network says (package rhinet/nicemu/timed).
//
//	ir.Shared     a packet of the model; ir.Busy once the window to a peer is full
//	ir.Pull       a transfer of the model; the emulated NIC moves the bytes at once,
//	ir.Push       and the answer comes when the model says
//	ir.Switch     multicast and synchronization packets of the model, if its network has switches for them
//	ir.Expose     as on Martini, and so is ir.Conceal. They take no time
//
// There are no packet rings, no flag arrays and no lane: each is a shortcut in the memory of one machine, for
// which a network has no equivalent. The protocols are those of the engine, as on any NIC.
package timed
