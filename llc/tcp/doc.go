// Package tcp is the translator of TCP between hosts, on the sockets of the system alone: nothing needs
// to be installed, and a program that uses it is static. Two peers have one stream, made when one of
// them first sends. On it go frames, each a head of 32 bytes and what follows it:
//
//	head    0-7 kind (high byte), and how many bytes follow or are asked for; 8-31 as the kind says
//	hello   who begins a stream says which rank it is, and the word that the other rank tells its peers only
//	welcome the other one answers so, with the word of the first
//	packet  one Shared: its header (endpoint.PutHeader), and the payload
//	pull    a Pull: number, segment, offset; the bytes that are asked for come as data frames
//	push    a part of a Push: number, segment, offset, and the bytes
//	data    a part of what a Pull asked for: number, place, and the bytes
//	done    all of a Push is where it belongs: number
//	refused a Pull or Push that was refused: number
//
// Long transfers go in parts, between which packets pass. Packets are sent from the memory of the caller, without a copy, as
// long as the system takes them; the bytes of a transfer go straight from and to the memory that was named.
//
// What a stream says is not trusted: lengths, numbers and places are checked, and a stream that
// says what cannot be right ends, as its peer does.
package tcp
