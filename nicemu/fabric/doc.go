// Package fabric is the memory that the NICs of one job share.
//
// A job of processes shares one anonymous file, which the launcher makes with [Create] and every
// rank inherits and maps with [Open]. A job of goroutines shares plain memory, made with [Heap].
// Both have the same layout: a header, memory that all ranks read, then tables and a slice for each
// rank, of equal sizes.
//
//	header   magic, version, job, geometry                     one page
//	common   decisions of the job                              one page
//	bells    which ranks sleep                                 a line each
//	flags    shared flag arrays: for each array and turn a line of each writer,
//	         and behind all arrays the rests of long flags
//	tables   Front    process, status                          one page
//	         Device   memory of the rank's NIC that it alone writes
//	slice    Public   memory of the rank's NIC that all NICs write
//	         Control  words for compare-and-swap
//	         Shared   the ring that all ranks write
//	         Accounts what other ranks say that they have sent to this one
//	         Rings    pool of packet rings
//
// The tables of all ranks lie together, apart from the slices: a process that enters the job as a
// rank maps all tables but its own for reading only ([Fabric.Enter]), and this layout needs few
// mappings for any number of ranks.
//
// Bells and flag arrays lie together so that a rank that polls many of them touches few pages. An
// oversubscribed rank begins with TLB misses whenever it is scheduled, and a miss costs more than a
// line. All ranks can write these pages, because lines of many ranks share a page, and because
// peers ring a bell.
//
// The file is large and sparse: a page costs memory only once it is touched. The file has no name
// in a file system, so nothing is left behind. It contains offsets, never Go pointers, and each
// offset is checked where it is used. This package does not know which NIC uses the areas, or how.
package fabric
