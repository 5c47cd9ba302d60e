package syncctl

import "fmt"

// Shuffle Exchange, plain and modified (sync-controller, sections 3.4 to 3.6). In each row, then in
// each column, nodes 2i and 2i+1 are a pair:
//
//	step 2  each notifies the other of its pair that it has arrived
//	step 3  when both have, the left one notifies its left neighbour, the right one its
//	        right neighbour; modified: a notified node forwards that to the other of its pair
//
// So a node learns of its own pair and of those on both sides, which is a row of at most six nodes,
// or four without forwarding. The last node of an odd row is a pair of one: it notifies both its
// neighbours, and nothing is forwarded through it.
//
// Notices that come before the node's own process arrives are kept; those to be forwarded are
// forwarded at once. A neighbour may be at most one barrier ahead, which the lowest bit of the
// episode shows.

// The notices that a node needs in one dimension.
const (
	toldPair = 1 << iota
	toldLeft // from the neighbour on the left, or above
	toldRight
	toldForward
)

// A line is a node's place in its row or column.
type line struct{ i, n int }

func (l line) lone() bool { return l.i == l.n-1 && l.n%2 == 1 }
func (l line) even() bool { return l.i%2 == 0 }

// wants returns the notices that the node needs.
func (l line) wants(modified bool) uint8 {
	switch {
	case l.n == 1:
		return 0
	case l.n == 2:
		return toldPair
	case l.lone():
		return toldLeft | toldRight
	}
	w := uint8(toldPair | toldRight)
	if l.even() {
		w = toldPair | toldLeft
	}
	if modified {
		w |= toldForward
	}
	return w
}

// MostShuffle returns the longest side of a torus that the barrier supports.
func MostShuffle(kind Kind) int {
	if kind == ModifiedShuffle {
		return 6
	}
	return 4
}

func (m *Machine) checkShuffle(kind Kind) error {
	if most := MostShuffle(kind); m.torus.Rows > most || m.torus.Columns > most {
		return fmt.Errorf("%w: a %v serves sides of at most %d, not a torus of %d x %d; take a master/slave barrier",
			ErrCommand, kind, most, m.torus.Rows, m.torus.Columns)
	}
	return nil
}

// An episode is an RP's state of one barrier.
type episode struct {
	arrived bool
	told    [2]uint8 // by dimension: row, column
	pair    [2]bool  // step 2 of this node is sent
	own     [2]bool  // step 3 of this node is sent
	hops    int      // of the longest chain of packets that arrived
}

// shuffle is an RP's state of a sync_ID.
type shuffle struct {
	number   int // of the barrier that this node's process is in, or will enter
	episodes [2]episode
}

func (m *Machine) shuffleOf(at int, c name) *shuffle {
	s := m.nodes[at].shuffles[c]
	if s == nil {
		s = &shuffle{}
		m.nodes[at].shuffles[c] = s
	}
	return s
}

func (m *Machine) arriveShuffle(at int, c name) {
	s := m.shuffleOf(at, c)
	s.episodes[s.number%2].arrived = true
	m.goOn(at, c, s)
}

func (m *Machine) lineOf(at, dim int) line {
	r, c := m.torus.Place(at)
	if dim == 0 {
		return line{c, m.torus.Columns}
	}
	return line{r, m.torus.Rows}
}

// goOn takes the steps that have become possible.
func (m *Machine) goOn(at int, c name, s *shuffle) {
	e := &s.episodes[s.number%2]
	if !e.arrived {
		return
	}
	for dim := range 2 {
		if !m.step(at, c, s, e, dim) {
			return
		}
	}
	m.chain = max(m.chain, e.hops)
	*e = episode{}
	s.number++
	m.wake(at, c, OK)
}

// step continues in one dimension, and reports whether all needed notices have come.
func (m *Machine) step(at int, c name, s *shuffle, e *episode, dim int) bool {
	l := m.lineOf(at, dim)
	right, left := Right, Left
	if dim == 1 {
		right, left = Down, Up
	}
	tell := func(msg uint16, d Direction) { m.tell(at, c, msg, dim, s.number, d, e.hops) }
	if paired := l.n > 1 && !l.lone(); paired && !e.pair[dim] {
		if e.pair[dim] = true; l.even() {
			tell(msgPair, right)
		} else {
			tell(msgPair, left)
		}
	}
	if l.n > 2 && !e.own[dim] && (l.lone() || e.told[dim]&toldPair != 0) {
		e.own[dim] = true
		if l.lone() || l.even() {
			tell(msgOwnLeft, left)
		}
		if l.lone() || !l.even() {
			tell(msgOwnRight, right)
		}
	}
	want := l.wants(c.kind == ModifiedShuffle)
	return e.told[dim]&want == want && (l.n <= 2 || e.own[dim])
}

// tell sends a notice to a neighbour.
func (m *Machine) tell(at int, c name, msg uint16, dim, number int, d Direction, hops int) {
	p := Packet{Kind: c.kind, ID: c.id, Control: msg}
	if dim == 1 {
		p.Control |= vertical
	}
	if number%2 == 1 {
		p.Control |= episodeBit
	}
	m.send(at, p, m.torus.Neighbour(at, d), hops)
}

func (m *Machine) handleShuffle(at int, p *Packet) {
	c := name{p.Kind, p.ID}
	s := m.shuffleOf(at, c)
	dim, odd := 0, 0
	if p.Control&vertical != 0 {
		dim = 1
	}
	if p.Control&episodeBit != 0 {
		odd = 1
	}
	e := &s.episodes[odd]
	e.hops = max(e.hops, p.hops())
	right, left := Right, Left
	if dim == 1 {
		right, left = Down, Up
	}
	forward := p.Kind == ModifiedShuffle && !m.lineOf(at, dim).lone()
	switch p.Control & msgMask {
	case msgPair:
		e.told[dim] |= toldPair
	case msgOwnLeft: // it came from the right
		if e.told[dim] |= toldRight; forward {
			m.tell(at, c, msgForward, dim, odd, left, p.hops())
		}
	case msgOwnRight:
		if e.told[dim] |= toldLeft; forward {
			m.tell(at, c, msgForward, dim, odd, right, p.hops())
		}
	case msgForward:
		e.told[dim] |= toldForward
	}
	m.goOn(at, c, s)
}
