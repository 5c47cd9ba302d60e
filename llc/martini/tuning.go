package martini

// Protocol limits that the NIC recommends to the engine, in bytes. They are
// first guesses, to be replaced by the run of the ping-pong benchmark that
// justifies them.
const (
	// fragment keeps the sender's and the receiver's copy busy at once: at
	// 2-4 KiB a copy takes about as long as a line needs to travel.
	fragment = 4096
	// eager: two pipelined copies through a ring cost less than the round trip
	// of a rendezvous and a system call.
	eager = 64 << 10
	// split: a bare loop in which both sides move half ran at 17 GB/s for 1 MiB
	// where one side alone gave 9.4; below this the hand-shake eats the gain.
	split = 128 << 10
	// splitUnit is one call of cross-memory attach.
	splitUnit = 128 << 10
)
