package nictest

import (
	"bytes"
	"errors"
	"time"

	"rhinet/llc/ir"
)

// breakWay posts a command on a way to a peer that cannot exist: to a packet ring that its reader does not
// have. That is the end of the peer.
func (r *rig) breakWay(at, peer int, op ir.Op) {
	r.post(at, ir.Command{Op: op, Peer: int32(peer), Ring: ir.Ring(r.caps(at, peer).Rings), Header: header(0)})
}

// isEnd reports whether ev is the report of a peer's end.
func isEnd(ev *ir.Event, peer int) bool {
	return ev.Kind == ir.Failed && ev.Token == 0 && int(ev.Peer) == peer && errors.Is(ev.Err, ir.ErrPeerGone)
}

// end awaits the report of a peer's end.
func (r *rig) end(at, peer int) {
	r.Helper()
	ev := r.await(at, "report of a peer's end", func(ev *ir.Event) bool { return ev.Kind == ir.Failed && ev.Token == 0 })
	if !isEnd(&ev, peer) {
		r.Fatalf("%+v, want the end of peer %d", ev, peer)
	}
}

// testBrokenWay breaks the way to a peer. Such commands carry no token, whatever an earlier one has left
// there: each is the end of the peer, which is reported once.
func testBrokenWay(r *rig) {
	for i, op := range []ir.Op{ir.Packet, ir.ReadTail, ir.Open} {
		peer := (i + 1) % 3
		r.breakWay(i, peer, op)
		r.end(i, peer)
		r.breakWay(i, peer, ir.Open)
		r.post(i, ir.Command{Op: ir.Shared, Peer: int32(peer), Header: header(0)})
		for range 20 {
			r.poll(i)
		}
		for _, ev := range r.inbox[i] {
			if int(ev.Peer) == peer {
				r.Errorf("op %d: %+v after the end of peer %d", op, ev, peer)
			}
		}
	}
	for p := range r.ts { // what went to a peer that only others count as dead
		for r.poll(p) {
		}
		r.inbox[p] = nil
	}
}

// testEndWhileMoreIsDue reports the end of a peer while everything possible is under way: a refused packet,
// answers that were due before, and answers that come after; all of them still come, Busy first, each once.
func testEndWhileMoreIsDue(r *rig) {
	r.fill(0, 2)
	token := func(cmd ir.Command) uint64 { return r.post(0, cmd) }
	before := token(ir.Command{Op: ir.Expose, Data: make([]byte, 64)})
	busy := token(ir.Command{Op: ir.Shared, Peer: 2, Header: header(0), Data: payload(0, filling)})
	r.breakWay(0, 1, ir.Open)
	r.breakWay(0, 2, ir.Open)
	after := []uint64{
		token(ir.Command{Op: ir.Swap, Peer: 1, Offset: uint64(r.caps(0, 1).Words)}),
		token(ir.Command{Op: ir.Pull, Peer: 2, Data: make([]byte, 8)}),
		token(ir.Command{Op: ir.Push, Peer: 1, Data: make([]byte, 8)}),
	}
	if r.poll(0); len(r.inbox[0]) == 0 || r.inbox[0][0].Kind != ir.Busy || r.inbox[0][0].Token != busy {
		r.Fatalf("%+v before the Busy of packet %d", r.inbox[0], busy)
	}
	r.inbox[0] = nil
	for peer := 1; peer < 3; peer++ {
		r.await(0, "report of a peer's end", func(ev *ir.Event) bool { return isEnd(ev, peer) })
	}
	exposed := r.await(0, "answer", func(ev *ir.Event) bool { return ev.Token == before })
	if exposed.Kind == ir.Exposed {
		r.post(0, ir.Command{Op: ir.Conceal, Segment: exposed.Segment})
	}
	for _, t := range after {
		if ev := r.await(0, "answer", func(ev *ir.Event) bool { return ev.Token == t }); ev.Kind != ir.Failed || ev.Err == nil {
			r.Errorf("%+v", ev)
		}
	}
	r.deaf[2] = true // what went to it before comes at any time
	r.inbox[2] = nil
	r.quiet()
}

// testNothingAfterTheEnd: what a peer had sent and was not polled before its end does not come after it,
// whether it came in the shared ring or in a packet ring; what others sent does.
func testNothingAfterTheEnd(r *rig) {
	shared := func(from, i int) {
		r.post(from, ir.Command{Op: ir.Shared, Header: header(i), Data: payload(i, 100)})
	}
	var own []*stream
	if both := r.ringed(0, 2); len(both) == 2 {
		for i, from := range both {
			own = append(own, r.stream(from, 0, ir.Ring(i)))
		}
	}
	for i := range 2 {
		for from := 1; from < 3; from++ {
			shared(from, i)
			r.poll(from)
		}
		for _, s := range own {
			s.send(10)
		}
	}
	r.breakWay(0, 1, ir.ReadTail)
	r.end(0, 1)
	shared(1, 2)
	r.poll(1)
	if own != nil {
		r.post(1, own[0].command(2, 10))
	}
	want := 2
	if own != nil {
		want = 4
	}
	for range want {
		if ev := r.await(0, "packet", func(ev *ir.Event) bool { return ev.Kind == ir.Arrived }); ev.Peer != 2 {
			r.Fatalf("a packet of peer %d after its end", ev.Peer)
		}
	}
	r.quiet()
}

