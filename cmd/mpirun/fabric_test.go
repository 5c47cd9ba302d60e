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
		if got := translate(fabric.Status{State: from}, time.Now()).State; got != to {
			t.Errorf("%v becomes %v", from, got)
		}
	}
	s := translate(fabric.Status{State: fabric.Waiting, Peer: -1, Tag: -7, Since: time.Now().Add(time.Hour).UnixNano()}, time.Now())
	if s.Peer != launch.AnyPeer || s.Tag != launch.NoTag || s.For != 0 {
		t.Errorf("got %+v", s)
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
