//go:build linux

package tcp

import (
	"bytes"
	"testing"
	"time"

	"rhinet/internal/tcp"
	"rhinet/llc/endpoint/endpointtest"
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
	"rhinet/nicemu/fabric"
)

// TestContractBetweenHosts has each rank be on a host of its own, with memory of its own.
func TestContractBetweenHosts(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
		all, err := endpointtest.MeetApart(peers, func(f *fabric.Fabric, rank int, n *entry.Network) (ir.Translator, error) {
			return entry.Opened(Open(f, rank, Options{Network: n}))
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	})
}

// open connects all ranks of a job of this host.
func open(t testing.TB, f *fabric.Fabric, ranks int) []ir.Translator {
	t.Helper()
	all := make([]ir.Translator, ranks)
	for i := range all {
		tr, err := Open(f, i, Options{})
		if err != nil {
			t.Fatal(err)
		}
		all[i] = tr
	}
	return all
}

func TestContract(t *testing.T) {
	nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
		f, err := fabric.Heap(peers, fabric.Small())
		if err != nil {
			t.Fatal(err)
		}
		return open(t, f, peers)
	})
}

// TestDetectFailures: when the launcher marks a peer as failed, what is under way to it ends as well.
func TestDetectFailures(t *testing.T) {
	f, err := fabric.Heap(2, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	ts := open(t, f, 2)
	endpointtest.DetectsFailures(t, f, ts, quota)
}

// exchange has two ranks poll until done.
func exchange(t *testing.T, ts []ir.Translator, done func(got [][]ir.Event) bool) {
	t.Helper()
	got := make([][]ir.Event, len(ts))
	for start := time.Now(); !done(got); {
		for i, tr := range ts {
			var ev ir.Event
			for tr.Poll(&ev) {
				ev.Data = append([]byte(nil), ev.Data...)
				got[i] = append(got[i], ev)
			}
		}
		if time.Since(start) > soon {
			t.Fatalf("not done: %+v", got)
		}
	}
}

// duo opens two ranks.
func duo(t *testing.T) []ir.Translator {
	t.Helper()
	f, err := fabric.Heap(2, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	ts := open(t, f, 2)
	t.Cleanup(func() {
		for _, tr := range ts {
			if err := tr.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return ts
}

// What waits for a stream to be opened has not arrived.
func TestSettled(t *testing.T) {
	ts := duo(t)
	tr := ts[0].(*Translator)
	if !tr.Settled() {
		t.Error("nothing was sent, and it has not arrived")
	}
	tr.Post(&ir.Command{Op: ir.Shared, Peer: 1, Header: ir.Header{Kind: 1}})
	if tr.Settled() {
		t.Error("a packet counts as arrived before there is a stream")
	}
	exchange(t, ts, func(got [][]ir.Event) bool { return len(got[1]) == 1 && tr.Settled() })
}

// Two ranks that begin a stream at the same time agree on one, and nothing is lost.
func TestBothBegin(t *testing.T) {
	for round := range 60 {
		ts := duo(t)
		for k := range ts {
			i := (k + round) % 2
			for range 3 {
				ts[i].Post(&ir.Command{Op: ir.Shared, Peer: int32(1 - i), Header: ir.Header{Kind: 1}})
			}
			if round%3 == 0 || k == 1 {
				continue
			}
			var ev ir.Event // the first has greeted before the other begins
			for l := ts[i].(*Translator).peers[1-i].link; l.state == dialing; {
				ts[i].Poll(&ev)
			}
		}
		exchange(t, ts, func(got [][]ir.Event) bool { return len(got[0]) == 3 && len(got[1]) == 3 })
		for i, tr := range ts {
			if tr := tr.(*Translator); len(tr.joined) != 1 || tr.unknown != 0 || tr.peers[1-i].link != tr.joined[0] || !tr.peers[1-i].queue.Empty() {
				t.Errorf("rank %d has %d streams, and %d of nobody", i, len(tr.joined), tr.unknown)
			}
		}
	}
}

// Memory that is concealed while it is pulled: the pull ends, whole or refused, and what follows on the
// stream is right.
func TestConcealedUnderway(t *testing.T) {
	ts := duo(t)
	memory := make([]byte, 24<<20)
	ts[0].Post(&ir.Command{Op: ir.Expose, Peer: 1, Data: memory, Token: 1})
	var ev ir.Event
	if !ts[0].Poll(&ev) || ev.Kind != ir.Exposed {
		t.Fatalf("%+v", ev)
	}
	into := make([]byte, len(memory))
	ts[1].Post(&ir.Command{Op: ir.Pull, Peer: 0, Segment: ev.Segment, Data: into, Token: 2})
	server := ts[0].(*Translator)
	exchange(t, ts, func(got [][]ir.Event) bool { return !server.peers[1].queue.Empty() || len(got[1]) > 0 })
	ts[0].Post(&ir.Command{Op: ir.Conceal, Peer: 1, Segment: ev.Segment})
	copy(memory, bytes.Repeat([]byte{0xff}, len(memory))) // it belongs to the caller again
	ts[0].Post(&ir.Command{Op: ir.Shared, Peer: 1, Header: ir.Header{Kind: 1}, Data: []byte("after")})
	exchange(t, ts, func(got [][]ir.Event) bool {
		if len(got[1]) < 2 {
			return false
		}
		kinds := map[ir.Kind]ir.Event{}
		for _, ev := range got[1] {
			kinds[ev.Kind] = ev
		}
		if kinds[ir.Failed].Token != 2 || string(kinds[ir.Arrived].Data) != "after" {
			t.Errorf("%+v", got[1])
		}
		return true
	})
	if i := bytes.IndexByte(into, 0xff); i >= 0 {
		t.Errorf("byte %d was read after its memory was concealed", i)
	}
}

// A push that is refused ends, and the stream goes on.
func TestRefusedPush(t *testing.T) {
	ts := duo(t)
	ts[1].Post(&ir.Command{Op: ir.Push, Peer: 0, Segment: 77, Data: make([]byte, 5*part+1), Token: 2})
	ts[1].Post(&ir.Command{Op: ir.Shared, Peer: 0, Header: ir.Header{Kind: 1}, Data: []byte("after")})
	exchange(t, ts, func(got [][]ir.Event) bool {
		if len(got[0]) == 0 || len(got[1]) == 0 {
			return false
		}
		if got[1][0].Kind != ir.Failed || got[1][0].Token != 2 || string(got[0][0].Data) != "after" {
			t.Errorf("%+v", got)
		}
		return true
	})
}

// A sleeper with packets that did not go wakes when the system takes them.
func TestSleepersSend(t *testing.T) {
	ts := duo(t)
	data := make([]byte, eager)
	var ev ir.Event
	sent := 0
	for busy := false; !busy; {
		ts[0].Post(&ir.Command{Op: ir.Shared, Peer: 1, Header: ir.Header{Kind: 1}, Data: data, Token: 1})
		sent++
		for range 3 {
			if ts[0].Poll(&ev) {
				busy = ev.Kind == ir.Busy
			}
		}
		if sent < 4 { // until there is a stream
			ts[1].Poll(&ev)
		}
	}
	got := make(chan int)
	go func() {
		n := 0
		var ev ir.Event
		for start := time.Now(); n < sent-1 && time.Since(start) < soon; {
			if ts[1].Poll(&ev) && ev.Kind == ir.Arrived {
				n++
			}
		}
		got <- n
	}()
	start := time.Now()
	for tr := ts[0].(*Translator); !tr.peers[1].queue.Empty() && time.Since(start) < soon; {
		tr.Arm()
		for tr.Poll(&ev) {
		}
		if !tr.peers[1].queue.Empty() {
			tr.Sleep(soon)
		}
		tr.Disarm()
	}
	n := <-got
	if took := time.Since(start); n < sent-4 || took > soon/2 {
		t.Errorf("%d of %d packets in %v", n, sent-1, took)
	}
}

// A peer that takes nothing has quota packets waiting; the next one finds no room.
func TestQuota(t *testing.T) {
	tr := duo(t)[0]
	var ev ir.Event
	for i := range quota + 1 {
		tr.Post(&ir.Command{Op: ir.Shared, Peer: 1, Header: ir.Header{Kind: 1}, Token: uint64(i + 1)})
		if busy := tr.Poll(&ev); busy != (i == quota) || busy && (ev.Kind != ir.Busy || ev.Token != quota+1) {
			t.Fatalf("packet %d: %v, %+v", i, busy, ev)
		}
	}
}

// The poller reports room as long as something waits, and not for ever.
func TestRoomIsTold(t *testing.T) {
	ts := duo(t)
	for _, tr := range ts {
		tr.Post(&ir.Command{Op: ir.Shared, Peer: int32(1 - tr.Self()), Header: ir.Header{Kind: 1}})
	}
	exchange(t, ts, func(got [][]ir.Event) bool { return len(got[0]) == 1 && len(got[1]) == 1 })
	tr := ts[0].(*Translator)
	p := &tr.peers[1]
	p.queue.AddPacket(tr.framed(&ir.Command{Header: ir.Header{Kind: 1}}))
	tr.block(1)
	tr.Arm()
	tr.Disarm()
	room := tcp.Ready{Key: p.link.key, Out: true}
	if tr.news(room); !p.link.tells {
		t.Error("room is not told any more, and a packet waits")
	}
	tr.retry()
	if tr.news(room); p.link.tells || !p.queue.Empty() {
		t.Error("room is told, and nothing waits")
	}
}

// A rank that waits for one peer, and is about to sleep, has looked at the others.
func TestSleepersHaveLookedAtAll(t *testing.T) {
	f, err := fabric.Heap(3, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	ts := open(t, f, 3)
	send := func(from int) {
		ts[from].Post(&ir.Command{Op: ir.Shared, Peer: 0, Header: ir.Header{Kind: 1}})
	}
	send(1)
	send(2)
	exchange(t, ts, func(got [][]ir.Event) bool { return len(got[0]) == 2 })
	tr := ts[0].(*Translator)
	for range turnsPerRound {
		send(2)
		for start := time.Now(); tr.poller.Look(tr.ready[:]) == 0; {
			if time.Since(start) > soon {
				t.Fatal("nothing comes")
			}
		}
		tr.Hint(1)
		tr.Arm()
		var ev ir.Event
		if !tr.Poll(&ev) || ev.Peer != 2 {
			t.Errorf("%+v is found of what is there", ev)
		}
		tr.Disarm()
		for tr.Poll(&ev) {
		}
		tr.turn++ // or each look were at the same of several turns
	}
	for _, tr := range ts {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
	}
}
