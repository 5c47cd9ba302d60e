package connect

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A net is the bootstrap areas of all peers, and the ends that their NICs have made. Without chance every
// command is carried out and answered at once.
type net struct {
	machines []*Machine
	words    [][]uint64
	due      [][]answer // commands not answered yet, by peer
	dead     []bool
	lives    []int          // how many commands a peer carries out before it dies; negative: all
	noEnds   []bool         // peers that can make no end
	ends     map[[2]int]end // by owner and peer
	made     uint64
	rng      *rand.Rand
	quiet    bool // out gets nothing
	out      strings.Builder
	broken   []string
}

// An end is one end of a connection.
type end struct {
	address, peer uint64
	ready, used   bool
}

// An answer is due for a command.
type answer struct {
	cmd    Command
	done   bool
	old    uint64
	failed bool
}

func newNet(peers, slots int, rng *rand.Rand) *net {
	n := &net{due: make([][]answer, peers), dead: make([]bool, peers), lives: make([]int, peers), noEnds: make([]bool, peers), ends: map[[2]int]end{}, rng: rng}
	for i := range peers {
		n.lives[i] = -1
		n.words = append(n.words, make([]uint64, Words(slots)))
		n.machines = append(n.machines, New(Config{Self: i, Peers: peers, Slots: slots, Trace: func(peer int, from, to State) {
			n.say("%d with %d: %v -> %v", i, peer, from, to)
		}}))
	}
	return n
}

func (n *net) say(format string, args ...any) {
	if !n.quiet {
		fmt.Fprintf(&n.out, format+"\n", args...)
	}
}

func (n *net) wrong(format string, args ...any) {
	n.broken = append(n.broken, fmt.Sprintf(format, args...))
}

// carryOut does what a peer's machine wants done.
func (n *net) carryOut(i int) {
	for {
		cmds := n.machines[i].Take()
		if len(cmds) == 0 {
			return
		}
		for _, c := range cmds {
			if n.lives[i] == 0 {
				n.dead[i] = true
			}
			if n.dead[i] {
				return
			}
			n.one(i, c)
			if n.lives[i]--; n.lives[i] == 0 {
				n.dead[i] = true
			}
		}
		if n.rng == nil {
			for len(n.due[i]) > 0 && !n.dead[i] {
				n.deliver(i, 0)
			}
		}
	}
}

func (n *net) one(i int, c Command) {
	key := [2]int{i, c.Peer}
	e, there := n.ends[key]
	switch c.Op {
	case Swap, Create:
		a := answer{cmd: c}
		if n.rng == nil || n.rng.IntN(2) == 0 {
			n.execute(i, &a)
		}
		n.due[i] = append(n.due[i], a)
	case Store:
		n.say("%d stores into word %d: %v", i, c.Word, word(c.New))
		n.words[i][c.Word] = c.New
	case Release:
		if n.words[i][c.Word] != c.Old {
			n.say("%d does not release word %d: %v, not %v", i, c.Word, word(n.words[i][c.Word]), word(c.Old))
			return
		}
		n.say("%d releases word %d, which was %v", i, c.Word, word(c.Old))
		n.words[i][c.Word] = 0
	case Ready:
		if !there || e.ready {
			n.wrong("%d makes its end for %d ready: %+v", i, c.Peer, e)
		}
		n.say("%d readies its end for %d: address %#x", i, c.Peer, c.Address)
		e.ready, e.peer = true, c.Address
		n.ends[key] = e
	case Destroy:
		if !there {
			n.wrong("%d destroys an end for %d that is not there", i, c.Peer)
		}
		n.say("%d destroys its end for %d", i, c.Peer)
		delete(n.ends, key)
	case Use:
		if !e.ready || e.used {
			n.wrong("%d uses its end for %d: %+v", i, c.Peer, e)
		}
		other := n.ends[[2]int{c.Peer, i}]
		if !n.dead[c.Peer] && (!other.ready || other.address != e.peer || other.peer != e.address) {
			n.wrong("%d uses its end for %d, %+v, and the other is %+v", i, c.Peer, e, other)
		}
		n.say("%d uses its end for %d", i, c.Peer)
		e.used = true
		n.ends[key] = e
	default:
		n.wrong("%d gave operation %d", i, c.Op)
	}
}

