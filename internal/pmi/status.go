package pmi

import (
	"cmp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A State is a point in the life of a rank as its status line shows it.
//
//	Outside --Init--> Computing <--> Waiting
//	                      |  \--Abort--> Aborted
//	                      \--Finalize--> Finalized
type State uint8

// The states of a rank. Their numbers lie in the memory of the job.
const (
	Outside   State = iota // has not called Init, perhaps no MPI program at all
	Computing              // initialized, and in no call that has waited for long
	Waiting                // in the call that Wait describes
	Finalized              // has called Finalize
	Aborted                // has called Abort
)

var stateNames = [...]string{"not in MPI", "computing", "waiting", "finalized", "aborted"}

// String returns the state as reports print it.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "state " + strconv.Itoa(int(s))
}

// Values of a Wait that are no rank, no tag and no size.
const (
	AnyPeer = -1 // any source
	AnyTag  = -1 // any tag
	NoPeer  = -2 // the call concerns no single peer: a collective, or several requests
	NoTag   = -2 // the call has no tag
	NoBytes = -1 // the call has no buffer, or its size is not known
)

// CallBytes is how much of a call's name a status line keeps, and TakenBytes how much of a line of the source.
const (
	CallBytes  = 24
	TakenBytes = 56
)

// A Wait says what a rank waits for.
type Wait struct {
	Call    string // name of the call, such as "Recv", at most CallBytes bytes of it
	Peer    int    // rank in the job, AnyPeer or NoPeer
	Tag     int    // AnyTag or NoTag
	Bytes   int64  // size of the buffer, or NoBytes
	Context uint16 // communication context
	More    int    // calls of other goroutines of the rank that wait beside this one
	Taken   string // the line at which Peer has taken what is waited for, at most TakenBytes of it; empty: not known
	Collective
}

// A Collective says in which collective call a rank is. Ranks that are in the
// same turn of one communicator must have the same sign.
type Collective struct {
	Team uint32 // the communicator, the same number on all its ranks
	Turn uint32 // how many collective calls came before on it
	Sign uint32 // call and arguments; 0: no collective call
	// Holder is who has what is waited for, if that is a lock; else nil, as in every Status.
	Holder *Holder `json:"-"`
}

// A Holder is a rank that has a lock. Whoever waits for that keeps it right.
type Holder struct {
	Peer  int    // rank in the job, or NoPeer
	Taken string // see Wait
}

// A Status is what a rank says about itself.
type Status struct {
	State State
	Wait        // if Waiting
	Since int64 // when it began to wait, in nanoseconds of Unix time; tells one wait from the next
	Lost  int   // 1 + the first rank that it found to be gone; 0: none
}

// Plausible returns what of s can be in a job of so many ranks. The rank may
// have written anything: a state or a peer that does not exist is Outside or
// NoPeer, and a call whose name is not made of letters and digits is unnamed.
func (s Status) Plausible(ranks int) Status {
	if s.Lost < 0 || s.Lost > ranks {
		s.Lost = 0
	}
	switch s.State {
	case Waiting:
	case Computing, Finalized, Aborted:
		return Status{State: s.State, Lost: s.Lost}
	default:
		return Status{Lost: s.Lost}
	}
	s.Call = callName(s.Call)
	if s.Peer = max(s.Peer, NoPeer); s.Peer >= ranks {
		s.Peer = NoPeer
	}
	s.Tag = max(s.Tag, NoTag)
	if s.Bytes < 0 || s.Bytes > addressable {
		s.Bytes = NoBytes
	}
	if s.Peer < 0 || strings.ContainsFunc(s.Taken, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("./_-+@:", c)
	}) {
		s.Taken = ""
	}
	s.Holder = nil
	return s
}

// addressable is more than any buffer holds.
const addressable = 1 << 57

// unnamed stands for a name that no call has.
const unnamed = "(?)"

// callName returns the name of a call as it may be printed.
func callName(call string) string {
	for _, c := range call {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			return unnamed
		}
	}
	return cmp.Or(call, unnamed)
}

// Waited returns how long a wait lasts now, in a job that began at another time.
// Before the job and in the future none can have begun, unless somebody
// has set the clock: then it is not known, and 0.
func (s *Status) Waited(begin, now time.Time) time.Duration {
	if s.State != Waiting || s.Since < begin.UnixNano() || s.Since > now.UnixNano() {
		return 0
	}
	return time.Duration(now.UnixNano() - s.Since)
}
