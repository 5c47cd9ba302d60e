package media

import (
	"math/rand/v2"
	"testing"

	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

// A member of a set in a test: it multicasts a few times, arrives, and continues when it learns
// that all have arrived.
type member struct {
	rounds int // rounds in which it has arrived
	met    int // rounds that have ended for it
	sent   int // packets that it has multicast
	seen   int // packets of all members that it has received
}

// A game is members of numbered sets that meet in rounds.
type game struct {
	testing.TB
	m       *Medium
	rng     *rand.Rand
	set     int
	members uint64
	all     map[int]*member
	bytes   int
	latest  [actRounds + 1]vtime.Time // when the last member arrived in a round
	ends    []vtime.Time
}

const (
	actPacket = iota
	actEnd
	actGoOn
	actRounds = 30
)

func (g *game) Act(op int, arg uint64) {
	at, of := medium.OfMember(arg)
	p := g.all[at]
	switch op {
	case actPacket:
		p.seen++
		if int(of&(1<<16-1)) > g.all[int(of>>16)].sent {
			g.Errorf("a packet of member %d that was not sent", of>>16)
		}
	case actGoOn:
		g.come(at)
	case actEnd:
		if int(of) != g.set {
			g.Errorf("set %d has met, member %d is of set %d", of, at, g.set)
		}
		p.met++
		sent := 0
		for who, q := range g.all {
			if q.rounds < p.met {
				g.Errorf("round %d is over for member %d, and member %d has not come", p.met, at, who)
			}
			sent += min(q.rounds, p.met) * packets(who)
		}
		if p.seen < sent {
			g.Errorf("round %d is over for member %d, who has %d of %d packets", p.met, at, p.seen, sent)
		}
		if took := g.m.Now() - g.latest[p.met]; took < g.m.Lookahead() {
			g.Errorf("member %d learns of a round %v after the last came", at, took)
		}
		g.ends = append(g.ends, g.m.Now())
		if p.rounds < actRounds {
			g.m.After(vtime.Time(g.rng.IntN(4000))*vtime.Nanosecond, g, actGoOn, medium.AtMember(at, 0))
		}
	}
}

// packets returns how many packets a member multicasts in a round.
func packets(who int) int { return who % 3 }

// come has a member multicast and arrive.
func (g *game) come(at int) {
	p := g.all[at]
	for range packets(at) {
		p.sent++
		g.m.Multicast(at, g.set, g.members, g.rng.IntN(g.bytes+1), g, actPacket, uint32(at<<16|p.sent))
	}
	p.rounds++
	g.latest[p.rounds] = g.m.Now()
	g.m.Meet(at, g.set, g.members, g, actEnd)
}

func newGame(t testing.TB, m *Medium, set, bytes int, seed uint64, ranks ...int) *game {
	g := &game{TB: t, m: m, rng: rand.New(rand.NewPCG(seed, 1)), set: set, all: map[int]*member{}, bytes: bytes}
	for _, r := range ranks {
		g.members |= 1 << r
		g.all[r] = new(member)
	}
	for _, r := range ranks {
		m.After(vtime.Time(g.rng.IntN(3000))*vtime.Nanosecond, g, actGoOn, medium.AtMember(r, 0))
	}
	return g
}

// TestSetsMeet: a member learns that all have arrived only after they have, and after all their
// earlier multicasts; sets with common members do not mix; a number can be reused for another set
// when the first one is finished.
func TestSetsMeet(t *testing.T) {
	for _, settings := range [][]string{nil, {"switch.level=1", "receiver.fifo=1"}, {"switch.sync=1", "switch.multicast=1000"}} {
		k := new(vtime.Kernel)
		m := open(t, k, 21, settings...)
		for again := range uint64(2) {
			games := []*game{
				newGame(t, m, 0, 3000, again, 0, 1, 2, 3, 4+int(again)), newGame(t, m, 127, 300, again, 2, 20), newGame(t, m, 5, 1, again, 3, 4, 5, 6, 7, 8, 9, 16, 20),
			}
			if err := k.Run(1e7); err != nil {
				t.Fatal(err)
			}
			for _, g := range games {
				for who, p := range g.all {
					if p.met != actRounds {
						t.Errorf("%v: set %d, member %d has met %d times of %d", settings, g.set, who, p.met, actRounds)
					}
				}
			}
		}
	}
}

// TestWhatMeetingTakes: members that arrive at the same time learn of it after RHM, SPM and the
// switches, whose tables serve one packet after the other.
func TestWhatMeetingTakes(t *testing.T) {
	at := func(settings ...string) (last vtime.Time) {
		k := new(vtime.Kernel)
		g := newGame(t, open(t, k, 4, settings...), 0, 0, 1)
		for r := range 4 {
			g.members |= 1 << r
			g.all[r] = &member{rounds: actRounds - 1, met: actRounds - 1}
		}
		for r := range 4 {
			g.all[r].rounds++
			g.m.Meet(r, 0, g.members, g, actEnd)
		}
		for _, p := range g.all {
			p.met, p.seen = actRounds-1, 1<<20
		}
		if err := k.Run(1000); err != nil || len(g.ends) != 4 {
			t.Fatal(g.ends, err)
		}
		return g.ends[3]
	}
	alone := at()
	if slow := at("switch.sync=1200"); slow != alone+2*1000*vtime.Nanosecond {
		t.Errorf("%v, and %v with switches that take a microsecond more", alone, slow)
	}
}

// TestNoSetsOfManyNodes: headers of synchronization packets are too small for more than 64 nodes.
func TestNoSetsOfManyNodes(t *testing.T) {
	for ranks, want := range map[int]int{2: 128, 64: 128, 65: 0} {
		if n := open(t, new(vtime.Kernel), ranks).Sets(); n != want {
			t.Errorf("%d sets of %d nodes", n, ranks)
		}
	}
}
