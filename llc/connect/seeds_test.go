package connect

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/internal/invariants"
)

var (
	seeds = flag.Int("seeds", 20000, "how many seeds to run")
	first = flag.Uint64("first", 0, "the first of them")
)

// TestSeeds has small worlds connect in random order, with few slots, answers that take their time, peers
// that have no ends to give and peers that die at any command: all that live and wanted a connection are
// connected, or refused, at both sides, and nothing is left in any slot.
func TestSeeds(t *testing.T) {
	n := *seeds
	if testing.Short() || invariants.Enabled {
		n /= 10
	}
	met := map[string]int{}
	for i := range n {
		seed := *first + uint64(i)
		if broken, _ := run(seed, met, true); len(broken) > 0 {
			_, story := run(seed, met, false)
			t.Fatalf("seed %d (-first %d -seeds 1): %s\n%s", seed, seed, broken[0], story)
		}
	}
	if n < 1000 {
		return
	}
	for _, what := range []string{"both at once", "a dead peer's lock", "no free slot", "refused", "a lock given back", "a request waited for a slot", "connected"} {
		if met[what] == 0 {
			t.Errorf("no seed of %d has met: %s", n, what)
		}
	}
}

// run runs one world; met counts what has occurred. It returns what is wrong and, unless quiet, what has
// happened.
func run(seed uint64, met map[string]int, quiet bool) (broken []string, story string) {
	rng := rand.New(rand.NewPCG(seed, 0xc011))
	peers := 2 + rng.IntN(4)
	n := newNet(peers, 2+rng.IntN(3), rng)
	n.quiet = quiet
	for i := range n.machines {
		n.noEnds[i] = rng.IntN(12) == 0
		if rng.IntN(10) == 0 {
			n.lives[i] = rng.IntN(12)
		}
		trace := n.machines[i].trace
		n.machines[i].trace = func(peer int, from, to State) {
			n.note(i, peer, from, to, met)
			trace(peer, from, to)
		}
	}
	asked := map[[2]int]bool{}
	told := make([][]bool, peers)
	for i := range told {
		told[i] = make([]bool, peers)
	}
	wishes := 1 + rng.IntN(3*peers)
	for range 300 {
		i := rng.IntN(peers)
		if n.dead[i] {
			continue
		}
		m := n.machines[i]
		switch rng.IntN(5) {
		case 0:
			if k := rng.IntN(peers); wishes > 0 && k != i {
				wishes--
				m.Connect(k)
				asked[[2]int{i, k}] = true
			}
		case 1, 2:
			if len(n.due[i]) > 0 {
				n.deliver(i, rng.IntN(len(n.due[i])))
			}
		case 3:
			at := m.Watched()[rng.IntN(len(m.Watched()))]
			m.Seen(at, n.words[i][at])
		default:
			m.Retry()
			n.announce(i, told, rng.IntN(4) == 0)
		}
		n.carryOut(i)
		if len(n.broken) > 0 {
			return n.broken, n.out.String()
		}
	}
	// What no peer has noticed may end in any way: a peer that dies later is one more step.
	for i := range n.machines {
		if n.lives[i] >= 0 {
			n.dead[i] = true
		}
	}
	for range 400 {
		for i := range n.machines {
			if n.dead[i] {
				continue
			}
			n.announce(i, told, true)
			n.carryOut(i)
			for len(n.due[i]) > 0 {
				n.deliver(i, 0)
				n.carryOut(i)
			}
			n.look(i)
		}
	}
	faultless := !slices.Contains(n.dead, true) && !slices.Contains(n.noEnds, true)
	return n.settled(asked, faultless), n.out.String()
}

// announce tells a peer which peers are dead. What the dead had under way happens before, or never.
func (n *net) announce(i int, told [][]bool, now bool) {
	for k, dead := range n.dead {
		if !dead || !now {
			continue
		}
		for at := range n.due[k] {
			if a := &n.due[k][at]; !a.done && a.cmd.Op == Swap && n.rng.IntN(2) == 0 {
				n.execute(k, a)
			}
		}
		n.due[k] = nil
		if !told[i][k] {
			told[i][k] = true
			n.machines[i].Lose(k)
		}
	}
}

// note counts the occurrences that the tests are about.
func (n *net) note(i, peer int, from, to State, met map[string]int) {
	m := n.machines[i]
	switch {
	case from == I4 && to == Idle || from == I1 && to == Idle:
		met["both at once"]++
	case to == Yield:
		met["a lock given back"]++
	case to == Refused:
		met["refused"]++
	case to == Connected:
		met["connected"]++
	case to == Waiting && m.initiating >= len(m.slots)-1:
		met["no free slot"]++
	case to == Gone && m.common.kind() == locked && m.common.peer() == peer:
		met["a dead peer's lock"]++
	case to == R1 && m.State(peer) == Waiting:
		met["a request waited for a slot"]++
	}
}
