package llc

// A Snapshot counts what an engine holds, for diagnosis and tests.
type Snapshot struct {
	Posted     int // receives that wait for a message
	Unexpected int // messages that wait for a receive
	Queued     int // packets, or entries of several, that wait for their way
	InFlight   int // packets to shared rings that are neither refused nor known to have gone
	Transfers  int // rendezvous and synchronous messages under way
	Copies     int // Pull and Push commands under way
	Segments   int // own memory exposed
	Words      int // claim words in use
	Rings      int // own packet rings given to peers
	Incoming   int // messages of which not all packets have arrived
}

// Snapshot returns the counts.
func (e *Engine) Snapshot() Snapshot {
	s := Snapshot{
		Posted:     e.table.Posted(),
		Unexpected: e.table.Messages(),
		Queued:     e.queued,
		InFlight:   len(e.inFlight),
		Transfers:  e.transfers.active,
		Segments:   e.segments,
	}
	for i := range e.nics {
		n := &e.nics[i]
		s.Copies += n.copies.running
		s.Words += len(n.words.values) - len(n.words.free)
		s.Rings += len(n.rings)
	}
	for i := range e.peers {
		if e.peers[i].in.size != 0 {
			s.Incoming++
		}
	}
	return s
}

// A Pending is one request that is not done.
type Pending struct {
	Request *Request
	Send    bool
	Moved   int    // bytes that have gone or come, as far as the engine knows
	State   string // what it waits for
}

// Pending lists the requests that are not done, for diagnosis.
func (e *Engine) Pending() []Pending {
	var list []Pending
	receive := func(r *Request) {
		list = append(list, Pending{Request: r, State: "no message has matched"})
	}
	e.table.Receives(AnyPeer, receive)
	for i := range e.peers {
		p := &e.peers[i]
		e.table.Receives(p.number, receive)
		if p.in.r != nil {
			list = append(list, Pending{p.in.r, false, int(p.in.got), "more packets to come"})
		}
		for t := p.queues.messages.head; t != nil; t = t.next {
			if t.r != nil && t.t == nil {
				list = append(list, Pending{t.r, true, t.off, "no room at " + inWords[p.out]})
			}
		}
	}
	for _, t := range e.transfers.table {
		if t.state != idle && t.r != nil && (!t.standby || t.over) {
			list = append(list, Pending{t.r, t.state.sending(), t.off, t.state.String()})
		}
	}
	e.table.EachMessage(func(m *message) {
		if m.self != nil {
			list = append(list, Pending{m.self, true, 0, "no receive has matched"})
		}
	})
	return list
}

var inWords = [...]string{"the shared ring", "the shared ring", "the packet ring", "the shared ring"}
