package ofi

import "time"

const (
	// packetBytes is one message with its header: the longest eager one goes in one, since each costs
	// a system call on both sides, and its copies overlap those of no other.
	packetBytes = eager + 4<<10
	// receives is how many packets may come between two Polls before libfabric has to keep them.
	receives = 64
	// quota is how many packets to one peer may wait or be on their way.
	quota = 16
	// copies is how many Pulls and Pushes are under way at a time.
	copies = 64
	// eager is the largest message, in bytes, that goes as packets although a rendezvous could
	// move it, which takes one more way there and back.
	eager = 64 << 10
	// batch is how many completions one look at the queue takes.
	batch = 16
	// looksLeftOut is how often one after the other Poll leaves out its look at the queue behind a Post.
	looksLeftOut = 8
	// triesPerLook is after how many fruitless tries a rank looks whether a peer is there.
	triesPerLook = 64
	// lastWord bounds how long Close waits for packets to leave.
	lastWord = time.Second
	// local is the own address where all ranks are on one host.
	local = "127.0.0.1"
)
