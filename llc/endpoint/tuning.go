package endpoint

import "rhinet/internal/vec"

// Protocol limits that NICs of one host recommend to the engine, in bytes. The times are those of bench
// pingpong between two cores, one way; bench pingpong --sizes measures them on other machines.
const (
	// fragment keeps the sender's and the receiver's copy busy at the same time. 16 KiB took 2.7 us in
	// packets of 2 KiB, 2.3 us in packets of 4 or 8 KiB, 2.4 us whole; 64 such messages, one behind the
	// other, 117, 75, 65 and 62 us. So a sender that waits for a message uses shorter packets (package port).
	// A shorter first or last packet gains nothing: what a message of 4 KiB gains by two halves, the second
	// packet costs it, and streams lose by it. In small rings a packet is at most 1/fragmentShare of the data
	// area.
	fragment      = 16 << 10
	fragmentShare = 4
	// Messages above offered are pulled if the sender has not just written them; if it has, those up to eager
	// go in packets (ir.Caps.Offered). For memory that is not written meanwhile, as in benchmarks, two copies
	// through a ring, one behind the other, take 3.3 us for 32 KiB, and a Pull 2.3 us; in a window of 64,
	// where a message need not wait for the other side, 1.8 and 1.9 us; 16 KiB take 2.0 and 1.6 us, but 0.8
	// and 1.2 us in a window, and an exchange of 16 KiB with two neighbors 3.7 and 4.0 us. What the sender
	// has just written, as programs do, lies in its cache, from where the kernel's copy fetches it slowly:
	// then 16 KiB take 2.6 and 4.5 us, 32 KiB 4.4 and 7.7 us, writing and reading included. Where the NIC
	// cannot reach memory a rendezvous is a stream of packets after an offer and its answer.
	//
	// Where copies are by lines (vec.ByLines) packets are faster in either case: between processors without a
	// common cache 32 KiB take 4.6 us pulled and 3.0 us in packets, 64 KiB 7.5 and 5.2 us, and in a window 4.9
	// and 1.8, 5.9 and 3.5 us.
	offered = 16 << 10
	eager   = 64 << 10
	// split: if both sides move half, 128 KiB take 4.7 us, 96 KiB 4.4 us either way, 64 KiB 3.9 us; pulled by
	// one side 64 KiB take 3.7 us.
	split = 96 << 10
	// blockBytes: for each separate block on the other side the kernel looks up a page, which takes 0.1 to
	// 0.2 us. 128 KiB take 17.6 us in blocks of 2 KiB, where a stream takes 16, and 24 us in blocks of 1 KiB.
	blockBytes = 2 << 10
	// splitUnit is one call of cross-memory attach (fabric.Piece). In a bare loop 4 MiB took 188 us in units
	// of 128 KiB, 200 us of 64 KiB, 223 us of 32 KiB. Where processors share no cache a Sendrecv of 1 MiB
	// takes 92 us in units of 256 KiB, 83 us of 512 KiB, 66 us of 1 MiB, and one of 4 MiB takes as long in
	// units of 2 and 4 MiB as of 1 MiB.
	splitUnit = 1 << 20
)

// usuallyOffered returns the limit above which messages are pulled if the sender has not just written them.
func usuallyOffered() int {
	if vec.ByLines(fragment) {
		return eager
	}
	return offered
}
