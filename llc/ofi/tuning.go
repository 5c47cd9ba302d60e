package ofi

import "time"

const (
	// packetBytes is one message with its header: the longest eager message fits, since each packet costs a
	// system call on both sides, and the copies of one packet overlap those of no other.
	packetBytes = eager + 4<<10
	// receives is how many packets may come between two Polls before libfabric must keep them.
	receives = 64
	// quota is how many packets to one peer may wait or be in flight.
	quota = 16
	// copies is how many Pulls and Pushes are under way at a time.
	copies = 64
	// eager is the largest message, in bytes, that goes in packets although a rendezvous, with one more round
	// trip, could move it.
	eager = 64 << 10
	// batch is how many completions one look at the queue takes.
	batch = 16
	// looksLeftOut is how many times in a row Poll skips its look at the queue behind a Post.
	looksLeftOut = 8
	// triesPerLook is after how many fruitless tries a rank checks whether a peer is still there.
	triesPerLook = 64
	// lastWord bounds how long Close waits for packets to leave.
	lastWord = time.Second
	// local is this rank's address if all ranks are on one host.
	local = "127.0.0.1"
)
