package observe

// A CommID names a communicator of a rank; 0 is none.
type CommID uint8

// Counters count what a rank has done on one communicator.
type Counters struct {
	Comm          string `json:"comm"`
	Sent          uint64 `json:"sent"`
	SentBytes     uint64 `json:"sent_bytes"`
	Received      uint64 `json:"received"`
	ReceivedBytes uint64 `json:"received_bytes"`
	Waits         uint64 `json:"waits"` // calls that had to wait more than briefly

	Waited float64 `json:"waited_s"` // total time of these
}

// Comm begins to count for a communicator whose messages have the given context or the next one.
func (r *Rank) Comm(name string, context uint16) CommID {
	r.guard.Lock()
	defer r.guard.Unlock()
	if r.closed {
		return 0
	}
	if r.comms < mostComms-1 {
		r.comms++
	} else {
		r.comms, name = mostComms, other
	}
	id := CommID(r.comms)
	r.commAt[id] = (*commWords)(r.mem[r.plan.commsAt()+int(id-1)*commBytes:])
	setCommName(r.commAt[id][:], name)
	r.commOf[context>>1] = id
	r.strange()
	for to := range r.commTo { // entries of an earlier communicator with this ID
		if to.context>>1 == context>>1 {
			delete(r.commTo, to)
		}
	}
	return id
}

// Rename gives a communicator another name. Communicators that share the last row keep its name.
func (r *Rank) Rename(id CommID, name string) {
	r.guard.Lock()
	defer r.guard.Unlock()
	if !r.closed && id != 0 && id < mostComms {
		setCommName(r.commAt[id][:], name)
	}
}

// A destination is a peer and the context of messages to it.
type destination struct {
	peer    int
	context uint16
}

// Foreign says that messages of a communicator to peer have another context than those to this rank.
func (r *Rank) Foreign(id CommID, peer int, context uint16) {
	r.guard.Lock()
	defer r.guard.Unlock()
	if r.commTo == nil {
		r.commTo = map[destination]CommID{}
	}
	r.commTo[destination{peer, context}] = id
	r.strange()
}

// CommTo returns the communicator whose messages to a peer have a context.
func (r *Rank) CommTo(peer int, context uint16) CommID {
	if id, there := r.commTo[destination{peer, context}]; there {
		return id
	}
	return r.CommOf(context)
}

// CommOf returns the communicator whose messages to this rank have a context.
func (r *Rank) CommOf(context uint16) CommID { return r.commOf[context>>1] }

// waited counts a wait.
func (r *Rank) waited(id CommID, asleep int64) {
	if id != 0 {
		c := r.commAt[id]
		add(c[commWaits:], 1)
		add(c[commWaited:], uint64(asleep))
	}
}

// Counters returns the counts of a communicator so far. The field Waited is not set; that time is returned
// in ticks.
func (r *Rank) Counters(id CommID) (c Counters, ticks int64) {
	r.guard.Lock()
	defer r.guard.Unlock()
	if r.closed || id == 0 {
		return c, 0
	}
	b := *r.commAt[id]
	for i := range r.cells.used {
		if t, any := readCell(r.mem[r.plan.cellsAt()+i*cellBytes:]); any && t.id == id {
			t.toComm(b[:])
		}
	}
	return readCounters(b[:]), int64(get(b[:], commWaited))
}

func readCounters(b []byte) Counters {
	return Counters{
		Comm: commName(b), Sent: get(b, commSent), SentBytes: get(b, commSentBytes),
		Received: get(b, commReceived), ReceivedBytes: get(b, commReceivedBytes), Waits: get(b, commWaits),
	}
}

// counters reads the counters of a rank.
func (p plan) counters(b []byte, t times) []Counters {
	list := []Counters{}
	for i := range mostComms {
		at := p.commsAt() + i*commBytes
		c := readCounters(b[at : at+commBytes])
		if c.Waited = t.seconds(get(b[at:], commWaited)); c != (Counters{}) {
			list = append(list, c)
		}
	}
	return list
}
