package fabric

import (
	"os"
	"runtime"
	"testing"
	"time"

	"rhinet/internal/pmi"
)

func TestStatusOfTheFabric(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes share no memory here")
	}
	m, err := newView(2)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if s := m.Status(1); s.State != pmi.Outside {
		t.Errorf("before the start: %+v", s)
	}
	rank, err := Map(m.File())
	if err != nil {
		t.Fatal(err)
	}
	defer rank.Close()
	if begin := m.Begin(); time.Since(begin) < 0 || time.Since(begin) > time.Hour {
		t.Errorf("made %v", begin)
	}
	want := pmi.Status{State: pmi.Waiting, Wait: pmi.Wait{Call: "Recv", Tag: 7, Bytes: 64}, Since: time.Now().UnixNano()}
	rank.Publish(1, &want)
	if s := m.Status(1); s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}
	rank.Publish(1, &pmi.Status{State: pmi.Waiting, Wait: pmi.Wait{Call: "\x1b[2J", Peer: 2}, Since: 1})
	if s := m.Status(1); s.Call != "(?)" || s.Peer != pmi.NoPeer {
		t.Errorf("what cannot be: %+v", s)
	}
	for i := range rank.Words(1, Front) {
		rank.Words(1, Front)[i] = ^uint64(0) // being written, for ever
	}
	if s := m.Status(1); s != (pmi.Status{State: pmi.Computing}) {
		t.Errorf("a torn line: %+v", s)
	}
}

func TestWhoFoundWhomGone(t *testing.T) {
	m, err := newView(3)
	if err != nil {
		t.Skip(err) // processes cannot share memory here
	}
	defer m.Close()
	rank, err := Map(m.File())
	if err != nil {
		t.Fatal(err)
	}
	defer rank.Close()
	rank.Lose(2, 1)
	if a, b := m.Status(0).Lost, m.Status(2).Lost; a != 0 || b != 2 {
		t.Errorf("lost %d and %d", a, b)
	}
}

// newView returns a view of new memory for some ranks.
func newView(ranks int) (*View, error) {
	file, err := Create(ranks, Default())
	if err != nil {
		return nil, err
	}
	return NewView(file), nil
}

func TestNoFabric(t *testing.T) {
	if _, err := newView(0); err == nil {
		t.Error("a fabric without ranks")
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	broken := NewView(file)
	if s := broken.Status(0); s != (pmi.Status{}) {
		t.Errorf("got %+v", s)
	}
}
