package events

import (
	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

// A traffic has every rank send to all others in turn, messages of all lengths, as fast as the model
// accepts them.
type traffic struct {
	src    vtime.Source
	m      medium.Model
	keeper medium.Keeper // nil: packets need no room
	paced  bool
	left   int // messages to be sent
	all    int
	taken  int // messages that have come
	sent   [ranks]int
	credit [ranks][ranks]int // messages that the first rank may still submit for the second
	stuck  [ranks]bool       // the rank waits to send its next message
}

// window is how many messages a rank may submit for another one, where the model does not limit them.
const window = 4

func newTraffic(k *vtime.Kernel, m medium.Model, messages int) *traffic {
	t := &traffic{src: k.Source("traffic"), m: m, left: messages, all: messages}
	t.keeper, _ = m.(medium.Keeper)
	n := window
	if p, ok := m.(medium.Pacer); ok {
		n, t.paced = p.Pace(t.free), true
	}
	for i := range t.credit {
		for j := range t.credit[i] {
			t.credit[i][j] = n
		}
	}
	return t
}

// most is larger than the number of events of the messages.
func (t *traffic) most() uint64 { return 1e6 + 1e4*uint64(t.all) }

func (t *traffic) start() {
	for r := range ranks {
		t.push(r)
	}
}

// next returns where a rank's next message goes, and its length: from nothing to the longest packet, each
// length equally often.
func (t *traffic) next(rank int) (to, bytes int) {
	n := t.sent[rank]
	longest := t.m.Costs().Packet
	return (rank + 1 + n%(ranks-1)) % ranks, (n % 5) * longest / 4
}

// push has a rank send as much as it may.
func (t *traffic) push(rank int) {
	for t.left > 0 {
		to, bytes := t.next(rank)
		if t.stuck[rank] = t.credit[rank][to] == 0; t.stuck[rank] {
			return
		}
		t.credit[rank][to]--
		t.left--
		t.sent[rank]++
		t.m.Send(rank, to, bytes, t, opArrived, uint64(rank)<<32|uint64(to))
	}
}

// free gives a rank room for a message to another one.
func (t *traffic) free(src, dst int) {
	t.credit[src][dst]++
	if t.stuck[src] {
		t.src.After(0, t, opGo, uint64(src))
	}
}

// Operations of the traffic.
const (
	opArrived = iota
	opTaken
	opGo
)

// Act handles an event of a message, or of a rank.
func (t *traffic) Act(op int, arg uint64) {
	src, dst := int(arg>>32), int(arg&(1<<32-1))
	switch op {
	case opArrived:
		t.taken++
		if t.keeper != nil {
			t.src.After(vtime.Microsecond, t, opTaken, arg)
		}
		if !t.paced {
			t.free(src, dst)
		}
	case opTaken:
		t.keeper.Taken(src, dst)
	case opGo:
		t.push(dst)
	}
}
