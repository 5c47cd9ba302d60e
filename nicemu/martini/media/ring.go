package media

import (
	"rhinet/nicemu/martini/timed"
	"rhinet/nicemu/vtime"
)

// A peer is a rank's record of another one. Positions are in slots, and never wrap (pm-messaging,
// section 1.4.4).
type peer struct {
	head    int             // position of the next message to it
	known   int             // its tail of those, as last read here
	asking  bool            // that tail is being read
	unseen  int             // PUSHes to it with acks outstanding, if the layer waits for acks
	blocked bool            // for choose: a message to it cannot go
	tail    int             // of the ring here that it fills
	come    vtime.Ring[int] // slots of the messages from it that have arrived and are not released
}

// room reports whether the ring at the receiver has room for a message, according to the tail that
// the sender knows.
func (h *host) room(p *peer, j *job) bool {
	return h.m.s.layer.ring || h.m.s.ring/slot-(p.head-p.known) >= j.slots
}

// ask returns a request for the tail of the ring at dst, unless one is in progress. It returns none
// while the tail has not changed, because reading it would gain nothing.
func (h *host) ask(dst int) *job {
	p := &h.peers[dst]
	if p.asking || h.m.hosts[dst].peers[h.rank].tail == p.known {
		return nil
	}
	p.asking = true
	return h.m.job(jobTail, dst, 8, nil, 0, 0)
}

// learn stores the tail that a PULL has read.
func (h *host) learn(dst int) {
	p := &h.peers[dst]
	p.asking, p.known = false, h.m.hosts[dst].peers[h.rank].tail
}

// arrived records a message that is in memory.
func (h *host) arrived(src int, j *job) {
	if h.m.s.layer.ring {
		h.come.Push(j.bytes)
	} else {
		h.peers[src].come.Push(j.slots)
	}
	if h.left {
		h.release(src)
	}
}

// release frees the room of the oldest message: for the sender, which will read the tail, or for
// the NIC.
func (h *host) release(src int) {
	if h.m.s.layer.ring {
		x := h.part(nil)
		x.Transfer = timed.Transfer{Kind: timed.Release, To: h.rank, Bytes: h.come.Pop(), Watcher: (*released)(x)}
		if err := h.node.Post(&x.Transfer); err != nil {
			panic(err) // as in post
		}
		return
	}
	p := &h.peers[src]
	p.tail += p.come.Pop()
	h.m.hosts[src].pump()
}

// released is a part that advances the release pointer: it is complete when the NIC has it.
type released part

// Progress implements timed.Watcher.
func (x *released) Progress(_ *timed.Transfer, s timed.Stage) {
	if s == timed.Accepted {
		x.h.parts = append(x.h.parts, (*part)(x))
	}
}
