package observe

import (
	"sync"
	"testing"
)

// heldRank returns the reader and the rank of a job whose calls are counted by a port, with a clock that
// does not advance.
func heldRank(t *testing.T, traced bool) (*Reader, *Rank, *int64) {
	t.Helper()
	reader, r, now := still(t, 2, traced)
	r.Meter.sampling.Add(-1)
	r.Guard(new(sync.Mutex))
	return reader, r, now
}

// call finds the statistics of a call of rank 0.
func call(t *testing.T, reader *Reader, name string) Call {
	t.Helper()
	for _, c := range stats(t, reader).Ranks[0].Calls {
		if c.Call == name {
			return c
		}
	}
	return Call{}
}

// sent counts a call of a port that has sent a message, as ports do, and reports whether the next call is
// to be timed.
func sent(r *Rank, call Row, calls uint64, m Message) bool { return counted(r, call, Sends, calls, m) }

// received does the same for a call that has received a message.
func received(r *Rank, call Row, calls uint64, m Message) bool {
	return counted(r, call, Receives, calls, m)
}

func counted(r *Rank, call Row, flags Flags, calls uint64, m Message) bool {
	if !r.Near(call, m.Context, m.Peer, m.Bytes) {
		r.Count(call, m.Context, m.Peer, m.Bytes)
	}
	return r.Due(calls) && r.Settle(call, flags, m, calls)
}

// The first calls of a port are timed, and then a few; the others are estimated from these.
func TestHeldCallsAreEstimated(t *testing.T) {
	reader, r, now := heldRank(t, false)
	const calls = 100000
	sample := true
	for i := range uint64(calls) {
		var m Mark
		if sample {
			m = r.Sample()
		}
		*now += 100
		next := sent(r, Send, i, Message{Peer: 1, Bytes: 8})
		if sample {
			next = r.Sampled(m, Send, i, true)
		}
		sample = next
	}
	r.Close() // until then, its time ends with the last call that was timed
	c := call(t, reader, "Send")
	if c.Count != calls || c.Bytes != 8*calls || c.Timed < firstCalls+calls/(heldSkip+heldSpan+2) || c.Timed > firstCalls+calls/heldSkip {
		t.Errorf("%+v", c)
	}
	if want := calls * 100e-9; c.Seconds < want-1e-9 || c.Seconds > want+1e-9 || c.Wait != 0 {
		t.Errorf("%v s, %v wait, want %v", c.Seconds, c.Wait, want)
	}
}

// A call that was to be timed but was not made adds nothing.
func TestHeldCallNotMade(t *testing.T) {
	reader, r, now := heldRank(t, false)
	m := r.Sample()
	*now += 1e9
	r.Sampled(m, Isend, 1, false)
	sent(r, Isend, 1, Message{Peer: 1})
	if c := call(t, reader, "Isend"); c.Timed != 0 || c.Seconds != 0 {
		t.Errorf("%+v", c)
	}
}

// The time that a call has slept is known exactly, and counts once.
func TestHeldCallsSleep(t *testing.T) {
	reader, r, _ := heldRank(t, false)
	r.Comm("world", 4)
	r.held.next, r.held.due = 1<<60, 1<<60 // nothing is timed
	for i := range uint64(10) {
		if i == 3 || i == 5 {
			r.Waited(Span{}, 7)
			r.Waited(Span{}, 2e9) // a wait in two parts
		}
		if due := r.Due(i); due != (i == 3 || i == 5) {
			t.Errorf("call %d: due %v", i, due)
		}
		received(r, Recv, i, Message{Context: 4, Bytes: 1})
	}
	r.Waited(Span{}, 1e9) // of a part, which is seen by others
	r.Forget()
	r.Settle(Recv, Receives, Message{Context: 4}, 10)
	r.Waited(Span{}, 3e9)
	r.Slept(WaitAll, 0) // which knows itself what it was for
	r.Called(WaitAll, 0)
	r.Settle(WaitAll, 0, Message{Context: 4}, 11)
	if c := call(t, reader, "WaitAll"); c.Count != 1 || c.Wait != 3 {
		t.Errorf("%+v", c)
	}
	if c := call(t, reader, "Recv"); c.Count != 10 || c.Wait < 4 || c.Wait > 4.0001 {
		t.Errorf("%+v", c)
	}
	if k := stats(t, reader).Ranks[0].Comms; len(k) != 1 || k[0].Waits != 2 || k[0].Received != 10 || k[0].ReceivedBytes != 10 {
		t.Errorf("%+v", k)
	}
}

// Ranks choose the context of a communicator themselves. Therefore the receiver determines which
// communicator a message belongs to.
func TestForeignContexts(t *testing.T) {
	reader, r, _ := heldRank(t, false)
	a := r.Comm("a", 2)
	b := r.Comm("b", 4)
	r.Foreign(b, 1, 2) // the other rank has for b the context that a has here
	sent(r, Send, 0, Message{Context: 2, Peer: 1, Bytes: 10})
	sent(r, Send, 0, Message{Context: 2, Peer: 0, Bytes: 100})
	c := r.Comm("c", 2) // another communicator has the context now
	sent(r, Send, 0, Message{Context: 2, Peer: 1, Bytes: 1000})
	got := map[string]uint64{}
	for _, k := range stats(t, reader).Ranks[0].Comms {
		got[k.Comm] = k.SentBytes
	}
	if got["a"] != 100 || got["b"] != 10 || got["c"] != 1000 || r.CommTo(1, 4) != b || a == c {
		t.Errorf("%v", got)
	}
}

// A slice whose beginning was not measured is as long as the call takes on average, but begins after the
// end of the previous call.
func TestTraceEstimatesBeginnings(t *testing.T) {
	reader, r, now := heldRank(t, true)
	for range 4 {
		m := r.Sample()
		*now += 50
		sent(r, Send, 0, Message{Peer: 1, Tag: 1})
		r.Sampled(m, Send, 0, true)
	}
	*now += 1000
	sent(r, Send, 0, Message{Peer: 1, Tag: 2})
	*now += 20
	sent(r, Send, 0, Message{Peer: 1, Tag: 3})
	r.Waited(Span{*now + 10, *now + 90}, 0)
	received(r, Recv, 0, Message{Peer: 1, Tag: 4})
	events, _, _, err := reader.events(0)
	if err != nil || len(events) != 7 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	for i, want := range []int64{50, 20, 80} {
		if e := events[4+i]; (e.to-e.from)/1000 != want || e.tag != 2+i {
			t.Errorf("tag %d: %d ns, want %d", e.tag, (e.to-e.from)/1000, want)
		}
	}
}

// A send is recorded after the message has gone. If that was late, its beginning is set before the arrival
// of the message, whichever clock is used, provided that it is certain which message it was.
func TestTraceJoinsSendsNotedLate(t *testing.T) {
	for _, sure := range []bool{false, true} {
		send := event{from: 100, to: 110, flags: Sends | begun, peer: 1}
		measured := event{from: 100, to: 110, flags: Sends, peer: 1, tag: 1}
		receives := []event{{from: 50, to: 60, flags: Receives}, {from: 60, to: 70, flags: Receives, tag: 1}}
		all := [][]event{{send, measured}, receives}
		join(all, []bool{true, sure})
		if e := all[0][0]; e.from != 59 || e.arrow == 0 || e.arrow != all[1][0].arrow {
			t.Errorf("%+v", e)
		}
		if e := all[0][1]; sure && (e.from != 69 || e.arrow == 0 || e.arrow != all[1][1].arrow) || !sure && (e.from != 100 || e.arrow != 0) {
			t.Errorf("%v: %+v", sure, e)
		}
	}
}
