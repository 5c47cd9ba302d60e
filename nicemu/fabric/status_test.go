package fabric

import (
	"sync/atomic"
	"testing"
	"time"
)

func TestStatusTravels(t *testing.T) {
	f := heap(t, 2)
	if s, ok := f.Status(1); !ok || s != (Status{}) {
		t.Fatalf("before the first: %+v, %v", s, ok)
	}
	want := Status{State: Waiting, Call: "Allreduce", Peer: -1, Tag: 1 << 30, Bytes: 1 << 40, Context: 0xfffe, Team: 1<<32 - 1, Turn: 7, Sign: 1 << 31, Since: time.Now().UnixNano()}
	f.Publish(1, &want)
	if s, ok := f.Status(1); !ok || s != want {
		t.Fatalf("%+v, %v", s, ok)
	}
	want.Call = "a call with a name that is too long"
	f.Publish(1, &want)
	if s, _ := f.Status(1); s.Call != want.Call[:CallBytes] {
		t.Fatalf("call %q", s.Call)
	}
	want.Since = 0
	f.Publish(1, &want)
	if s, _ := f.Status(1); time.Since(time.Unix(0, s.Since)) > time.Minute {
		t.Fatalf("since %d", s.Since)
	}
	if s, _ := f.Status(0); s != (Status{}) {
		t.Fatalf("rank 0 has it too: %+v", s)
	}
	if n := testing.AllocsPerRun(100, func() { f.Publish(1, &want) }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func TestTornStatusIsToldAndHarmless(t *testing.T) {
	f := heap(t, 1)
	w := f.Words(0, Front)
	for i := range w[wordStatus:] {
		w[wordStatus+i] = ^uint64(0) // odd: being written
	}
	if s, ok := f.Status(0); ok || len(s.Call) > CallBytes || s.State.String() != "unknown" {
		t.Fatalf("%+v, %v", s, ok)
	}
}

func TestStatusIsNeverMixed(t *testing.T) {
	f := heap(t, 1)
	var stop atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := int32(1); !stop.Load(); i++ {
			f.Publish(0, &Status{Peer: i, Tag: i, Bytes: int64(i), Since: int64(i)})
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

func TestStateNames(t *testing.T) {
	for s, want := range map[State]string{Absent: "absent", Waiting: "waiting", Aborting: "aborting", 99: "unknown"} {
		if s.String() != want {
			t.Errorf("%d is %q", s, s)
		}
	}
}
