package tcp

import "time"

const (
	// eager is the largest message, in bytes, that goes as packets although a rendezvous could
	// move it, which takes one more way there and back.
	eager = 64 << 10
	// packetBytes is the longest payload of a packet.
	packetBytes = eager + 4<<10
	// short is the longest payload that is copied behind its head, since one piece is sent more quickly than two.
	short = 2 << 10
	// quota is how many packets to one peer may wait.
	quota = 16
	// copies is how many Pulls and Pushes are under way at a time.
	copies = 64
	// asked is how many answers to a peer may wait before it asks for more than it may.
	asked = 3 * copies
	// part is how much of a transfer goes between two looks at what else is to be sent.
	part = 128 << 10
	// looksLeftOut is how often one after the other Poll leaves out its look behind a Post.
	looksLeftOut = 8
	// turnsPerRound is how often Poll looks at the stream of the peer that is waited for before it looks at all.
	turnsPerRound = 8
	// triesPerLook is after how many fruitless tries a rank looks whether a peer is there.
	triesPerLook = 64
	// strangers is how many streams more than there are peers may wait to say who they are.
	strangers = 16
	// patience is how long a stream may take to say it, and a peer that prefers its own stream to make that.
	patience = 5 * time.Second
	// retryAfter is how long a rank sleeps at most that waits for the address of a peer.
	retryAfter = time.Millisecond
	// lastWord bounds how long Close waits for packets to leave.
	lastWord = time.Second
	// local is the own address where all ranks are on one host.
	local = "127.0.0.1"
)
