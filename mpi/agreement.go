package mpi

import "slices"

// An agreement is the part of one rank in a decision that ranks come to although
// some of them die meanwhile: which of them take part, and what each brings in.
// It is a state machine without clock and transport.
//
// The lowest rank that lives leads. All others send it what they bring in, and
// send it again to the next one when it dies; it decides when it has heard from
// all that live, and tells all. Who knows the decision tells it to whoever leads
// later. So a decision that one of those who live has got is the only one: it was
// made of what all of them had brought in, and who asks a new leader for a
// decision takes none of the old one any more.
//
// It holds if nobody is taken for dead who lives, and nothing is taken from who
// is known to be dead.
type agreement struct {
	self    int
	dead    []bool
	begun   bool
	decided bool
	mine    []byte
	offers  map[int][]byte // what others have sent this rank
	told    int            // the leader who knows what this rank knows; -1: none
	votes   []vote         // the decision
}

// A vote is what one rank has brought into a decision.
type vote struct {
	rank  int
	value []byte
}

// A parcel is for another rank: what this one brings in, or the decision.
type parcel struct {
	to       int
	decision bool
}

// newAgreement returns the part of rank self. dead is the caller's, who says of
// each death.
func newAgreement(self int, dead []bool) *agreement {
	return &agreement{self: self, dead: slices.Clone(dead), told: -1, offers: map[int][]byte{}}
}

// leader is the lowest rank that lives.
func (a *agreement) leader() int { return slices.Index(a.dead, false) }

// begin brings something in.
func (a *agreement) begin(value []byte) []parcel {
	a.begun, a.mine = true, value
	return a.advance()
}

// died says that a rank is dead. It is not heard any more.
func (a *agreement) died(rank int) []parcel {
	a.dead[rank] = true
	return a.advance()
}

// offered takes what another rank brings in.
func (a *agreement) offered(from int, value []byte) []parcel {
	if a.dead[from] {
		return nil
	}
	if a.decided {
		return []parcel{{from, true}}
	}
	a.offers[from] = value
	return a.advance()
}

// learned takes a decision.
func (a *agreement) learned(from int, votes []vote) []parcel {
	if a.dead[from] || a.decided {
		return nil
	}
	a.told = from
	return a.decide(votes)
}

func (a *agreement) decide(votes []vote) []parcel {
	a.decided, a.votes, a.offers = true, votes, nil
	return a.advance()
}

// advance does what is to be done now.
func (a *agreement) advance() []parcel {
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
		return []parcel{{lead, a.decided}}
	}
	return nil
}

// spread tells all the decision, once. Some may have asked this rank for it before
// it led, or before it knew.
func (a *agreement) spread() (out []parcel) {
	if a.told == a.self {
		return nil
	}
	a.told = a.self
	for r, dead := range a.dead {
		if r != a.self && !dead {
			out = append(out, parcel{r, true})
		}
	}
	return out
}

// count is what all that live have brought in, and whether all of it is here.
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
