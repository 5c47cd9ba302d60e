package nictest

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"rhinet/llc/ir"
)

func testPacketSizes(r *rig) {
	s := r.stream(0, 1, 0)
	for i, n := range []int{0, 1, 7, 8, ir.Short - 1, ir.Short, ir.Short + 1, 63, 64, 65, 128, s.caps.Fragment - 1, s.caps.Fragment} {
		for k := range 2 { // the second in pieces
			s.send(n)
			s.get(2*i+k, n)
			r.poll(1) // consumes
		}
	}
	r.quiet()
}

// testPacketLaps goes around the ring several times, with as many packets under way as fit, small ones
// between large ones.
func testPacketLaps(r *rig) {
	r.needRings(0, 1)
	s := r.stream(0, 1, ir.Ring(r.caps(0, 1).Rings-1))
	size := func(i int) int {
		return []int{0, 5, s.caps.Fragment, ir.Short, 100, s.caps.Fragment / 2, 1}[i*i%7]
	}
	for got, total := 0, 10*s.caps.Slots; got < total; {
		for s.sent < total && s.put(size(s.sent)) {
		}
		for k := 0; got < s.sent && k < 3; k++ {
			s.get(got, size(got))
			got++
		}
		for r.poll(1) {
		}
		s.refresh()
	}
	r.quiet()
}

func testBeforeWatch(r *rig) {
	r.needRings(0, 1)
	s := &stream{r: r, caps: r.caps(0, 1), from: 0, to: 1}
	for range 2 {
		r.post(0, ir.Command{Op: ir.Open, Peer: 1, Ring: s.ring})
	}
	s.put(10)
	s.put(ir.Short + 10)
	r.quiet()
	r.stream(0, 1, 0)
	s.get(0, 10)
	s.get(1, ir.Short+10)
	r.quiet()
}

// testManyPeers has one peer read a ring from each of the others.
func testManyPeers(r *rig) {
	streams := r.streams(0)
	for i := range 2 * streams[0].caps.Slots {
		for _, s := range streams {
			s.send(i)
		}
		for j := range streams {
			s := streams[(i+j)%len(streams)]
			s.get(i, i)
		}
		r.quiet()
	}
}

// streams returns a stream from each peer that has packet rings with peer to.
func (r *rig) streams(to int) (all []*stream) {
	for i, from := range r.ringed(to, len(r.ts)) {
		all = append(all, r.stream(from, to, ir.Ring(i)))
	}
	if all == nil {
		r.Skip("no packet rings")
	}
	return all
}

// testTail checks the reader's account: what Poll consumed is free, what it has not reported is not.
func testTail(r *rig) {
	s := r.stream(0, 1, 0)
	for s.slot < uint64(s.caps.Slots) && s.put(ir.Short+1) {
	}
	full, want := s.slot, s.pos
	for _, when := range []string{"before the reader polls", "while the first packet is in use"} {
		r.post(0, ir.Command{Op: ir.ReadTail, Peer: 1}) // the reader takes no part
		var ev ir.Event
		for start := time.Now(); !r.ts[0].Poll(&ev); {
			if time.Since(start) > r.wait {
				r.Fatal("no tail")
			}
		}
		if s.take(ev); ev.Kind != ir.Tail || s.tail != 0 || s.back != 0 {
			r.Fatalf("%+v %s", ev, when)
		}
		if len(r.inbox[1]) == 0 && !r.poll(1) {
			r.Fatal("no packet")
		}
	}
	for i := range int(full) {
		s.get(i, ir.Short+1)
	}
	r.quiet()
	if s.refresh(); s.tail != full || s.back != want {
		r.Fatalf("tail at %d, %d after all of %d, %d was consumed", s.tail, s.back, full, want)
	}
}

func testShared(r *rig) {
	i := 0
	for _, n := range []int{0, 1, ir.Short, ir.Short + 1, 500, ir.MaxShared} {
		for from := range r.ts {
			for to := range r.ts {
				if from == to {
					continue
				}
				r.post(from, ir.Command{Op: ir.Shared, Peer: int32(to), Header: header(i), Data: payload(i, n)})
				ev := r.arrival(to, from)
				if ev.Ring != ir.NoRing {
					r.Fatalf("shared packet in ring %d", ev.Ring)
				}
				check(r, &ev, i, n)
				i++
			}
		}
	}
	r.quiet()
}

