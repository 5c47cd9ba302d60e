package observe

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/internal/clock"
)

// Cells count the same as adding to each row, peer and communicator, also for more calls than there are
// cells, and after a context has been reused for another communicator.
func TestCells(t *testing.T) {
	const ranks, comms = 40, 50
	reader, all := job(t, ranks, false)
	r := all[0]
	rnd := rand.New(rand.NewPCG(1, 2))
	ids := make([]CommID, comms)
	for i := range ids {
		ids[i] = r.Comm(fmt.Sprintf("comm%d", i), uint16(2*i))
	}
	calls := map[string]Call{}
	traffic := map[int]Traffic{}
	counters := map[CommID]Counters{}
	flip := func(step int) {
		if step%5000 == 4999 {
			i := rnd.IntN(comms)
			ids[i] = r.Comm(fmt.Sprintf("comm%d.%d", i, step), uint16(2*i))
		}
	}
	for step := range 50000 {
		flip(step)
		call, i, peer, bytes := Row(rnd.IntN(int(WaitOne))), rnd.IntN(comms), rnd.IntN(ranks), rnd.IntN(100)
		if !r.Near(call, uint16(2*i), peer, bytes) {
			r.Count(call, uint16(2*i), peer, bytes)
		}
		if call != Irecv {
			c := calls[rowNames[call]]
			calls[rowNames[call]] = Call{Count: c.Count + 1, Bytes: c.Bytes + uint64(bytes)}
		}
		k := counters[ids[i]]
		if call == Recv || call == Irecv {
			k.Received, k.ReceivedBytes = k.Received+1, k.ReceivedBytes+uint64(bytes)
		} else {
			k.Sent, k.SentBytes = k.Sent+1, k.SentBytes+uint64(bytes)
			p := traffic[peer]
			traffic[peer] = Traffic{To: peer, Messages: p.Messages + 1, Bytes: p.Bytes + uint64(bytes)}
		}
		counters[ids[i]] = k
	}
	if r.cells.used != r.plan.cells() {
		t.Errorf("%d cells of %d are in use: all should be", r.cells.used, r.plan.cells())
	}
	s := stats(t, reader)
	for _, c := range s.Ranks[0].Calls {
		if want := calls[c.Call]; c.Count != want.Count || c.Bytes != want.Bytes {
			t.Errorf("%+v, want %+v", c, want)
		}
	}
	if len(s.Ranks[0].Calls) != len(calls) || len(s.Traffic) != ranks {
		t.Errorf("%d calls of %d, %d pairs", len(s.Ranks[0].Calls), len(calls), len(s.Traffic))
	}
	for _, got := range s.Traffic {
		if got != traffic[got.To] {
			t.Errorf("%+v, want %+v", got, traffic[got.To])
		}
	}
	for id, want := range counters {
		got, _ := r.Counters(id)
		if want.Comm = got.Comm; got != want || !slices.Contains(s.Ranks[0].Comms, got) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

// A wait in a traced job is written with the measured times, and the largest values are read back
// unchanged.
func TestEventsHoldWhatIsLarge(t *testing.T) {
	reader, r, now := heldRank(t, true)
	*now = 1 << 40
	sent(r, Send, 0, Message{Context: 65534, Peer: 1, Tag: 1<<31 - 1, Bytes: 1<<43 + 5})
	r.Waited(Span{*now - 1<<39, *now}, 0)
	received(r, Recv, 0, Message{Peer: 1, Tag: 7, Bytes: 1<<32 - 1})
	r.write(*now, 1<<60, eventOf(Recv, 0, 0, 1), 0, 0) // longer than possible
	r.write(*now, -5, eventOf(Recv, 0, 0, 1), 0, 0)
	events, _, _, err := reader.events(0)
	if err != nil || len(events) != 4 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	if e := events[0]; e.context != 65534 || e.peer != 1 || e.tag != 1<<31-1 || e.bytes != 1<<43+5 || e.flags != Sends|begun {
		t.Errorf("%+v", e)
	}
	if e := events[1]; e.to-e.from != 1<<39*1000 || e.bytes != 1<<32-1 || e.flags != Receives {
		t.Errorf("%+v", e)
	}
	if e := events[2]; e.to-e.from < mostLasted {
		t.Errorf("%+v", e)
	}
	if e := events[3]; e.to != e.from {
		t.Errorf("%+v", e)
	}
}

// Events are written by the processor's counter as by any other clock.
func TestEventsByTheCounter(t *testing.T) {
	file, reader := memory(t, 2, true)
	r := opened(t, file, 0, 2, nil)
	for _, counts := range []bool{false, true, true} {
		r.Meter.now, r.Meter.counts = clock.Ticks, counts
		sent(r, Isend, 0, Message{Context: 6, Peer: 1, Tag: 9, Bytes: 1<<34 + 1})
	}
	r.Waited(Span{clock.Ticks() - 1000, clock.Ticks()}, 0)
	received(r, Recv, 0, Message{Context: 6, Peer: 1, Tag: 9})
	events, _, _, err := reader.events(0)
	if err != nil || len(events) != 4 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	for i, e := range events[:3] {
		if e.call != "Isend" || e.flags != Sends|begun || e.peer != 1 || e.tag != 9 || e.context != 6 || e.bytes != 1<<34+1 || i > 0 && e.to < events[i-1].to {
			t.Errorf("%+v", e)
		}
	}
	if e := events[3]; e.call != "Recv" || e.flags != Receives || e.from >= e.to {
		t.Errorf("%+v", e)
	}
}

// Names are found again, also those of the same length as others.
func TestNamesOfOneLength(t *testing.T) {
	_, ranks := job(t, 1, false)
	r := ranks[0]
	for range 3 {
		if a, b := r.Named("Bcast"), r.Named("Ibsnd"); a == b || r.Named("Bcast") != a || r.Named("Ibsnd") != b {
			t.Errorf("rows %d and %d", a, b)
		}
	}
}
