package llc

// A spell is a number of messages that go another way than usual, because the usual one was found slow. After
// those the usual one is tried again. The zero spell is over.
type spell struct {
	left  int // messages that still go the other way
	whole int // messages of the latest spell
	tried int // messages that went the usual way since
}

// spellFor is how many messages a spell has. The number doubles each time that one of the next spellSoon messages
// that go the usual way is slow as well, up to spellMost.
const (
	spellFor  = 63
	spellMost = 511
	spellSoon = 8
)

// over reports whether the next message goes the usual way.
func (s *spell) over() bool { return s.left == 0 }

// try counts a message that goes the usual way.
func (s *spell) try() { s.tried++ }

// pass counts a message that goes the other way, if there is a spell.
func (s *spell) pass() { s.left = max(s.left-1, 0) }

// begin takes a report that a message which went the usual way was slow. A report during a spell is of a message
// that was on its way when the spell began, and only prolongs it.
func (s *spell) begin() {
	if s.left == 0 {
		if s.tried > spellSoon {
			s.whole = 0
		}
		s.whole, s.tried = max(spellFor, min(2*s.whole+1, spellMost)), 0
	}
	s.left = s.whole
}
