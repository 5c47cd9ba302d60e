package observe

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"rhinet/internal/perfetto"
	"rhinet/internal/tracetest"
)

// A shown is an event of a trace as JSON contains it.
type shown struct {
	Phase string         `json:"ph"`
	Name  string         `json:"name"`
	ID    uint64         `json:"id"`
	Pid   int            `json:"pid"`
	Tid   int            `json:"tid"`
	Ts    float64        `json:"ts"`
	Dur   float64        `json:"dur"`
	Args  map[string]any `json:"args"`
}

// traceOf writes and reads a trace, which must be valid.
func traceOf(t *testing.T, r *Reader) ([]shown, []Cut) {
	t.Helper()
	events, cuts, text := anyTraceOf(t, r)
	if _, err := tracetest.Chrome(text); err != nil {
		t.Error(err)
	}
	return events, cuts
}

// anyTraceOf writes and reads a trace whose events may be invalid.
func anyTraceOf(t *testing.T, r *Reader) ([]shown, []Cut, []byte) {
	t.Helper()
	var b bytes.Buffer
	cuts, err := r.Trace(&b, nil)
	if err != nil {
		t.Fatal(err)
	}
	var trace struct{ TraceEvents []shown }
	if err := json.Unmarshal(b.Bytes(), &trace); err != nil {
		t.Fatal(err)
	}
	return trace.TraceEvents, cuts, b.Bytes()
}

// arrows returns the times of both ends of each arrow, by number.
func arrows(t *testing.T, events []shown) map[uint64][2]float64 {
	t.Helper()
	all := map[uint64][2]float64{}
	for _, e := range events {
		a := all[e.ID]
		switch e.Phase {
		case "s":
			a[0] = e.Ts
		case "f":
			a[1] = e.Ts
		default:
			continue
		}
		all[e.ID] = a
	}
	return all
}

func TestTraceJoinsSendsAndReceives(t *testing.T) {
	reader, ranks := job(t, 2, true)
	ranks[0].Protocols("0-100: eager\n101-: rendezvous/pull\n")
	for tag := range 3 {
		ranks[0].End(ranks[0].Begin(), Send, &Transfer{Flags: Sends, Peer: 1, Tag: tag, Bytes: 100 + tag})
	}
	for range 20 {
		ranks[1].Meter.now() // time passes
	}
	m := ranks[1].Begin()
	ranks[1].Point(ranks[1].Now(), Irecv, &Transfer{Flags: Receives, Peer: 0, Tag: 2, Bytes: 102})
	ranks[1].Point(ranks[1].Now(), Irecv, &Transfer{Flags: Receives, Peer: 0, Tag: 0, Bytes: 100})
	ranks[1].End(m, WaitAll, &Transfer{Peer: -1, Bytes: 202})
	events, cuts := traceOf(t, reader)
	if all := arrows(t, events); len(all) != 2 || len(cuts) != 0 {
		t.Errorf("%v, %v", all, cuts)
	}
	i := slices.IndexFunc(events, func(e shown) bool { return e.Phase == "X" && e.Name == "Send" && e.Args["tag"] == 1.0 })
	if i < 0 || events[i].Args["protocol"] != "rendezvous/pull" || events[i].Args["to"] != 1.0 || events[i].Args["bytes"] != 101.0 {
		t.Errorf("%+v", events)
	}
}

// A part of a call that never ended is shown by itself, so that its arrow has an end.
func TestTraceOfACallThatHasNotEnded(t *testing.T) {
	reader, ranks := job(t, 2, true)
	ranks[0].Point(ranks[0].Now(), Isend, &Transfer{Flags: Sends, Peer: 1, Bytes: 8})
	events, _ := traceOf(t, reader)
	if !slices.ContainsFunc(events, func(e shown) bool { return e.Phase == "X" && e.Name == "message sent" }) {
		t.Errorf("%+v", events)
	}
}

