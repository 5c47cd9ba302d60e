// Package agreement is how ranks agree on a decision although some of them die meanwhile: which of them take part,
// and what each contributes. It is a state machine without clock and transport, as User-Level Failure Mitigation
// needs for MPI_Comm_agree and MPI_Comm_shrink: the caller carries its messages.
//
// The lowest live rank leads. All others send it their contribution, and send it again
// to the next leader when it dies. The leader decides when it has heard from all live
// ranks, and tells all of them. A rank that knows the decision tells it to every later
// leader. So a decision that has reached one live rank is the only one: it was made of
// the contributions of all live ranks, and a rank that asks a new leader for a decision
// accepts none from the old leader any more.
//
// This holds if no live rank is taken for dead, and nothing is accepted from a rank
// that is known to be dead.
package agreement

import "slices"

// A Part is one rank's part in an agreement. It is used by one goroutine at a time.
type Part struct {
	self    int
	dead    []bool
	begun   bool
	decided bool
	mine    []byte
	offers  map[int][]byte // contributions of others
	told    int            // the leader that knows what this rank knows; -1: none
	votes   []Vote         // the decision
}

// A Vote is what one rank has contributed to a decision.
type Vote struct {
	Rank  int
	Value []byte
}

// A Message is for another rank, which it reaches in the order in which the messages from here to it are returned.
type Message struct {
	To       int
	Decision bool // it carries Votes, for Learned; else Mine, for Offered
}

// New returns the part of rank self in an agreement of len(dead) ranks. dead says which of them are dead already; the
// caller reports each further death by Died.
func New(self int, dead []bool) *Part {
	return &Part{self: self, dead: slices.Clone(dead), told: -1, offers: map[int][]byte{}}
}

// Mine returns what this rank has contributed.
func (a *Part) Mine() []byte { return a.mine }

// Decided reports whether this rank knows the decision.
func (a *Part) Decided() bool { return a.decided }

// Votes returns the decision, once there is one: the votes by rank.
func (a *Part) Votes() []Vote { return a.votes }

// leader is the lowest rank that lives.
func (a *Part) leader() int { return slices.Index(a.dead, false) }

// Begin contributes value, once, and returns the messages to send, as the other methods do.
func (a *Part) Begin(value []byte) []Message {
	a.begun, a.mine = true, value
	return a.advance()
}

// Died says that a rank is dead. Nothing is accepted from it any more.
func (a *Part) Died(rank int) []Message {
	a.dead[rank] = true
	return a.advance()
}

// Offered takes the contribution of another rank.
func (a *Part) Offered(from int, value []byte) []Message {
	if a.dead[from] {
		return nil
	}
	if a.decided {
		return []Message{{from, true}}
	}
	a.offers[from] = value
	return a.advance()
}

// Learned takes a decision.
func (a *Part) Learned(from int, votes []Vote) []Message {
	if a.dead[from] || a.decided {
		return nil
	}
	a.told = from
	return a.decide(votes)
}

func (a *Part) decide(votes []Vote) []Message {
	a.decided, a.votes, a.offers = true, votes, nil
	return a.advance()
}

// advance sends what this rank can send now.
func (a *Part) advance() []Message {
	lead := a.leader()
	switch {
	case lead == a.self && a.decided:
		return a.spread()
	case lead == a.self && a.begun:
		if votes, all := a.count(); all {
			return a.decide(votes)
		}
	case lead != a.self && a.told != lead && (a.begun || a.decided):
		a.told = lead
		return []Message{{lead, a.decided}}
	}
	return nil
}

// spread tells all the decision, once. Some may have asked this rank for it before it
// became the leader, or before it knew the decision.
func (a *Part) spread() (out []Message) {
	if a.told == a.self {
		return nil
	}
	a.told = a.self
	for r, dead := range a.dead {
		if r != a.self && !dead {
			out = append(out, Message{r, true})
		}
	}
	return out
}

// count returns what the live ranks have contributed, and whether none is missing.
func (a *Part) count() (votes []Vote, all bool) {
	for r, dead := range a.dead {
		value, here := a.offers[r]
		if r == a.self {
			value, here = a.mine, true
		}
		switch {
		case dead:
		case here:
			votes = append(votes, Vote{r, value})
		default:
			return nil, false
		}
	}
	return votes, true
}
