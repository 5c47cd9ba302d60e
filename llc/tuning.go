package llc

import (
	"math"

	"rhinet/llc/wire"
)

// Tunables. None depends on a NIC: what does is in ir.Caps.
const (
	firstCommands = 32 // commands between two Takes before their array grows
	buffersKept   = 64 // unexpected-message buffers kept of each size
	recordsKept   = 1024
	// bulkReserve is the share of a packet ring, 1/bulkReserve, that streamed
	// messages leave free for small ones.
	bulkReserve = 4
	pageBytes   = 4096 // chunks of split messages are whole pages
	// usualQuantum is what a NIC copies at once that does not recommend anything.
	usualQuantum = 256 << 10
	// briefShare is the part of a quantum, 1/briefShare, that is copied at once while
	// the program waits for small messages, attention how many such copies there are in
	// one wait: a wait that is longer is not one for a message that is about to come.
	// Beside a stream of 64 MiB, with shares of 8, 16, 32 and 64, 8 bytes take 30, 20, 13 and 9 times as long as
	// alone, and the stream loses 13, 20, 35 and 58 % of its rate: calls for short copies cost it more than the messages do.
	// Where processors copy, a message that takes n times its time alone has the stream lose 1/n at least.
	briefShare = 8
	attention  = 8
	// patience is how many events may go before a copy. One piece takes two to
	// four of its own: its end, a claim, control packets.
	patience = 16
	// exchangeLooks is how often a sender that was invited, and has invited the receiver, looks for an offer of that before it pushes:
	// some 5 us. Where it is the first to look, each side moves what it receives, and has it in its own cache: a Sendrecv of
	// 1 MiB takes 80 us if some is pushed, and 62 us if none is.
	exchangeLooks = 64
	// mostRead is the longest message that its receiver copies alone if it reads it at once. A Reduce of 128, 256 and 512 KiB on
	// two ranks took 16.9, 21.4 and 37 us where both copied, and 8.7, 15.0 and 33 us so; of 1 MiB 79 and 134 us.
	mostRead = 512 << 10
	// mostWrittenCrowded is the longest message that goes in packets because reading took long where peers share processors. There the two copies
	// follow one another, and memory that many ranks use comes slowly whoever has written it: a Sendrecv of 64 KiB on 8 ranks and 2 processors takes 44 us in packets and 26 us pulled; just written, the same. Of
	// 32 KiB that has just been written packets take 97 us, and Pulls 113 us, on 16 ranks.
	mostWrittenCrowded = 32 << 10
	// pieceBytes is how much of a message for a receive in pieces is moved at once: it stays in the second cache until it is
	// scattered. Where 256 KiB are shared so, parts of 64 KiB took a twentieth longer than those of 128 and 256 KiB; 1 MiB takes least by 128 KiB.
	pieceBytes = 128 << 10
	// mostPoured is the longest message in pieces that is a stream if the sender attends to it. Up to 1 MiB that takes
	// 0.6 of what a copy takes that both sides share. 4 MiB take half of that where nothing else runs, and up to twice as long on a machine
	// with much other work, since the side that runs soon waits for the one that does not.
	mostPoured = 4 << 20
	// slowReader is how often a stream finds no room before it is seen that its reader does not run: some 20 us, within the
	// time for which a wait polls. Then so many messages to it that are longer than longPoured are copied instead; shorter ones gain by a stream nevertheless.
	slowReader    = 128
	copiesForSlow = 64
	longPoured    = 1 << 20
	// mostCopy is the longest message in pieces that a sender copies, mostSpare the longest that a receiver does,
	// and the longest copy whose memory is kept for the next.
	mostCopy  = 256 << 20
	mostSpare = 16 << 20
	// listedBlocks is how many times as long as others blocks of a list are, on the whole. 256 KiB and 1 MiB in blocks of 2 KiB take as long by a list as in
	// packets; in blocks of 4 KiB less, and in those of 16 KiB half.
	listedBlocks = 2
	// mostListed is how many pieces a list of blocks tells of at most: they are read at once, and say nothing for as long as one quantum takes.
	mostListed = 1 << 14
	// sparesKept is how many copies are kept: those of an exchange with two neighbors.
	sparesKept = 4
)

// Limits that the packets set.
const (
	mostEager     = wire.MaxEager
	mostTransfers = 1<<indexBits - 1
	indexBits     = 22 // of a transfer's id; the rest counts its uses
	mostChunks    = wire.MaxChunks
	never         = math.MaxInt // longer than any message
	mostPorts     = 8           // by which a command goes
)
