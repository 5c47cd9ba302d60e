// Package martinipm translates the engine's commands into PM messages on the Martini NIC (pm-messaging,
// section 1.8): the layers that RHiNET's own MPI ran on, as an alternative to the mixture of package martini.
//
//	ir.Shared    one PM message: the packet's header, then its payload
//	ir.Expose    pin-down and a SID; ir.Conceal withdraws both  } PM/RHiNET only
//	ir.Pull      PULL, ir.Push PUSH                             } with RMA
//
// There are no packet rings, flag arrays or control words: PM has its own rings and keeps track of their
// room, and the engine only uses shared packets and Busy. On PM/RHiNET, messages above 16 KB are moved by RMA
// where the kernel lets one process reach the memory of another; on PM/RHiNET-VP and without RMA everything
// travels in messages.
//
// PM/RHiNET keeps one rule of [ir.Translator] only in part: a poll costs more the more peers there are, idle
// or not. This is what its successor was made for, and what bench pm measures.
package martinipm
