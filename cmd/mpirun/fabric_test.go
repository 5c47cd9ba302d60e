package main

import (
	"os"
	"runtime"
	"testing"
	"time"

	"rhinet/internal/launch"
	"rhinet/llc/nics"
	"rhinet/nicemu/fabric"
)

func TestStatusOfTheFabric(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes share no memory here")
	}
	m, err := openFabric("martini:pm", 2)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if s := m.Status(1); s.State != launch.Outside {
		t.Errorf("before the start: %+v", s)
	}
	rank, err := fabric.Map(m.File())
	if err != nil {
		t.Fatal(err)
	}
	defer rank.Close()
	since := time.Now().Add(-time.Second)
	m.(*memory).begin = since.Add(-time.Second)
	rank.Publish(1, &fabric.Status{State: fabric.Waiting, Call: "Recv", Peer: 0, Tag: 7, Bytes: 64, Since: since.UnixNano()})
	s := m.Status(1)
	if s.For < time.Second || s.For > time.Minute {
		t.Errorf("for %v", s.For)
	}
	s.For = 0
	if want := (launch.Status{State: launch.Waiting, Call: "Recv", Peer: 0, Tag: 7, Bytes: 64, Mark: uint64(since.UnixNano())}); s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}
}

func TestStatesOfTheFabric(t *testing.T) {
	for from, to := range map[fabric.State]launch.State{
		fabric.Absent:   launch.Outside,
		fabric.Running:  launch.Computing,
		fabric.Waiting:  launch.Waiting,
		fabric.Finished: launch.Finalized,
		fabric.Aborting: launch.Aborted,
		fabric.State(9): launch.Outside,
	} {
		if got := translate(fabric.Status{State: from}, time.Now(), time.Now(), 2).State; got != to {
			t.Errorf("%v becomes %v", from, got)
		}
	}
}

// TestStatusThatCannotBe has a rank say what no rank can wait for.
func TestStatusThatCannotBe(t *testing.T) {
	now := time.Now()
	begin := now.Add(-time.Minute)
	for what, since := range map[string]time.Time{
		"in the future": now.Add(time.Hour), "before the job": begin.Add(-time.Second), "never": time.Unix(0, 0), "long ago": time.Unix(0, -1<<63),
	} {
		if s := translate(fabric.Status{State: fabric.Waiting, Call: "Recv", Since: since.UnixNano()}, begin, now, 2); s.For != 0 {
			t.Errorf("%s: for %v", what, s.For)
		}
	}
	for _, call := range []string{"", "\x1b[2J", "Recv\n", "Recv 3", "\xff\xfe", "a\u0301"} {
		if s := translate(fabric.Status{State: fabric.Waiting, Call: call}, begin, now, 2); s.Call != unknownCall {
			t.Errorf("%q becomes %q", call, s.Call)
		}
	}
	for from, to := range map[int32]int{-1: launch.AnyPeer, -2: launch.NoPeer, -7: launch.NoPeer, 1: 1, 2: launch.NoPeer, 1<<31 - 1: launch.NoPeer} {
		if s := translate(fabric.Status{State: fabric.Waiting, Call: "Recv", Peer: from}, begin, now, 2); s.Peer != to {
			t.Errorf("peer %d becomes %d", from, s.Peer)
		}
	}
	s := translate(fabric.Status{State: fabric.Waiting, Call: "Recv", Tag: -7, Bytes: 1<<63 - 1}, begin, now, 2)
	if s.Call != "Recv" || s.Tag != launch.NoTag || s.Bytes >= 0 {
		t.Errorf("got %+v", s)
	}
}

func TestWhoFoundWhomGone(t *testing.T) {
	m, err := openFabric(nics.Default, 3)
	if err != nil {
		t.Skip(err) // processes share no memory here
	}
	defer m.Close()
	rank, err := fabric.Map(m.File())
	if err != nil {
		t.Fatal(err)
	}
	defer rank.Close()
	rank.Lose(2, 1)
	if a, b := m.Status(0).Lost, m.Status(2).Lost; a != 0 || b != 2 {
		t.Errorf("lost %d and %d", a, b)
	}
}

func TestNoFabric(t *testing.T) {
	if _, err := openFabric(nics.Default, 0); err == nil {
		t.Error("a fabric without ranks")
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	broken := &memory{file: file, view: func() (*fabric.Fabric, error) { return fabric.Map(file) }}
	if s := broken.Status(0); s != (launch.Status{}) {
		t.Errorf("got %+v", s)
	}
}