// testBusy fills a shared ring from two sides: what was not refused arrives, in order, and afterwards there
// is room again.
func testBusy(r *rig) {
	for round := range 3 {
		var sent [3]int
		busy := 0
		for i := 0; busy < 3; i++ {
			if i > 1<<20 {
				r.Fatal("the shared ring is never full")
			}
			from := 1 + i%2
			token := r.post(from, ir.Command{Op: ir.Shared, Header: header(sent[from]), Data: payload(sent[from], 300+round*800)})
			var ev ir.Event
			if !r.ts[from].Poll(&ev) {
				sent[from]++
				continue
			}
			if ev.Kind != ir.Busy || ev.Token != token || ev.Peer != 0 {
				r.Fatalf("%+v instead of Busy for token %d", ev, token)
			}
			busy++
		}
		for from := 1; from < 3; from++ {
			for i := range sent[from] {
				ev := r.arrival(0, from)
				check(r, &ev, i, 300+round*800)
			}
		}
		r.quiet()
	}
}

// testBusyFirst has packets refused while answers wait: their Busys come before every answer, including those
// of commands posted earlier, and those of one NIC in the order of their posts.
func testBusyFirst(r *rig) {
	var went [3]int
	for _, to := range []int{1, 2} {
		went[to] = r.fill(0, to)
	}
	expose := func() uint64 { return r.post(0, ir.Command{Op: ir.Expose, Data: make([]byte, 64)}) }
	shared := func(to int32) uint64 {
		return r.post(0, ir.Command{Op: ir.Shared, Peer: to, Header: header(0), Data: payload(0, filling)})
	}
	answers := []uint64{expose()}
	busy := []uint64{shared(1)}
	answers = append(answers, expose())
	busy = append(busy, shared(2))
	answers = append(answers, expose())
	apart := r.apart(0, 1, 2)
	for peers := []int{1, 2}; len(busy) > 0; {
		if !r.poll(0) {
			r.Fatalf("%d Busys are missing", len(busy))
		}
		ev := r.inbox[0][0]
		r.inbox[0] = nil
		i := slices.Index(busy, ev.Token)
		if ev.Kind != ir.Busy || i < 0 || i > 0 && !apart || int(ev.Peer) != peers[i] {
			for r.poll(0) { // package contract checks the others
			}
			r.Fatalf("%+v came before the Busy of packet %d to peer %d: any event but Busy says that the packet went", ev, busy[0], peers[0])
		}
		busy, peers = slices.Delete(busy, i, i+1), slices.Delete(peers, i, i+1)
	}
	for _, token := range answers {
		ev := r.await(0, "answer", func(ev *ir.Event) bool { return ev.Token == token })
		if ev.Kind == ir.Exposed {
			r.post(0, ir.Command{Op: ir.Conceal, Segment: ev.Segment})
		}
	}
	for to := 1; to < 3; to++ {
		for range went[to] { // a network may deliver them late
			r.arrival(to, 0)
		}
	}
	r.quiet()
}

// filling is the payload of the packets that fill a shared ring, in bytes.
const filling = 1000

// fill appends packets to the shared ring of a peer until it is full, and returns how many went.
func (r *rig) fill(from, to int) int {
	r.Helper()
	for i := range 1 << 20 {
		token := r.post(from, ir.Command{Op: ir.Shared, Peer: int32(to), Header: header(i), Data: payload(i, filling)})
		if !r.poll(from) {
			continue
		}
		ev := r.inbox[from][0]
		if r.inbox[from] = nil; ev.Kind != ir.Busy || ev.Token != token {
			r.Fatalf("%+v instead of Busy for token %d", ev, token)
		}
		return i
	}
	r.Fatal("the shared ring is never full")
	return 0
}

