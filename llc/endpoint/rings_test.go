package endpoint

import (
	"testing"
	"time"

	"rhinet/internal/ring"
	"rhinet/llc/ir"
)

// openedWriter is a Writer that counts how often it is asked for its outlet. The ring behind that is its own.
type openedWriter struct {
	Writer
	ring  ring.Ring
	out   ring.Outlet
	asked int
}

func (w *openedWriter) Put(uint64, uint64, *[3]uint64, []byte) error { return nil }

func (w *openedWriter) Outlet() *ring.Outlet {
	w.asked++
	w.out.Open(&w.ring, nil, [3]*uint64{}, [3]uint64{})
	return &w.out
}

// A closedWriter has no outlet.
type closedWriter struct{ Writer }

func (closedWriter) Put(uint64, uint64, *[3]uint64, []byte) error { return nil }

// writers is a NIC that opens packet rings only, by their number.
type writers struct {
	Hardware
	list []Writer
}

func (w *writers) Writer(_, ring int) (Writer, error) { return w.list[ring], nil }

// A ring is told once in which one its reader answers: by the first packet longer than a line that finds that one watched.
// A ring that is opened in its place is told anew, and one that has no outlet is not.
func TestHeed(t *testing.T) {
	e, f := open(t, 3)
	const peer = 2
	first, second := &openedWriter{}, &openedWriter{}
	r := &Rings{Endpoint: e, nic: &writers{list: []Writer{first, second, closedWriter{}}}, ways: make([]way, 3)}
	layout := f.Geometry().Ring
	mem := ring.Memory(layout.Size())
	r.Receive(e, nil, func(int) *ring.Reader { return ring.NewReader(mem, layout, 0, 0) })
	long, short := make([]byte, ring.Short+1), make([]byte, ring.Short)
	r.Post(&ir.Command{Op: ir.Open, Peer: peer})
	for _, step := range []struct {
		what          string
		do            func()
		first, second int // how often the rings have been told
	}{
		{"before the answers are watched", func() { r.Place(peer, 0, 0, new([3]uint64), long) }, 0, 0},
		{"a packet of another peer is no answer", func() { r.Post(&ir.Command{Op: ir.Watch, Peer: 0, Ring: 1}); r.Place(peer, 1, 0, new([3]uint64), long) }, 0, 0},
		{"a line", func() {
			r.Post(&ir.Command{Op: ir.Watch, Peer: peer, Ring: 0})
			r.Place(peer, 2, 0, new([3]uint64), short)
		}, 0, 0},
		{"a longer packet", func() { r.Place(peer, 3, 0, new([3]uint64), long) }, 1, 0},
		{"another one", func() { r.Place(peer, 4, 0, new([3]uint64), long) }, 1, 0},
		{"another ring", func() {
			r.Post(&ir.Command{Op: ir.Open, Peer: peer, Ring: 1})
			r.Place(peer, 0, 0, new([3]uint64), long)
		}, 1, 1},
		{"a ring without an outlet", func() {
			r.Post(&ir.Command{Op: ir.Open, Peer: peer, Ring: 2})
			r.Place(peer, 0, 0, new([3]uint64), long)
		}, 1, 1},
	} {
		if step.do(); first.asked != step.first || second.asked != step.second {
			t.Errorf("%s: told %d and %d times, want %d and %d", step.what, first.asked, second.asked, step.first, step.second)
		}
	}
	if r.Answered() {
		t.Error("the rings have refused something")
	}
}

// A memory is a NIC each of whose reads and writes takes some time.
type memory struct{ Hardware }

const accessTime = time.Millisecond

func (memory) ReadMemory(int, ir.Segment, uint64, []byte) error {
	time.Sleep(accessTime)
	return nil
}

func (m memory) WriteMemory(int, ir.Segment, uint64, []byte) error {
	return m.ReadMemory(0, 0, 0, nil)
}

// TestTimed: the answer to a copy says how long it took, if it was asked.
func TestTimed(t *testing.T) {
	e, _ := open(t, 3)
	r := &Rings{Endpoint: e, Remote: memory{}, nic: memory{}, ways: make([]way, 3)}
	r.Receive(e, nil, nil)
	for _, op := range []ir.Op{ir.Pull, ir.Push} {
		for _, timed := range []bool{false, true} {
			r.Post(&ir.Command{Op: op, Peer: 1, Data: make([]byte, 64), Token: 7, Timed: timed})
			var ev ir.Event
			if !r.Poll(&ev) || ev.Token != 7 {
				t.Fatalf("op %d: the answer is %+v", op, ev)
			}
			if timed != (ev.Took >= accessTime) || !timed && ev.Took != 0 {
				t.Errorf("op %d, timed %v: it took %v", op, timed, ev.Took)
			}
		}
	}
}
