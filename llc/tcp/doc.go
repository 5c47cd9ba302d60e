// Package tcp is the translator of TCP between hosts, on the sockets of the system alone: nothing needs to be
// installed, and a program that uses it is static. Two peers have one stream, made when one of them first
// sends. It carries frames, each a head of 32 bytes and what follows it:
//
//	head    0-7 kind (high byte), and how many bytes follow or are asked for; 8-31 as the kind says
//	hello   the rank that begins a stream says which it is, with the word that the other rank tells its peers only
//	welcome the other rank answers in the same way, with the word of the first
//	packet  one Shared: its header (endpoint.PutHeader), and the payload
//	pull    a Pull: number, segment, offset; the requested bytes come as data frames
//	push    a part of a Push: number, segment, offset, and the bytes
//	data    a part of the bytes that a Pull requested: number, place, and the bytes
//	done    so many bytes of a Push are in place: number, how many
//	refused a Pull or Push that was refused: number
//
// Long transfers go in parts, between which packets pass. Packets are sent from the memory of the caller,
// without a copy, as long as the system takes them; the bytes of a transfer go straight from and to the
// memory that was named.
//
// Nothing in a stream is trusted: lengths, numbers and places are checked, and a stream with an impossible
// frame ends, and so does its peer.
package tcp
