package pmi

import (
	"cmp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A State is a point in the life of a rank as its status line shows it.
//
//	Outside --Init--> Computing <--> Waiting
//	                      |  \--Abort--> Aborted
//	                      \--Finalize--> Finalized
type State uint8

// The states of a rank. Their numbers are stored in the memory of the job.
const (
	Outside   State = iota // has not called Init, perhaps not an MPI program at all
	Computing              // initialized, and not in a call that has waited for long
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

// Values in a Wait that are no rank, no tag or no size.
const (
	AnyPeer = -1 // any source
	AnyTag  = -1 // any tag
	NoPeer  = -2 // the call concerns no single peer: a collective, or several requests
	NoTag   = -2 // the call has no tag
	NoBytes = -1 // the call has no buffer, or its size is not known
)

// CallBytes is how much of a call's name a status line holds, NoteBytes how much of a note about it, and
// TakenBytes how much of the name of a source line.
const (
	CallBytes  = 24
	NoteBytes  = 56
	TakenBytes = 56
)

// A Wait says what a rank waits for.
type Wait struct {
	Call    string // name of the call, such as "Recv", at most CallBytes bytes of it
	Note    string // what in the call is waited for, such as the name of a window, or of the communicator of a collective call, at most NoteBytes of it
	Peer    int    // rank in the job, AnyPeer or NoPeer
	Tag     int    // AnyTag or NoTag
	Bytes   int64  // size of the buffer, or NoBytes
	Context uint16 // communication context
	More    int    // calls of other goroutines of the rank that also wait
	Taken   string // the source line at which Peer took what is waited for, at most TakenBytes of it; empty: not known
	Unmatched
	Collective
}

// An Unmatched says which messages have come that a waiting receive or probe does not take: one that it would take
// in another context, or else those of Peer, or else of any, in its own.
type Unmatched struct {
	Messages    int  // how many
	First       int  // rank in the job from which the first of them came, if there is one
	MessagesTag int  // its tag
	Elsewhere   bool // it is in the context of another communicator
}

// A Collective says which collective call a rank is in. Ranks that are at the same Turn of one communicator
// must have the same Sign.
type Collective struct {
	Team uint32 // the communicator, the same number on all its ranks
	Turn uint32 // number of earlier collective calls on it
	Sign uint32 // call and arguments; 0: no collective call
	// Named says that the Note of the wait is the name of the communicator.
	Named bool
	// Holder is the holder of the lock that is waited for, or nil. It is nil in every Status.
	Holder *Holder `json:"-"`
	// Flags, or nil, says which rank has not come yet. It is nil in every Status.
	Flags Awaiter `json:"-"`
	// Comm is the name of the communicator, or nil. It is nil in every Status, which has it as Note if it is Named.
	Comm *string `json:"-"`
}

// An Awaiter is what a rank waits in until all others have come.
type Awaiter interface {
	// Awaited returns the rank in the job of one that has not come yet, or NoPeer. It is called while the rank waits.
	Awaited() int
}

// A Holder is a rank that holds a lock, or what else a wait is for that may change while it lasts. The waiting rank
// keeps it up to date.
type Holder struct {
	Peer  int    // rank in the job, or NoPeer
	Taken string // see Wait
	// Sharers is how many ranks share the lock, if Peer is not known.
	Sharers int
	// Missing is what else is waited for.
	Missing string
}

// Note returns what h adds to the Note of the Wait.
func (h Holder) Note() string {
	switch {
	case h.Missing != "":
		return h.Missing
	case h.Sharers == 1:
		return "1 rank shares it"
	case h.Sharers > 1:
		return strconv.Itoa(h.Sharers) + " ranks share it"
	}
	return ""
}

// Behind returns a Note with that of h behind it.
func (h Holder) Behind(note string) string {
	more := h.Note()
	if note == "" || more == "" {
		return note + more
	}
	return note + ", " + more
}

// A Status is what a rank says about itself.
type Status struct {
	State State
	Wait        // if Waiting
	Since int64 // when it began to wait, in nanoseconds of Unix time; distinguishes one wait from the next
	Lost  int   // 1 + the first rank that it found to have failed; 0: none
	World bool  // it has called Init and has not called Finalize, which it must do before it exits
}

// Plausible returns s without what cannot be true in a job of that many ranks. The rank may have written
// anything: a state or a peer that does not exist becomes Outside or NoPeer, and a call whose name has
// characters other than letters and digits becomes unnamed.
func (s Status) Plausible(ranks int) Status {
	if s.Lost < 0 || s.Lost > ranks {
		s.Lost = 0
	}
	switch s.State {
	case Waiting:
	case Computing, Finalized, Aborted:
		return Status{State: s.State, Lost: s.Lost, World: s.World}
	default:
		return Status{Lost: s.Lost, World: s.World}
	}
	s.Call = callName(s.Call)
	if s.Peer = max(s.Peer, NoPeer); s.Peer >= ranks {
		s.Peer = NoPeer
	}
	s.Tag = max(s.Tag, NoTag)
	if s.Bytes < 0 || s.Bytes > addressable {
		s.Bytes = NoBytes
	}
	s.Note = strings.Map(func(c rune) rune {
		if c == utf8.RuneError || !unicode.IsPrint(c) {
			return -1
		}
		return c
	}, s.Note)
	if u := &s.Unmatched; u.Messages <= 0 || u.First < 0 || u.First >= ranks || u.MessagesTag < 0 {
		*u = Unmatched{}
	}
	if s.Peer < 0 || strings.ContainsFunc(s.Taken, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("./_-+@:", c)
	}) {
		s.Taken = ""
	}
	s.Holder, s.Comm = nil, nil
	return s
}

// addressable is larger than any buffer.
const addressable = 1 << 57

// unnamed stands for the name of an unknown call.
const unnamed = "(?)"

// callName returns the name of a call in a form that is safe to print.
func callName(call string) string {
	for _, c := range call {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			return unnamed
		}
	}
	return cmp.Or(call, unnamed)
}

// Waited returns how long a wait has lasted at time now, in a job that began at begin. No wait can have
// begun before the job or in the future, unless the clock has been set: then the duration is not known, and
// 0 is returned.
func (s *Status) Waited(begin, now time.Time) time.Duration {
	if s.State != Waiting || s.Since < begin.UnixNano() || s.Since > now.UnixNano() {
		return 0
	}
	return time.Duration(now.UnixNano() - s.Since)
}
