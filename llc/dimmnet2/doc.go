// Package dimmnet2 translates the engine's commands into BOTFs of DIMMnet-2, and what arrives in the low
// latency common memory (LLCM) of this process into events.
//
//	ir.Packet    BOTFs of the payload into the data area of a packet ring, if it is
//	             long, then one of the line
//	ir.Shared    IPUSH: the receiver chooses the place in the receive ring
//	ir.ReadTail  remote read of the counters that the ring's reader exports
//	ir.FlagArray BOTF of a line to all
//	ir.Vectors   BOTFs whose elements the receiver scatters in its SO-DIMM; remote reads that gather them
//
// (llc, section 2.) A host polls the LLCM directly, so packet rings lie there: as many as fit the small
// buffers of a process; a peer without one uses the receive ring. The board is a slave on the memory bus and
// reaches no memory of the host: there is no Pull and no Push, and large messages go through the rings.
package dimmnet2