// execute carries out a command that is answered.
func (n *net) execute(i int, a *answer) {
	a.done = true
	c := a.cmd
	if c.Op == Create {
		if a.failed = n.noEnds[i]; a.failed {
			n.say("%d cannot make an end for %d", i, c.Peer)
			return
		}
		n.made++
		a.old = n.made
		if _, there := n.ends[[2]int{i, c.Peer}]; there {
			n.wrong("%d makes a second end for %d", i, c.Peer)
		}
		n.ends[[2]int{i, c.Peer}] = end{address: n.made}
		n.say("%d makes an end for %d: address %#x", i, c.Peer, n.made)
		return
	}
	if c.Word >= len(n.words[c.Peer]) {
		n.wrong("%d swaps word %d of %d", i, c.Word, c.Peer)
		a.failed = true
		return
	}
	w := &n.words[c.Peer][c.Word]
	if a.old = *w; *w == c.Old {
		*w = c.New
		n.say("%d writes word %d of %d: %v, was %v", i, c.Word, c.Peer, word(c.New), word(c.Old))
		return
	}
	n.say("%d does not write word %d of %d: %v, not %v", i, c.Word, c.Peer, word(a.old), word(c.Old))
}

// deliver gives a peer one answer.
func (n *net) deliver(i, at int) {
	a := n.due[i][at]
	n.due[i] = append(n.due[i][:at:at], n.due[i][at+1:]...)
	if !a.done {
		n.execute(i, &a)
	}
	if a.cmd.Op == Create {
		n.machines[i].Created(a.cmd.Peer, a.old, a.failed)
	} else {
		n.machines[i].Swapped(a.cmd.Peer, a.old, a.failed)
	}
}

// look has a peer look at its words once.
func (n *net) look(i int) {
	if n.dead[i] {
		return
	}
	n.machines[i].Retry()
	n.carryOut(i)
	for _, at := range append([]int(nil), n.machines[i].Watched()...) {
		if n.dead[i] {
			return
		}
		n.machines[i].Seen(at, n.words[i][at])
		n.carryOut(i)
	}
}

// settled reports what is wrong or left over when nothing happens any more.
func (n *net) settled(asked map[[2]int]bool, faultless bool) []string {
	for i, m := range n.machines {
		if n.dead[i] {
			continue
		}
		for at, w := range n.words[i] {
			if w != 0 {
				n.wrong("word %d of %d is left: %v", at, i, word(w))
			}
		}
		if len(n.due[i]) > 0 || len(m.blocked) > 0 || len(m.waiting) > 0 || m.initiating != 0 {
			n.wrong("%d is not at rest: %+v", i, m)
		}
		for k, other := range n.machines {
			if i == k {
				continue
			}
			e, there := n.ends[[2]int{i, k}]
			switch s := m.State(k); {
			case n.dead[k]:
				if s != Gone || there {
					n.wrong("%d is %v with the dead %d, end %+v", i, s, k, e)
				}
			case s != other.State(i):
				n.wrong("%d is %v with %d, which is %v", i, s, k, other.State(i))
			case s != Connected && s != Refused && s != Idle:
				n.wrong("%d is %v with %d for good", i, s, k)
			case s == Idle && asked[[2]int{i, k}]:
				n.wrong("%d never came to connect with %d", i, k)
			case faultless && asked[[2]int{i, k}] && s != Connected:
				n.wrong("%d is %v with %d", i, s, k)
			case (s == Connected) != there || there && !e.used:
				n.wrong("%d is %v with %d, and its end is %+v", i, s, k, e)
			}
		}
	}
	return n.broken
}
