package media

import (
	"rhinet/nicemu/martini/timed"
	"rhinet/nicemu/vtime"
)

// A peer is what a rank knows of another one. Positions are in slots, and never
// wrap (pm-messaging, section 1.4.4).
type peer struct {
	head    int             // where the next message to it goes
	known   int             // its tail of those, as known here
	asking  bool            // for that tail
	unseen  int             // PUSHes to it whose acks have not come, where they are waited for
	blocked bool            // of choose: a message to it cannot go
	tail    int             // of the ring that it fills here
	come    vtime.Ring[int] // slots of the messages that have come there and are not released
}

// room reports whether the ring at the receiver has room for a message, as far
// as the sender knows.
func (h *host) room(p *peer, j *job) bool {
	return h.m.s.layer.ring || h.m.s.ring/slot-(p.head-p.known) >= j.slots
}

// ask returns a request for the tail of the ring at dst, if it is not being asked
// for already. While the tail is where it was, asking is left out: it would be in vain.
func (h *host) ask(dst int) *job {
	p := &h.peers[dst]
	if p.asking || h.m.hosts[dst].peers[h.rank].tail == p.known {
		return nil
	}
	p.asking = true
	return h.m.job(jobTail, dst, 8, nil, 0, 0)
}

// learn takes the tail that a PULL has brought.
func (h *host) learn(dst int) {
	p := &h.peers[dst]
	p.asking, p.known = false, h.m.hosts[dst].peers[h.rank].tail
}

// arrived notes a message that is in memory.
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

// release gives the room of the oldest message back: to the sender, who will ask
// for it, or to the NIC.
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

// released is a part that releases: it is over when the NIC has it.
type released part

// Progress implements timed.Watcher.
func (x *released) Progress(_ *timed.Transfer, s timed.Stage) {
	if s == timed.Accepted {
		x.h.parts = append(x.h.parts, (*part)(x))
	}
}
