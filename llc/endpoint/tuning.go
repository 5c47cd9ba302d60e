package endpoint

// Protocol limits that NICs of one host recommend to the engine, in bytes. The times are
// those of bench pingpong between two cores, one way; bench pingpong --sizes
// shows how they stand elsewhere.
const (
	// fragment keeps the sender's and the receiver's copy busy at once. 16 KiB took 2.7 us in
	// pieces of 2 KiB, 2.3 us in pieces of 4 or 8 KiB, 2.4 us whole; 64 of them, one behind the other,
	// 117, 75, 65 and 62 us. A first or a last piece that is shorter gains nothing: what a message of 4 KiB gains
	// by two halves, two packets cost it, and streams lose by it.
	fragment = 8192
	// eager: two copies through a ring, one behind the other, take 6.0 us for
	// 64 KiB; a rendezvous of 8 bytes more takes 7.5 us.
	eager = 64 << 10
	// split: where both sides move half, 64 to 128 KiB take 6.4 to 8.5 us; pulled
	// by one side 9.5 to 10.8 us.
	split = 64 << 10
	// blockBytes: for each block that lies apart on the other side the kernel looks a page up, which takes 0.1 to 0.2 us. Of
	// 128 KiB that takes 17.6 us in blocks of 2 KiB, where a stream takes 16, and 24 us of 1 KiB.
	blockBytes = 2 << 10
	// splitUnit is one call of cross-memory attach. In a bare loop 4 MiB took
	// 188 us in units of 128 KiB, 200 us of 64 KiB, 223 us of 32 KiB; 1 MiB takes
	// 55.3 us from program to program in units of 128 KiB, 54.4 us of 256 KiB.
	splitUnit = 256 << 10
)
