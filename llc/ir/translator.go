package ir

import "time"

// Caps is what the engine must know of a NIC to choose protocols. It is read
// once, at set-up, and is the same at all peers of a job. A [Router] has several NICs.
type Caps struct {
	Name      string
	Rings     int  // packet rings in each peer's pool; 0: all packets travel in the shared ring
	Slots     int  // lines per packet ring, a power of two
	Bytes     int  // data area per packet ring, a power of two
	Spread    bool // long payloads there end with their page: see Place
	Trailer   int  // bytes that the translator adds to the payload of each packet in a packet ring; they take room as the payload does
	Gathers   bool // a Packet may have a Body, which the translator gathers straight into the ring
	Remote    bool // Pull and Push reach registered memory of peers without a copy on the way
	Blocks    int  // block size in bytes from which Pull and Push of blocks beat a copy: see [Command]; 0: they cannot move blocks
	Words     int  // 64-bit words of the control area that Swap reaches
	Fragment  int  // payload bytes of one Packet that keep a pipeline of copies full; without rings: largest payload of one Shared
	Eager     int  // message bytes up to which copying through a ring beats Pull
	Offered   int  // message bytes above which Pull beats copying through a ring if the sender has not just written the message; 0: as Eager
	Split     int  // message bytes from which both sides move a part each
	SplitUnit int  // bytes of one part
	Copies    int  // Pull and Push commands that the NIC carries out at the same time; 0 means 1
	Late      bool // packets become visible some time after they were posted, because they travel, or are lost and retransmitted
}

// A Translator connects one engine to one NIC (llc, section 2). It belongs to one rank.
//
// The contract of both sides. Each rule begins with the name by which package llc/contract reports a breach
// of it; [rhinet/llc/nictest] provokes each.
//
//   - one at a time: methods are called by one goroutine at a time (the owner of the port's lock), with two
//     exceptions: one goroutine may be in Sleep, without the lock, beside others, and any goroutine may call
//     Raised of a [FlagArray].
//   - order: Post carries out cmd or starts it. Packets from this peer to
//     another in the same ring become visible in the order posted, each once and
//     whole, with its header and the length of its payload. Different rings are
//     independent of each other. An Arrived event names the shared ring or one that
//     Watch has named for its peer.
//   - room: the caller places packets in a packet ring at Slot 0, 1, 2, ... and at
//     the Pos that [Place] gives, within what the latest Tail reported as consumed.
//   - busy: the caller of Shared does not know whether there is room. If there is none, nothing is sent, and
//     the answer is one Busy with the Peer and Token of the command. Poll gives this Busy before every other
//     event after the Post that it answers; several Busy of one NIC come in the order of their Posts. So any
//     other event, the Busy of a later Post to a peer of the same NIC, or a Poll without event says that the
//     packet went. Until then the caller posts no other Shared to the same peer.
//   - answers: each command that is [Op.Answered] gets exactly one answer, of the kinds that its [Op] names
//     and with its Token, even if its peer is gone. Each ReadTail gets one Tail, unless the end of its peer
//     is reported first. Answers come in any order. The caller uses no Token that is 0 or whose answer is
//     due. No other command has an answer; a Conceal that is refused is a Failed with Token 0 and this peer's
//     own number.
//   - ports: the Port of a Pull or a Push is 0, or one of an [Injector]. Commands of one port are carried out
//     in the order posted, those of different ports in any order; a refusal by one port does not concern the
//     others.
//   - pieces: a Packet has a Body (see [Command]) only if Caps has Gathers.
//   - blocks: a Pull or a Push has a Move only if Caps has Blocks, and its Data has all memory that the Move
//     names on this side. What lies between the blocks is unchanged on both sides.
//   - tail: a Tail is what the reader had consumed at some time between Post and event: never less than
//     before, and never more than was written.
//   - self: a command that moves between this peer and itself (Swap on the own
//     control area) is carried out like any other.
//   - view: the Data of an Arrived event stays as it is until the following Poll
//     or Expect of an [Aimer], which consumes the packet. Only then is its space
//     free, and at once: a ReadTail posted later reports it.
//   - end: the end of a peer is an event Failed with its number, Token 0 and an Err that wraps [ErrPeerGone].
//     It is reported once, and never of this peer itself. A command whose Op is a [Op.Way] is refused only
//     for good, and then that is its peer's end; so is a refusal of another command because its peer is dead.
//     Nothing comes from a peer after its end: no packet, no Tail, no Busy; answers that are due still come,
//     Failed or not. Commands posted to it whose Op is a Way have no event.
//   - trust: what a peer wrote into shared memory is not trusted: lengths are
//     checked where they are read, and a packet that cannot be right is an event
//     Failed with the peer's number, Token 0 and an Err that does not wrap ErrPeerGone. If
//     nothing more can be read because of it, that is the end of the peer, or of
//     all that share the ring.
//   - refusals: every Failed has an Err. If another way of moving the bytes may avoid the refusal
//     (cross-memory attach forbidden, say), it wraps [io/fs.ErrPermission].
//   - wake: from the return of Arm until Disarm, a peer that makes a packet or a flag visible to this peer,
//     or calls Wake for it, rings its doorbell. The first Poll after Arm that finds nothing has looked
//     everywhere: it would have found anything that was visible when it began. No peer rings when a full ring
//     has room again.
//   - sleep: the caller calls Arm, then Poll until one finds nothing, Sleep, and
//     Disarm in any case. Sleep ends soon after the bell has rung, or before.
//   - cost: neither Post nor Poll allocates for Packet, Shared and Arrived, or
//     calls the system unless a sleeping peer must be woken. Polling costs the same
//     however many idle peers are connected.
//   - close: Close is called once, after everything else. What other peers post to this peer from then on is
//     lost or answered with its end; its memory is out of reach, so that Pull and Push are refused.
type Translator interface {
	Self() int
	Peers() int
	Caps() Caps
	Post(cmd *Command)
	Poll(ev *Event) bool
	// Hint says that the caller waits for a packet of peer, or of anyone if peer is negative.
	Hint(peer int)

	// Arm announces that this peer is about to sleep.
	Arm()
	// Sleep blocks until the doorbell has rung since Arm, or d has passed. It may
	// return early.
	Sleep(d time.Duration)
	// Disarm withdraws Arm and reports whether the doorbell has rung since.
	Disarm() (rung bool)
	// Wake rings peer's doorbell if peer sleeps.
	Wake(peer int)

	Close() error
}

