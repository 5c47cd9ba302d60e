package tcp

import "time"

const (
	// eager is the largest message, in bytes, that goes in packets although a rendezvous, with one more round
	// trip, could move it.
	eager = 64 << 10
	// packetBytes is the longest payload of a packet.
	packetBytes = eager + 4<<10
	// short is the longest payload that is copied behind its head, since one piece is sent faster than two.
	short = 2 << 10
	// quota is how many packets to one peer may wait.
	quota = 16
	// copies is how many Pulls and Pushes are under way at a time.
	copies = 64
	// asked is how many answers to a peer may wait before it breaks the protocol by asking for more.
	asked = 3 * copies
	// part is how much of a transfer goes before other frames get their turn.
	part = 128 << 10
	// looksLeftOut is how many times in a row Poll skips its look behind a Post.
	looksLeftOut = 8
	// turnsPerRound is how often Poll looks at the stream of the peer that is waited for before it looks at
	// all.
	turnsPerRound = 8
	// triesPerLook is after how many fruitless tries a rank checks whether a peer is still there.
	triesPerLook = 64
	// strangers is how many streams of unknown ranks there may be beyond the number of peers.
	strangers = 16
	// patience is how long a stream may take to say its rank, and a peer that prefers its own stream to make
	// it.
	patience = 5 * time.Second
	// retryAfter bounds the sleep of a rank that waits for the address of a peer.
	retryAfter = time.Millisecond
	// lastWord bounds how long Close waits for packets to leave.
	lastWord = time.Second
	// local is this rank's address if all ranks are on one host.
	local = "127.0.0.1"
)