// The last events are kept, and matched from the end.
func TestTraceKeepsTheLastEvents(t *testing.T) {
	reader, ranks := job(t, 2, true)
	const many = MostEvents + 1000
	for i := range many {
		ranks[0].End(ranks[0].Begin(), Send, &Transfer{Flags: Sends, Peer: 1, Bytes: i})
	}
	for range 3 * many {
		ranks[1].Meter.now()
	}
	for i := range 10 {
		ranks[1].End(ranks[1].Begin(), Recv, &Transfer{Flags: Receives, Peer: 0, Bytes: many - 10 + i})
	}
	events, protocols, written, err := reader.events(0)
	if err != nil || written != many || len(events) != MostEvents || events[0].bytes != 1000 || len(protocols) != 0 {
		t.Fatalf("%d events of %d, %v", len(events), written, err)
	}
	received, _, _, err := reader.events(1)
	if err != nil {
		t.Fatal(err)
	}
	all := [][]event{events, received}
	join(all, []bool{false, true})
	for _, r := range all[1] {
		i := slices.IndexFunc(all[0], func(s event) bool { return s.arrow == r.arrow })
		if r.arrow == 0 || all[0][i].bytes != r.bytes {
			t.Errorf("%d bytes are joined with %d", r.bytes, all[0][i].bytes)
		}
	}
}

// The ends of a way are paired once, however many messages it has: the time of a trace grows with the number
// of events, and not with its square.
func TestEachWayOnce(t *testing.T) {
	const many = 1000
	all := make([][]event, 2)
	for i := range many {
		for tag := range 2 {
			all[0] = append(all[0], event{to: int64(i), peer: 1, tag: tag, flags: Sends})
			all[1] = append(all[1], event{to: int64(i) + 1, peer: 0, tag: tag, flags: Receives})
		}
	}
	all[1] = append(all[1], event{peer: 0, tag: 2, flags: Receives}) // its send is not among the events
	ways := waysOf(all)
	if len(ways) != 2 {
		t.Fatalf("%d ways, want 2", len(ways))
	}
	for tag, w := range ways {
		if w.way != (way{from: 0, to: 1, tag: tag}) || len(w.sends) != many || len(w.receives) != many {
			t.Errorf("%+v has %d sends and %d receives", w.way, len(w.sends), len(w.receives))
		}
	}
}

// In a lane, events are nested or do not overlap.
func TestLanes(t *testing.T) {
	e := func(from, to int64, flags Flags) event { return event{from: from, to: to, flags: flags} }
	events := []event{e(0, 100, 0), e(10, 20, 0), e(20, 30, 0), e(25, 110, 0), e(26, 27, 0), e(100, 100, point), e(105, 105, point), e(120, 130, 0)}
	lanes := arrange(events)
	got := make([]int, len(events))
	for i := range events {
		got[i] = events[i].lane
	}
	if want := []int{0, 0, 0, 1, 0, 0, 0, 0}; lanes != 2 || !reflect.DeepEqual(got[:5], want[:5]) || got[7] != 0 {
		t.Errorf("lanes %v", got)
	}
	for i, a := range events {
		for _, b := range events[i+1:] {
			if a.lane == b.lane && a.flags&point == 0 && b.flags&point == 0 && a.from < b.from && b.from < a.to && a.to < b.to {
				t.Errorf("%+v and %+v overlap", a, b)
			}
		}
	}
}

// A rank may write anything into its region.
func TestTraceOfDamagedMemory(t *testing.T) {
	for _, fill := range []byte{0xff, 0x7f, 0x01} {
		reader, ranks := job(t, 2, true)
		mem := ranks[1].mem
		for i := range mem[:ranks[1].plan.eventsAt()+64*eventBytes] {
			mem[i] = fill
		}
		set(mem, headEvents, 64)
		events, _, _ := anyTraceOf(t, reader)
		if len(events) == 0 {
			t.Error("nothing is left of the other rank")
		}
	}
}

// An arrow begins and ends within a slice of a call, even if the message arrived at the very end of a call,
// or a call took no time.
func TestArrowsHaveSlices(t *testing.T) {
	sender := []event{
		{call: "Send", from: 0, to: 50, flags: Sends, arrow: 1},
		{call: "WaitAll", from: 60, to: 90}, {from: 90, to: 90, flags: Sends | point, arrow: 2},
		{call: "Send", from: 95, to: 95, flags: Sends, arrow: 3},
		{from: 97, to: 5000, flags: Sends | point, arrow: 4}, // in a call that has not ended
	}
	receiver := []event{
		{call: "WaitAll", from: 0, to: 100}, {from: 100, to: 100, flags: Receives | point, arrow: 1}, {from: 99, to: 99, flags: Receives | point, arrow: 2},
		{call: "Recv", from: 100, to: 100, flags: Receives, arrow: 3},
		{from: 6000, to: 9000, flags: Receives | point, arrow: 4},
	}
	var b bytes.Buffer
	w := perfetto.New(&b)
	show(w, 0, sender, nil)
	show(w, 1, receiver, nil)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := tracetest.Chrome(b.Bytes()); err != nil {
		t.Error(err)
	}
}
