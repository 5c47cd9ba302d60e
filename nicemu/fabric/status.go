package fabric

import (
	"encoding/binary"
	"sync/atomic"
	"time"
)

// A State is what a rank is doing, as the launcher sees it.
type State uint8

// The states of a rank.
const (
	Absent   State = iota // has not published anything
	Running               // computes, or has not waited for long
	Waiting               // waits for what the status describes
	Finished              // has finalized
	Aborting              // ends the job
)

var stateNames = [...]string{"absent", "running", "waiting", "finished", "aborting"}

// String returns the state in one lower-case word.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "unknown"
}

// CallBytes is how much of a call's name a status line keeps.
const CallBytes = 24

// A Status describes what a rank waits for.
type Status struct {
	State   State
	Call    string // name of the call, at most CallBytes bytes
	Peer    int32  // rank in the job; -1: any; -2: none in particular
	Tag     int32  // -1: any; -2: none
	Bytes   int64  // -1: unknown
	Context uint16 // communication context
	Team    uint32 // of a collective call: its communicator, the same on all ranks,
	Turn    uint32 // how many such calls came before,
	Sign    uint32 // and what it is; 0: none
	Since   int64  // nanoseconds of Unix time
}

// The words of a status line, from wordStatus on. The sequence is odd while
// the line is being written.
const (
	statusSeq   = iota
	statusFlags // state, call's length, context
	statusWho   // peer, tag
	statusBytes
	statusSince
	statusCall                            // three words
	statusTeam = statusCall + CallBytes/8 // team, turn
	statusSign = statusTeam + 1
	statusEnd  = statusSign + 1
)

// Publish puts s on rank's status line, with the present if Since is 0. Only
// the rank itself does that, one goroutine at a time. It does not allocate.
func (f *Fabric) Publish(rank int, s *Status) {
	w := f.Words(rank, Front)[wordStatus : wordStatus+statusEnd]
	var call [CallBytes]byte
	n := copy(call[:], s.Call)
	since := s.Since
	if since == 0 {
		since = time.Now().UnixNano()
	}
	seq := atomic.AddUint64(&w[statusSeq], 1)
	atomic.StoreUint64(&w[statusFlags], uint64(s.State)|uint64(n)<<8|uint64(s.Context)<<16)
	atomic.StoreUint64(&w[statusWho], uint64(uint32(s.Peer))|uint64(uint32(s.Tag))<<32)
	atomic.StoreUint64(&w[statusBytes], uint64(s.Bytes))
	atomic.StoreUint64(&w[statusSince], uint64(since))
	for i := range CallBytes / 8 {
		atomic.StoreUint64(&w[statusCall+i], binary.LittleEndian.Uint64(call[8*i:]))
	}
	atomic.StoreUint64(&w[statusTeam], uint64(s.Team)|uint64(s.Turn)<<32)
	atomic.StoreUint64(&w[statusSign], uint64(s.Sign))
	atomic.StoreUint64(&w[statusSeq], seq+1)
}

// statusTries is how often a reader meets a writer before it gives up: the
// writer died in the middle.
const statusTries = 1000

// Status returns what rank published last, and whether the line was whole: a
// rank that died while it wrote leaves it torn.
func (f *Fabric) Status(rank int) (Status, bool) {
	w := f.Words(rank, Front)[wordStatus : wordStatus+statusEnd]
	for range statusTries {
		seq := atomic.LoadUint64(&w[statusSeq])
		s := readStatus(w)
		if seq&1 == 0 && atomic.LoadUint64(&w[statusSeq]) == seq {
			return s, true
		}
	}
	return readStatus(w), false
}

func readStatus(w []uint64) Status {
	flags := atomic.LoadUint64(&w[statusFlags])
	who := atomic.LoadUint64(&w[statusWho])
	team := atomic.LoadUint64(&w[statusTeam])
	var call [CallBytes]byte
	for i := range CallBytes / 8 {
		binary.LittleEndian.PutUint64(call[8*i:], atomic.LoadUint64(&w[statusCall+i]))
	}
	return Status{
		State:   State(flags),
		Call:    string(call[:min(flags>>8&0xff, CallBytes)]),
		Peer:    int32(who),
		Tag:     int32(who >> 32),
		Bytes:   int64(atomic.LoadUint64(&w[statusBytes])),
		Context: uint16(flags >> 16),
		Team:    uint32(team),
		Turn:    uint32(team >> 32),
		Sign:    uint32(atomic.LoadUint64(&w[statusSign])),
		Since:   int64(atomic.LoadUint64(&w[statusSince])),
	}
}