// An Aimer is an optional ability of a translator (see [Abilities]): it tells where the next packet shows
// first, so that a waiting caller can look there many times between two calls of Poll.
type Aimer interface {
	// Glance looks up to that many times whether the next packet of the peer hinted at has arrived, and
	// reports whether it has; false if that cannot be said. Each look prefetches some of the slot. It is called
	// after a Poll that found nothing, and changes nothing but timing.
	Glance(looks int) (there bool)
	// Expect prefetches the payload of that packet, which is assumed to have been written just now, or to be
	// written soon, and to be like the one before, and reports whether such a payload lies apart from its slot
	// and has at most that many bytes; otherwise it prefetches at most the slot. It changes nothing but timing.
	Expect(most int) (apart bool)
}

// An Injector is an optional ability of a translator (see [Abilities]): the NIC has several injection ports
// (llc, section 5), each of which carries out a Pull or a Push beside the others. The poster of a command
// chooses the port.
type Injector interface {
	// Ports returns how many ports there are, at least 1.
	Ports() int
}

// A FailureDetector is an optional ability of a translator (see [Abilities]): it can tell all peers which of them
// have ended.
type FailureDetector interface {
	// MarkFailed tells all peers that one has ended. Any goroutine may call it.
	MarkFailed(peer int)
	// DetectFailures reports whether peers have failed since the last call. Their ends are events, like any
	// other end.
	DetectFailures() bool
}

// A Refuser is an optional ability of a translator (see [Abilities]): Post of a Shared finds out at once
// whether there is room.
type Refuser interface {
	// Refused is Poll, except that it gives only a Busy and leaves everything else as it is.
	Refused(ev *Event) bool
}

