// Package fabric is the memory that the NICs of one job share.
//
// A job of processes shares one anonymous file, which the launcher makes with
// [Create] and every rank inherits and maps with [Open]. A job of goroutines
// shares plain memory, made with [Heap]. Both look alike from here on: a
// header, what all ranks look at, then for each rank tables and a slice, of
// equal size and layout.
//
//	header   magic, version, job, geometry                     one page
//	common   what the job has decided                          one page
//	bells    which ranks sleep                                 a line each
//	boards   shared flag arrays: for each array and turn a line of each writer, and behind all arrays the rests of long flags
//	tables   Front    process, status                          one page
//	         Device   memory of the rank's NIC that it alone writes
//	slice    Public   memory of the rank's NIC that all NICs write
//	         Control  words for compare-and-swap
//	         Shared   the ring that all ranks write
//	         Accounts what others say that they have sent here
//	         Rings    pool of packet rings
//
// The tables of all ranks lie together, apart from the slices: a process that
// enters the job as a rank has all but its own mapped for reading only
// ([Fabric.Enter]), which takes few mappings that way, however many ranks there are.
//
// Bells and flag arrays lie together so that a rank which polls those of many
// ranks touches few pages. An oversubscribed rank begins with TLB misses whenever
// it is scheduled, and a page costs more than a line. For the same reason all
// ranks can write them: lines of many ranks share a page, and peers ring a bell.
//
// The file is large and sparse: a page costs memory only once it is touched,
// and nothing of it has a name in a file system, so nothing is left behind.
// There is no Go pointer in it, only offsets, and each is checked where it is
// used. Which NIC reads the areas, and how, is not known here.
package fabric
