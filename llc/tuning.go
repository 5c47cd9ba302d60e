package llc

import (
	"math"

	"rhinet/llc/wire"
)

// Tunables. None depends on a NIC; those that do are in ir.Caps.
const (
	firstCommands = 32 // commands between two Takes before their array grows
	buffersKept   = 64 // unexpected-message buffers kept of each size
	recordsKept   = 1024
	// bulkReserve is the share of a packet ring, 1/bulkReserve, that streamed
	// messages leave free for small ones.
	bulkReserve = 4
	pageBytes   = 4096 // chunks of split messages are whole pages
	// usualQuantum is what a NIC without a recommendation copies at once.
	usualQuantum = 1 << 20
	// briefShare is the part of a quantum, 1/briefShare, that is copied at once while the program waits for
	// small messages, mostBrief its limit in bytes, attention the number of such copies in one wait: a longer
	// wait is not for a message that is about to come. Beside a stream of 64 MiB, of which 32, 16, 8 and 4 KiB
	// are copied at once, 8 bytes take 30, 20, 13 and 9 times as long as alone, and the stream loses 13, 20,
	// 35 and 58 % of its rate: the calls for short copies cost it more than the messages do. Where processors
	// do the copies, a message that takes n times as long as alone costs the stream at least 1/n of its rate.
	briefShare = 8
	mostBrief  = 32 << 10
	attention  = 8
	// patience is how many events may go before a copy. One piece has two to four events of its own: its end,
	// a claim, control packets.
	patience = 16
	// exchangeLooks is how often a sender that was invited, and has itself invited the receiver, looks for an
	// offer of the receiver before it pushes: some 5 us. If it did not look, one side would push; so each
	// side moves what it receives, and has it in its own cache: a Sendrecv of 1 MiB takes 80 us if some is
	// pushed, and 62 us if none is.
	exchangeLooks = 64
	// mostRead is the longest message that its receiver copies alone if it reads it at once. A Reduce of 128,
	// 256 and 512 KiB on two ranks took 16.9, 21.4 and 37 us if both sides copied, and 8.7, 15.0 and 33 us if
	// the receiver did; of 1 MiB 79 and 134 us.
	mostRead = 512 << 10
	// mostWrittenOversubscribed is the longest message that goes in packets after slow reads, where peers
	// share processors. There the two copies follow one another, and memory that many ranks use is slow to
	// read whichever rank has written it. Windows of 64 messages of 64 KiB take up to 1.4 times as long on 16
	// ranks and 2 processors if they all go in packets. 32 KiB that have just been written take 97 us in packets
	// and 113 us pulled. A message that is alone on its way is a case for the driver, which knows that.
	mostWrittenOversubscribed = 32 << 10
	// pieceBytes is how much of a message for a noncontiguous receive is moved at once: it stays in the
	// second-level cache until it is scattered. For 256 KiB that both sides move, parts of 64 KiB took a
	// twentieth longer than those of 128 and 256 KiB; 1 MiB is fastest in parts of 128 KiB.
	pieceBytes = 128 << 10
	// slowReader is how many times a stream finds no room before its reader counts as not running: some 20
	// us, within the time for which a wait polls. This happens now and then on any machine, and costs the
	// stream no more than that time. If it happens during two messages in a row that are longer than
	// longPoured, the processors have much other work, and the side that runs would soon wait for the one
	// that does not: then the next copiesForSlow messages are copied, which each side moves without the
	// other. Where nothing else runs, a stream of 4 MiB takes less than half the time of a copy; shorter
	// messages gain by a stream in any case.
	slowReader    = 128
	copiesForSlow = 64
	longPoured    = 1 << 20
	// mostCopy is the longest noncontiguous message that a sender copies, mostSpare the longest that a
	// receiver copies, and the longest copy whose memory is kept for the next one.
	mostCopy  = 256 << 20
	mostSpare = 16 << 20
	// listedBlocks is the average size that the blocks of a list need, in units of the size that blocks at
	// equal distances need. 256 KiB and 1 MiB in blocks of 2 KiB take as long by a list as in packets; in
	// blocks of 4 KiB less, and in blocks of 16 KiB half.
	listedBlocks = 2
	// mostListed is the largest number of pieces in a list of blocks: the list is read at once, and delays
	// messages for as long as one quantum does.
	mostListed = 1 << 14
	// sparesKept is the number of copies whose memory is kept: as many as an exchange with two neighbors
	// needs.
	sparesKept = 4
)

// Limits that the packet formats set.
const (
	mostEager     = wire.MaxEager
	mostTransfers = 1<<indexBits - 1
	indexBits     = 22 // of a transfer's id; the rest counts its uses
	mostChunks    = wire.MaxChunks
	never         = math.MaxInt // longer than any message
	mostPorts     = 8           // injection ports that one copy uses at most
)