// An Auditor is an optional ability of a translator (see [Abilities]): it finds damage to the memory that
// peers share which no event shows, such as a packet that was overwritten before it was seen.
type Auditor interface {
	// Audit records what this peer has sent where the other peers can compare it with what has arrived,
	// compares what they have recorded, and checks the memory that only this peer writes. Damage ends the use
	// of one peer, as a report that it is dead does, or of all. A caller that sleeps for long calls it
	// between two sleeps, from time to time; it may look at every peer.
	Audit()
}

// FlagBytes is the largest payload of one flag: 4 KiB, and a description of whose parts are where. Up to
// FlagInline bytes are in one line with the number of the flag, so they cost no more than an empty payload.
// FlagRoom is what a NIC takes: the difference is for a translator that wraps another one.
const (
	FlagBytes  = 4160
	FlagInline = 48
	FlagRoom   = FlagBytes + 48
)

// FlagTurns is the number of flags of a peer on a flag array. They are used in turn: number seq is in flag
// seq modulo FlagTurns, so that a peer may be ahead of the peers that read its flags. A power of two.
const FlagTurns = 512

// A FlagArray is an optional ability of a translator (see [Abilities]): flag arrays, in which each peer has
// flags that all others see. Collective operations on few bytes raise one flag per peer and look at those of
// all peers.
type FlagArray interface {
	// FlagArrays returns how many independent flag arrays there are, each with
	// FlagTurns flags of every peer.
	FlagArrays() int
	// Raise writes seq, a mark, and at most FlagBytes bytes of data into this peer's flag of seq's turn, and
	// wakes those of peers that sleep. seq is not 0 and becomes visible after data. The flag stays as it is
	// until Raise overwrites it, so the caller must know by then that all readers of the flag have seen it.
	// Closing the translator leaves the flag up.
	Raise(peers []int, flagArray int, seq, mark uint32, data []byte)
	// WakePeers wakes those of peers that sleep, for flags that were raised without waking: where all wait for
	// all, the peer that sees the last flag wakes each sleeper once.
	WakePeers(peers []int)
	// Prefetch says that this peer's flag of seq's turn will be raised soon with n bytes, so that its lines can
	// be fetched from the peers that have looked at them. It changes nothing but timing, and pays where peers
	// run at the same time.
	Prefetch(flagArray int, seq uint32, n int)
	// Raised reports whether the flag of peer carries seq. If so it returns the mark and copies the payload
	// to data, as much as there is and data takes. The rest of data is then undefined.
	Raised(peer, flagArray int, seq uint32, data []byte) (mark uint32, raised bool)
}

// A Switch is an optional ability of a translator (see [Abilities]): the switches of the network multicast
// packets to a set of peers, and combine packets of all of them into one event. A set has a number that is
// unique in the job, and at each peer an area of memory that its members write. ReserveSet, JoinSet and
// LeaveSet may be called by any goroutine beside the other methods.
type Switch interface {
	// ReserveSet joins a set of peers, of which this is one, under a number that it chooses. The error says
	// why there is none.
	ReserveSet(peers []int) (number int, err error)
	// JoinSet joins a set under the number that another member has reserved for it.
	JoinSet(number int, peers []int) error
	// LeaveSet ends this peer's use of a set. With last the number becomes free: no other member uses it any
	// more.
	LeaveSet(number int, last bool) error
	// SetArea returns the memory of a set at this peer. It has the same length at all members.
	SetArea(number int) []byte
	// SetBytes returns that length.
	SetBytes() int
	// Multicast writes data into the area of a set at an offset, a multiple of 8, at each member including
	// this one. A member that learns by Met of a later Meet of this peer sees the data.
	Multicast(number, offset int, data []byte) error
	// Meet says that this peer has come, and wakes the sleeping members if it is the last. The Meet before
	// must have ended.
	Meet(number int) error
	// Met returns how often all members have met since this one joined. Any goroutine may call it.
	Met(number int) uint64
}
