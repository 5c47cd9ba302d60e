package endpoint

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

var errDead = errors.New("dead")

func open(t *testing.T, ranks int) (*Endpoint, *fabric.Fabric) {
	t.Helper()
	f, err := fabric.Heap(ranks, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	e := New(f, 1, errDead)
	return &e, f
}

// Ranks of a job on several hosts know each other by the addresses that they exchanged when they met.
func TestMeet(t *testing.T) {
	e, f := open(t, 3)
	n := &entry.Network{Host: 7, Meet: func(name []byte) ([]entry.Place, uint32, error) {
		return []entry.Place{{Host: 2, Name: []byte("zero")}, {Host: 7, Name: name}, {Host: 7, Name: []byte("two")}}, 0xfeed, nil
	}}
	if err := e.Meet(n, []byte("one")); err != nil {
		t.Fatal(err)
	}
	for peer, name := range []string{"zero", "one", "two"} {
		if got := string(e.Name(peer)); got != name || e.Elsewhere(peer) != (peer == 0) || e.Left(peer) != (peer != 0) {
			t.Errorf("peer %d: %q, elsewhere: %v, left: %v", peer, got, e.Elsewhere(peer), e.Left(peer))
		}
	}
	if f.MarkFailed(0); !e.Left(0) {
		t.Error("the launcher says that rank 0 has ended")
	}
	msg := make([]byte, MessageBytes)
	if e.PutHeader(msg, &ir.Header{Kind: 1}); e.Source(msg) != 1 {
		t.Errorf("the own message is from %d", e.Source(msg))
	}
	if binary.LittleEndian.PutUint32(msg[16:], 3); e.Source(msg) != -1 {
		t.Error("a message of rank 3 of 3")
	}
	binary.LittleEndian.PutUint32(msg[16:], 0)
	if binary.LittleEndian.PutUint32(msg[20:], 0xfeee); e.Source(msg) != -1 {
		t.Error("a message of somebody who does not know the secret")
	}
	if e.Source(msg[:MessageBytes-1]) != -1 {
		t.Error("a message without a whole header")
	}
}

func TestMeetFails(t *testing.T) {
	e, _ := open(t, 3)
	lost := errors.New("lost")
	if err := e.Meet(&entry.Network{Meet: func([]byte) ([]entry.Place, uint32, error) { return nil, 0, lost }}, nil); !errors.Is(err, lost) {
		t.Error(err)
	}
	err := e.Meet(&entry.Network{Meet: func([]byte) ([]entry.Place, uint32, error) { return make([]entry.Place, 2), 0, nil }}, nil)
	if err == nil || !strings.Contains(err.Error(), "2 ranks have met, the job has 3") {
		t.Error(err)
	}
	// On one host ranks publish their addresses as they come.
	if err := e.Meet(nil, []byte("me")); err != nil || string(e.Name(1)) != "me" || e.Name(0) != nil || e.Elsewhere(0) || e.Left(0) {
		t.Errorf("%v, %q", err, e.Name(1))
	}
}