// testBothRings uses the shared ring and a packet ring of one pair at the same time.
func testBothRings(r *rig) {
	s := r.stream(0, 1, 0)
	for i := range 3 * s.caps.Slots {
		s.send(i)
		r.post(0, ir.Command{Op: ir.Shared, Peer: 1, Header: header(i), Data: payload(i, 8)})
		inRing := func(want bool) func(*ir.Event) bool {
			return func(ev *ir.Event) bool { return ev.Kind == ir.Arrived && (ev.Ring != ir.NoRing) == want }
		}
		ev := r.await(1, "packet", inRing(true))
		check(r, &ev, i, i)
		ev = r.await(1, "shared packet", inRing(false))
		check(r, &ev, i, 8)
		r.quiet()
	}
}

// testHint hints at every peer, at none and at invalid ones: nothing is lost.
func testHint(r *rig) {
	s := r.stream(1, 0, 0)
	for i := range s.caps.Slots {
		r.ts[0].Hint(i%(len(r.ts)+2) - 1)
		s.send(i)
		s.get(i, i)
	}
	r.quiet()
}

func testAllocations(r *rig) {
	if r.caps(0, 1).Rings == 0 {
		testSharedAllocations(r)
		return
	}
	s := r.stream(0, 1, 0)
	small, long, pieces := s.command(0, 8), s.command(0, ir.Short+1), s.command(1, 100)
	other := ir.Command{Op: ir.Shared, Peer: 1, Header: header(0), Data: payload(0, 100)}
	var ev ir.Event
	take := func() {
		for !r.ts[1].Poll(&ev) {
		}
	}
	used := testing.AllocsPerRun(10*s.caps.Slots, func() {
		for _, cmd := range []*ir.Command{&small, &long, &other, &pieces} {
			at, next := s.caps.Place(s.pos, cmd.PayloadBytes())
			cmd.Slot, cmd.Pos = s.slot, at
			r.ts[0].Post(cmd)
			if cmd != &other {
				s.slot, s.pos = s.slot+1, next
			}
			take()
		}
		r.ts[1].Hint(0)
		r.ts[1].Poll(&ev)
		r.ts[0].Poll(&ev)
	})
	if used != 0 {
		r.Errorf("%v allocations for four packets", used)
	}
}

// testSharedAllocations is testAllocations on a network without packet rings.
func testSharedAllocations(r *rig) {
	cmd := ir.Command{Op: ir.Shared, Peer: 1, Header: header(0), Data: payload(0, 100)}
	var ev ir.Event
	if used := testing.AllocsPerRun(200, func() {
		r.ts[0].Post(&cmd)
		for !r.ts[1].Poll(&ev) {
			r.ts[0].Poll(&ev) // a network may need this to send
		}
		r.ts[0].Poll(&ev)
	}); used != 0 {
		r.Errorf("%v allocations for a packet", used)
	}
}

// testConcurrent drives every peer from a goroutine of its own: all send to all through the shared rings and
// count what comes.
func testConcurrent(r *rig) {
	const each = 200
	n := len(r.ts)
	var wg sync.WaitGroup
	for self, tr := range r.ts {
		wg.Go(func() {
			next := make([]int, n) // number of the next packet for each peer, and from each
			want := make([]int, n)
			to, got := 0, 0
			var ev ir.Event
			for start := time.Now(); got < each*(n-1) || to < n; {
				if time.Since(start) > r.wait {
					r.Errorf("peer %d: %d of %d packets", self, got, each*(n-1))
					return
				}
				for to < n && (to == self || next[to] == each) {
					to++
				}
				if to < n {
					i := next[to]
					tr.Post(&ir.Command{Op: ir.Shared, Peer: int32(to), Header: header(i), Data: payload(i, i)})
					next[to]++
				}
				for tr.Poll(&ev) {
					switch ev.Kind {
					case ir.Busy:
						next[to]--
						runtime.Gosched()
					case ir.Arrived:
						check(r, &ev, want[ev.Peer], want[ev.Peer])
						want[ev.Peer]++
						got++
					default:
						r.Errorf("peer %d: %+v", self, ev)
						return
					}
				}
				if to == n {
					runtime.Gosched()
				}
			}
		})
	}
	wg.Wait()
}
