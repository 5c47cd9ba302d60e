package agreement

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A network is the parts of all ranks, and what is between them: it delays messages, and keeps the order between two
// ranks.
type network struct {
	all    []*Part
	killed []bool
	links  map[[2]int][]messageInFlight // from, to
	heard  map[[2]int]bool              // who knows of whose death
	rng    *rand.Rand
	budget int // messages until the next death; negative: no death
}

// A messageInFlight is a Message that has not arrived.
type messageInFlight struct {
	votes []Vote // nil: an offer
	value []byte
}

func newNetwork(n int, seed uint64) *network {
	p := &network{killed: make([]bool, n), links: map[[2]int][]messageInFlight{}, heard: map[[2]int]bool{}, rng: rand.New(rand.NewPCG(seed, 1)), budget: -1}
	for r := range n {
		p.all = append(p.all, New(r, make([]bool, n)))
	}
	return p
}

// post sends the messages of a rank, which may die between two of them.
func (p *network) post(from int, out []Message) {
	for _, x := range out {
		if p.killed[from] {
			return
		}
		if p.budget == 0 {
			p.kill(from)
			return
		}
		p.budget--
		m := messageInFlight{value: p.all[from].mine}
		if x.Decision {
			m.votes = p.all[from].votes
		}
		key := [2]int{from, x.To}
		p.links[key] = append(p.links[key], m)
	}
}

func (p *network) kill(r int) { p.killed[r], p.budget = true, -1 }

// step makes one random event happen, and reports whether there was one.
func (p *network) step() bool {
	type event struct {
		key   [2]int
		death bool
	}
	var events []event
	for key, waits := range p.links {
		if len(waits) > 0 && !p.killed[key[1]] {
			events = append(events, event{key, false})
		}
	}
	for r, dead := range p.killed {
		for o := range p.all {
			if dead && !p.killed[o] && !p.heard[[2]int{o, r}] {
				events = append(events, event{[2]int{o, r}, true})
			}
		}
	}
	if len(events) == 0 {
		return false
	}
	slices.SortFunc(events, func(a, b event) int { return slices.Compare(a.key[:], b.key[:]) }) // maps have no order
	e := events[p.rng.IntN(len(events))]
	if e.death {
		p.heard[e.key] = true
		p.post(e.key[0], p.all[e.key[0]].Died(e.key[1]))
		return true
	}
	from, to := e.key[0], e.key[1]
	m := p.links[e.key][0]
	p.links[e.key] = p.links[e.key][1:]
	if m.votes != nil {
		p.post(to, p.all[to].Learned(from, m.votes))
	} else {
		p.post(to, p.all[to].Offered(from, m.value))
	}
	return true
}

// judge returns what is wrong at the end.
func (p *network) judge() error {
	var first []Vote
	for r, a := range p.all {
		if p.killed[r] {
			continue
		}
		if !a.decided {
			return fmt.Errorf("rank %d has not decided", r)
		}
		if first == nil {
			first = a.votes
		}
		if !slices.EqualFunc(a.votes, first, func(a, b Vote) bool { return a.Rank == b.Rank && slices.Equal(a.Value, b.Value) }) {
			return fmt.Errorf("rank %d has decided %v, another one %v", r, a.votes, first)
		}
		i := slices.IndexFunc(a.votes, func(v Vote) bool { return v.Rank == r })
		if i < 0 || a.votes[i].Value[0] != byte(r) {
			return fmt.Errorf("the vote of rank %d, which lives, is not in %v", r, a.votes)
		}
	}
	return nil
}

// run has all ranks vote in random order; so many of them die.
func (p *network) run(deaths int) error {
	order := p.rng.Perm(len(p.all))
	for {
		if p.budget < 0 && deaths > 0 {
			p.budget = p.rng.IntN(2 * len(p.all))
			deaths--
		}
		if len(order) > 0 && p.rng.IntN(3) == 0 {
			r := order[0]
			order = order[1:]
			if !p.killed[r] {
				p.post(r, p.all[r].Begin([]byte{byte(r)}))
			}
			continue
		}
		if !p.step() && len(order) == 0 {
			return p.judge()
		}
	}
}

// All live ranks decide the same, and no vote of a live rank is lost, whichever rank
// dies after whichever message.
func TestAgreementSurvivesDeaths(t *testing.T) {
	seeds := uint64(20_000)
	if testing.Short() {
		seeds = 2_000
	}
	for seed := range seeds {
		n := 1 + int(seed%6)
		if err := newNetwork(n, seed).run(int(seed/6) % n); err != nil {
			t.Fatalf("seed %d, %d ranks: %v", seed, n, err)
		}
	}
}

// The leader dies after each of its messages, and so does the next one.
func TestAgreementWhenLeadersDieAtEachMessage(t *testing.T) {
	for first := range 8 {
		for second := range 8 {
			for seed := range uint64(20) {
				p := newNetwork(5, seed)
				for r, a := range p.all {
					p.post(r, a.Begin([]byte{byte(r)}))
				}
				for _, sends := range []int{first, second} {
					p.budget = sends
					for p.budget >= 0 && p.step() {
					}
				}
				for p.step() {
				}
				if err := p.judge(); err != nil {
					t.Fatalf("deaths after %d and %d messages, seed %d: %v", first, second, seed, err)
				}
			}
		}
	}
}
