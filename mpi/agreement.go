package mpi

import "slices"

// An agreement is one rank's part in a decision that ranks reach although some of them
// die meanwhile: which of them take part, and what each contributes. It is a state
// machine without clock and transport.
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
type agreement struct {
	self    int
	dead    []bool
	begun   bool
	decided bool
	mine    []byte
	offers  map[int][]byte // contributions of others
	told    int            // the leader that knows what this rank knows; -1: none
	votes   []vote         // the decision
}

// A vote is what one rank has contributed to a decision.
type vote struct {
	rank  int
	value []byte
}

// An agreementMessage is for another rank: the contribution of this one, or the decision.
type agreementMessage struct {
	to       int
	decision bool
}

// newAgreement returns the part of rank self. dead is the caller's, which reports each
// death by died.
func newAgreement(self int, dead []bool) *agreement {
	return &agreement{self: self, dead: slices.Clone(dead), told: -1, offers: map[int][]byte{}}
}

// leader is the lowest rank that lives.
func (a *agreement) leader() int { return slices.Index(a.dead, false) }

// begin contributes value.
func (a *agreement) begin(value []byte) []agreementMessage {
	a.begun, a.mine = true, value
	return a.advance()
}

// died says that a rank is dead. Nothing is accepted from it any more.
func (a *agreement) died(rank int) []agreementMessage {
	a.dead[rank] = true
	return a.advance()
}

// offered takes the contribution of another rank.
func (a *agreement) offered(from int, value []byte) []agreementMessage {
	if a.dead[from] {
		return nil
	}
	if a.decided {
		return []agreementMessage{{from, true}}
	}
	a.offers[from] = value
	return a.advance()
}

// learned takes a decision.
func (a *agreement) learned(from int, votes []vote) []agreementMessage {
	if a.dead[from] || a.decided {
		return nil
	}
	a.told = from
	return a.decide(votes)
}

func (a *agreement) decide(votes []vote) []agreementMessage {
	a.decided, a.votes, a.offers = true, votes, nil
	return a.advance()
}

// advance sends what this rank can send now.
func (a *agreement) advance() []agreementMessage {
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
		return []agreementMessage{{lead, a.decided}}
	}
	return nil
}

// spread tells all the decision, once. Some may have asked this rank for it before it
// became the leader, or before it knew the decision.
func (a *agreement) spread() (out []agreementMessage) {
	if a.told == a.self {
		return nil
	}
	a.told = a.self
	for r, dead := range a.dead {
		if r != a.self && !dead {
			out = append(out, agreementMessage{r, true})
		}
	}
	return out
}

// count returns what the live ranks have contributed, and whether none is missing.
func (a *agreement) count() (votes []vote, all bool) {
	for r, dead := range a.dead {
		value, here := a.offers[r]
		if r == a.self {
			value, here = a.mine, true
		}
		switch {
		case dead:
		case here:
			votes = append(votes, vote{r, value})
		default:
			return nil, false
		}
	}
	return votes, true
}
