// Package mediumtest is a suite for modelled networks (package medium).
package mediumtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

// Open returns a model of the given number of ranks on a kernel.
type Open func(t testing.TB, k *vtime.Kernel, ranks int) medium.Model

// Run gives a model random traffic, twice: every packet arrives once, in the order of its pair, not
// before the lookahead; a rank of a [medium.Pacer] gets a packet's credit back once the packet was
// taken; transfers of a [medium.Mover] end; no link is in use for more than the whole time; and the
// second run is the same.
func Run(t *testing.T, open Open) {
	t.Helper()
	if first, second := run(t, open), run(t, open); first != second {
		t.Error("two runs differ")
	}
}

const (
	ranks   = 5
	packets = 400
	steps   = 10_000_000
)

// A load is random traffic.
type load struct {
	t       *testing.T
	k       *vtime.Kernel
	m       medium.Model
	rng     *rand.Rand
	sent    map[int][]sending // by pair, in order
	come    map[int]int
	may     map[int]int // packets that a Pacer allows at the moment
	moved   int
	log     strings.Builder
	arrived int
}

type sending struct {
	number int
	at     vtime.Time
}

const (
	opCome = iota
	opMoved
)

func run(t *testing.T, open Open) string {
	t.Helper()
	l := &load{t: t, k: new(vtime.Kernel), rng: rand.New(rand.NewPCG(5, 6)), sent: map[int][]sending{}, come: map[int]int{}, may: map[int]int{}}
	l.m = open(t, l.k, ranks)
	window := packets
	if p, ok := l.m.(medium.Pacer); ok {
		window = p.Pace(func(src, dst int) { l.may[src*ranks+dst]++ })
	}
	moves := l.traffic(window)
	if err := l.k.Run(steps); err != nil {
		t.Fatal(err)
	}
	if l.arrived != packets || l.moved != moves {
		t.Errorf("%d of %d packets came, %d of %d transfers ended", l.arrived, packets, l.moved, moves)
	}
	for pair, n := range l.may {
		if _, ok := l.m.(medium.Pacer); ok && n != 0 {
			t.Errorf("pair %d: a model that has nothing to do keeps %d packets", pair, -n)
		}
	}
	l.links()
	return l.log.String()
}

// traffic sends packets, and now and then begins a transfer.
func (l *load) traffic(window int) (moves int) {
	most, mover := l.m.Costs().Packet, medium.Mover(nil)
	mover, _ = l.m.(medium.Mover)
	for number := range packets {
		src, dst := l.rng.IntN(ranks), l.rng.IntN(ranks)
		pair := src*ranks + dst
		for window+l.may[pair] <= 0 {
			if !l.k.Step() {
				l.t.Fatalf("rank %d may not send to %d, and nothing happens", src, dst)
			}
		}
		l.may[pair]--
		l.sent[pair] = append(l.sent[pair], sending{number, l.k.Now()})
		l.m.Send(src, dst, []int{0, 8, 100, most / 2, most}[l.rng.IntN(5)], l, opCome, uint64(number*ranks*ranks+pair))
		if mover == nil || number%20 != 0 {
			continue
		}
		move := mover.Pull
		if number%40 == 0 {
			move = mover.Push
		}
		move(src, dst, []int{0, 5000, 600_000}[l.rng.IntN(3)], l, opMoved, uint64(number))
		moves++
	}
	return moves
}

// Act handles the events of the traffic.
func (l *load) Act(op int, arg uint64) {
	fmt.Fprintln(&l.log, l.k.Now(), op, arg)
	if op == opMoved {
		l.moved++
		return
	}
	number, pair := int(arg)/(ranks*ranks), int(arg)%(ranks*ranks)
	first := l.sent[pair][l.come[pair]]
	if l.come[pair]++; first.number != number {
		l.t.Errorf("pair %d: packet %d came, not %d", pair, number, first.number)
	}
	if took := l.k.Now() - first.at; took < l.m.Lookahead() {
		l.t.Errorf("packet %d took %v, and the lookahead is %v", number, took, l.m.Lookahead())
	}
	l.arrived++
	if k, ok := l.m.(medium.Keeper); ok {
		k.Taken(pair/ranks, pair%ranks)
	}
}

// links checks the use of links.
func (l *load) links() {
	some := false
	for _, x := range l.m.Links(l.k.Now()) {
		some = some || x.Used > 0
		if x.Used < 0 || x.Used > 1 || x.Name == "" {
			l.t.Errorf("%+v", x)
		}
	}
	if !some {
		l.t.Error("no link was in use")
	}
	if c, ok := l.m.(medium.Counter); ok {
		if n, bytes := c.Carried(); n < packets/2 || bytes == 0 {
			l.t.Errorf("the links carried %d packets, %d bytes", n, bytes)
		}
	}
}
