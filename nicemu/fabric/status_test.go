package fabric

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/internal/pmi"
)

func TestStatusTravels(t *testing.T) {
	f := heap(t, 2)
	if s, ok := f.Status(1); !ok || s != (pmi.Status{}) {
		t.Fatalf("before the first: %+v, %v", s, ok)
	}
	want := pmi.Status{
		State: pmi.Waiting,
		Wait: pmi.Wait{
			Call: "Allreduce", Peer: -1, Tag: 1 << 30, Bytes: 1 << 40, Context: 0xfffe, More: mostMore, Taken: strings.Repeat("/directory", 5) + "/a.go:",
			Note: strings.Repeat("note", pmi.NoteBytes/4), Unmatched: pmi.Unmatched{Messages: 1 << 40, First: 1, MessagesTag: 1<<31 - 1, Elsewhere: true},
			Collective: pmi.Collective{Team: 1<<32 - 1, Turn: 7, Sign: 1 << 31, Named: true},
		},
		Since: time.Now().UnixNano(),
	}
	f.Publish(1, &want)
	if s, ok := f.Status(1); !ok || s != want {
		t.Fatalf("%+v, %v", s, ok)
	}
	want.Call = "a call with a name that is too long"
	f.Publish(1, &want)
	if s, _ := f.Status(1); s.Call != want.Call[:pmi.CallBytes] {
		t.Fatalf("call %q", s.Call)
	}
	want.Taken += "1"
	f.Publish(1, &want)
	if s, _ := f.Status(1); s.Taken != want.Taken[:pmi.TakenBytes] {
		t.Fatalf("taken at %q", s.Taken)
	}
	want.Note += "1"
	f.Publish(1, &want)
	if s, _ := f.Status(1); s.Note != want.Note[:pmi.NoteBytes] {
		t.Fatalf("note %q", s.Note)
	}
	want.Since = 0
	f.Publish(1, &want)
	if s, _ := f.Status(1); time.Since(time.Unix(0, s.Since)) > time.Minute {
		t.Fatalf("since %d", s.Since)
	}
	if s, _ := f.Status(0); s != (pmi.Status{}) {
		t.Fatalf("rank 0 has it too: %+v", s)
	}
	f.Lose(0, 1)
	if s, ok := f.Status(0); !ok || s != (pmi.Status{Lost: 2}) {
		t.Fatalf("rank 0 has lost a peer: %+v, %v", s, ok)
	}
	f.MarkWorld(0, true)
	if s, ok := f.Status(0); !ok || s != (pmi.Status{Lost: 2, World: true}) {
		t.Fatalf("rank 0 is in the world: %+v, %v", s, ok)
	}
	f.Publish(0, &pmi.Status{State: pmi.Computing})
	if s, _ := f.Status(0); !s.World {
		t.Fatal("another state takes rank 0 out of the world")
	}
	f.MarkWorld(0, false)
	if s, _ := f.Status(0); s.World {
		t.Fatal("rank 0 stays in the world")
	}
	if n := testing.AllocsPerRun(100, func() { f.Publish(1, &want) }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

// TestStatusOfOneWait: other calls that come and go during a wait, and messages that it does not take, do not make
// it a new one.
func TestStatusOfOneWait(t *testing.T) {
	f := heap(t, 1)
	publish := func(more, tag int, call string) int64 {
		f.Publish(0, &pmi.Status{State: pmi.Waiting, Wait: pmi.Wait{Call: call, Tag: tag, More: more}})
		s, _ := f.Status(0)
		if s.More != min(more, mostMore) {
			t.Errorf("%d calls beside, want %d", s.More, more)
		}
		return s.Since
	}
	first := publish(0, 7, "Recv")
	if first == 0 || publish(2, 7, "Recv") != first || publish(1<<20, 7, "Recv") != first {
		t.Error("a wait began anew")
	}
	if publish(0, 8, "Recv") == first || publish(0, 8, "Probe") == first {
		t.Error("another wait began with the first")
	}
	other := publish(0, 7, "Recv")
	w := pmi.Wait{Call: "Recv", Tag: 7, Unmatched: pmi.Unmatched{Messages: 2, First: 1, MessagesTag: 3}}
	f.Publish(0, &pmi.Status{State: pmi.Waiting, Wait: w})
	if s, _ := f.Status(0); s.Since != other || s.Wait != w {
		t.Errorf("with messages: %+v, want %+v since %d", s, w, other)
	}
	w.Note = "x"
	f.Publish(0, &pmi.Status{State: pmi.Waiting, Wait: w})
	if s, _ := f.Status(0); s.Since == other {
		t.Error("a wait with another note began with the one before")
	}
	other = publish(0, 7, "Recv")
	f.Publish(0, &pmi.Status{State: pmi.Computing})
	if publish(0, 7, "Recv") == other {
		t.Error("a wait like an earlier one began with it")
	}
}

func TestTornStatusIsToldAndHarmless(t *testing.T) {
	f := heap(t, 1)
	w := f.Words(0, Front)
	for i := range w[wordStatus:] {
		w[wordStatus+i] = ^uint64(0) // odd: being written
	}
	if s, ok := f.Status(0); ok || len(s.Call) > pmi.CallBytes || s.Plausible(1) != (pmi.Status{}) {
		t.Fatalf("%+v, %v", s, ok)
	}
}

func TestStatusIsNeverMixed(t *testing.T) {
	f := heap(t, 1)
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 1; !stop.Load(); i++ {
			f.Publish(0, &pmi.Status{Wait: pmi.Wait{Peer: i, Tag: i, Bytes: int64(i)}, Since: int64(i)})
		}
	}()
	for range 2000 {
		if s, ok := f.Status(0); ok && s.Since != 0 && (s.Tag != s.Peer || s.Bytes != int64(s.Peer) || s.Since != s.Bytes) {
			t.Errorf("parts of different lines: %+v", s)
		}
	}
	stop.Store(true)
	<-done
}