// testConcealRefused withdraws what was never registered: a NIC that refuses says so without a token, and
// ends no peer.
func testConcealRefused(r *rig) {
	r.post(0, ir.Command{Op: ir.Conceal, Peer: 1, Segment: 12345})
	r.poll(0)
	for _, ev := range r.inbox[0] {
		if ev.Kind != ir.Failed || ev.Token != 0 || ev.Peer != 0 || ev.Err == nil || errors.Is(ev.Err, ir.ErrPeerGone) {
			r.Errorf("%+v", ev)
		}
	}
	r.inbox[0] = nil
	r.post(0, ir.Command{Op: ir.Shared, Peer: 1, Header: header(0), Data: payload(0, 8)})
	ev := r.arrival(1, 0)
	check(r, &ev, 0, 8)
	r.quiet()
}

// testSettled: what a peer has posted has arrived when it is settled, although it polls no more.
func testSettled(r *rig) {
	s := ir.AbilitiesOf(r.ts[0]).Settler
	if s == nil {
		return
	}
	const n = 3 // fits every queue
	for i := range n {
		r.post(0, ir.Command{Op: ir.Shared, Peer: 1, Header: header(i), Data: payload(i, 100)})
		r.poll(0)
	}
	for start := time.Now(); !s.Settled(); r.poll(0) {
		if r.poll(1); time.Since(start) > r.wait {
			r.Fatal("peer 0 does not get settled")
		}
	}
	for start := time.Now(); len(r.inbox[1]) < n; r.poll(1) {
		if time.Since(start) > r.wait {
			r.Fatalf("%d of %d packets have arrived", len(r.inbox[1]), n)
		}
	}
	for i := range n {
		ev := r.arrival(1, 0)
		check(r, &ev, i, 100)
	}
	r.quiet()
}

// testClosed: what is posted to a peer that has closed its translator is lost, or shows its end, once. Its
// memory cannot be reached any more, every answer that is due comes, and the other peers go on.
func testClosed(r *rig) {
	var ring *stream
	if r.caps(2, 1).Rings > 0 {
		ring = r.stream(2, 1, 0)
		ring.send(10)
		ring.get(0, 10)
	}
	memory := make([]byte, 64)
	var segments [3]ir.Segment
	for _, from := range []int{0, 2} {
		if r.caps(from, 1).Remote {
			segments[from] = r.expose(1, from, memory)
		}
	}
	if err := r.ts[1].Close(); err != nil {
		r.Fatal(err)
	}
	r.closed[1] = true
	shared := func(from, to, i int) {
		r.post(from, ir.Command{Op: ir.Shared, Peer: int32(to), Header: header(i), Data: payload(i, 8)})
		for range 4 { // a Shared that is not answered has gone
			r.poll(from)
		}
	}
	for i := range 2 {
		shared(0, 1, i)
		shared(2, 1, i)
	}
	if ring != nil {
		r.post(2, ring.command(1, 10))
	}
	for _, from := range []int{0, 2} {
		for _, op := range r.reaching(from, 1) {
			cmd := ir.Command{Op: op, Peer: 1, Segment: segments[from], Data: bytes.Repeat([]byte{7}, 8)}
			token := r.post(from, cmd)
			ev := r.await(from, "answer", func(ev *ir.Event) bool { return ev.Token == token })
			if ev.Kind != ir.Failed || ev.Err == nil {
				r.Errorf("%v of the memory of a peer that has closed: %+v", op, ev)
			}
		}
		for len(r.inbox[from]) > 0 && isEnd(&r.inbox[from][0], 1) { // contract.Watch notices more than one
			r.inbox[from] = r.inbox[from][1:]
		}
	}
	if !bytes.Equal(memory, make([]byte, len(memory))) {
		r.Error("the memory of a peer that has closed was written")
	}
	shared(0, 2, 9)
	ev := r.arrival(2, 0)
	check(r, &ev, 9, 8)
	r.quiet()
}

// reaching returns the commands that reach registered memory of a peer.
func (r *rig) reaching(from, to int) []ir.Op {
	if r.caps(from, to).Remote {
		return []ir.Op{ir.Pull, ir.Push}
	}
	return nil
}
