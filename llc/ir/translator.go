package ir

import "time"

// Caps is what the engine must know of a NIC to choose protocols. It is read
// once, at set-up, and is the same at all peers of a job.
type Caps struct {
	Name      string
	Rings     int  // packet rings in each peer's pool; with 0 everything travels in the shared ring
	Slots     int  // lines per packet ring, a power of two
	Bytes     int  // data area per packet ring, a power of two
	Spread    bool // long payloads there end with their page: see Place
	Remote    bool // Pull and Push reach registered memory of peers without a copy on the way
	Words     int  // 64-bit words of the control area that Swap reaches
	Fragment  int  // payload bytes of one Packet that keep a pipeline of copies full; without rings: most of one Shared
	Eager     int  // message bytes up to which copying through a ring beats Pull
	Split     int  // message bytes from which both sides move a part each
	SplitUnit int  // bytes of one part
	Copies    int  // Pull and Push commands that the NIC carries out at the same time; 0 means 1
}

// A Translator connects one engine to one NIC (llc, section 2). It belongs to one rank and its
// methods are called by one goroutine at a time (the owner of the port's
// lock), except that Sleep is called without the lock, by one goroutine.
//
// Contract:
//   - Post carries out cmd or starts it. Packets from this peer to another
//     in the same ring become visible in the order posted, each whole. The
//     engine guarantees room for Packet (Slot and Pos lie within what ReadTail
//     reported); for Shared it does not, and Busy answers. Busy comes before
//     every other event that Poll gives after the Post it answers, so that
//     any other event, or none, says that the packet went.
//   - A command that moves between this peer and itself (Swap on the own
//     control area) is carried out like any other.
//   - Each command that has an answer gets exactly one, also when its peer is
//     gone: those that are [Op.Answered] by Token, ReadTail as long as its peer
//     has not been reported dead.
//   - A refused command whose Op is a [Op.Way] is reported as the end of its
//     peer: nothing can reach it any more.
//   - Poll fills ev with the next event and reports whether there was one. An
//     Arrived event's packet is consumed by the following Poll: its space is
//     then free. Polling costs the same however many idle peers are connected.
//   - What a peer wrote into shared memory is not trusted: lengths are checked
//     where they are read, and a packet that cannot be right is an Event
//     Failed with the peer's number and Token 0. If nothing more can be read
//     because of it, that is the end of the peer, or of all that share the ring.
//   - A peer that is dead is reported once, by an Event Failed with Token 0
//     and an Err that wraps [ErrPeerGone]. A refusal that another way of
//     moving the bytes may avoid (cross-memory attach forbidden, say) has an
//     Err that wraps [io/fs.ErrPermission].
//   - Neither allocates for Packet, Shared and Arrived, nor calls the system
//     unless a sleeping peer must be woken.
type Translator interface {
	Self() int
	Peers() int
	Caps() Caps
	Post(cmd *Command)
	Poll(ev *Event) bool
	// Hint says that the caller waits for a packet of peer, or of anyone if peer is negative.
	Hint(peer int)

	// Arm announces that this peer is about to sleep: from its return on,
	// whoever makes something visible to this peer rings its doorbell. The
	// caller polls once more after Arm and before Sleep.
	Arm()
	// Sleep blocks until the doorbell rings or d has passed.
	Sleep(d time.Duration)
	// Disarm withdraws Arm.
	Disarm()
	// Wake rings peer's doorbell if peer sleeps.
	Wake(peer int)

	Close() error
}

// An Aimer is an optional ability of a translator, found by assertion: it
// tells where the next packet shows first, so that a caller who waits for it
// can look there many times between two calls of Poll.
type Aimer interface {
	// Aim returns a word and the value that its low half takes when the next
	// packet of the peer hinted at arrives; nil if that cannot be said. It is
	// called after a Poll that found nothing and holds until the next.
	Aim() (word *uint64, seq uint32)
	// Expect asks for the payload of that packet, which is supposed to have been
	// written just now and to be like the one before, and reports whether such a
	// payload is fetched apart. It changes nothing but timing.
	Expect() (apart bool)
}

// An Auditor is an optional ability of a translator, found by assertion: to
// find damage of the memory that peers share which no event shows, such as a
// packet that was overwritten before it was seen.
type Auditor interface {
	// Audit puts down what this peer has sent where the others can compare it
	// with what has come, compares what others have put down, and looks at what
	// only this peer writes. What is wrong ends the use of a peer, as a report
	// that it is dead does, or of all. Whoever sleeps for long calls it between
	// two sleeps, from time to time; it may look at every peer.
	Audit()
}

// A Flag is one line of a board.
type Flag [LineBytes]byte

// FlagBytes is the payload of one flag.
const FlagBytes = 48

// A Board is an optional ability of a translator, found by assertion: boards
// with a flag of each peer that all others see. Collective operations on few
// bytes raise one flag each and look at everybody's.
type Board interface {
	// Boards returns how many independent boards there are, each with two
	// flags of every peer (they are used in turn).
	Boards() int
	// Raise writes seq and at most FlagBytes bytes of data into the own flag
	// (board, seq's lowest bit), and wakes those of peers that sleep. seq is
	// not 0 and becomes visible after data. The flag stays as it is until
	// Raise overwrites it, so whoever does must know that all who look for it
	// have seen it. Closing the translator leaves it up.
	Raise(peers []int, board int, seq uint32, data []byte)
	// Claim says that the own flag (board, seq's lowest bit) will be raised
	// next, so that its line can be fetched from those who have looked at it.
	// It changes nothing but timing, and pays where peers run at once.
	Claim(board int, seq uint32)
	// Raised reports whether the flag of peer carries seq, and copies its
	// payload to data if so.
	Raised(peer, board int, seq uint32, data []byte) bool
}
