package ib

import (
	"bytes"
	"errors"
	"testing"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// TestRoutesAreRefused: each change that invalidates a look-up makes a route refuse.
func TestRoutesAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(h []*HCA, l *Link)
		want  error
	}{
		"own link":   {func(_ []*HCA, l *Link) { changeState(l.qp.entry, SQD) }, ErrState},
		"their link": {func(h []*HCA, _ *Link) { changeState(h[1].own.qp(0), ERR) }, NotReady},
		"their peer": {func(h []*HCA, _ *Link) {
			h[1].own.qp(0).store(qpPeer, 5)
			sealQP(h[1].own.qp(0))
			changeState(h[1].own.qp(0), RTS)
		}, OtherPeer},
		"overwritten": {func(h []*HCA, _ *Link) { e := h[1].own.qp(0); e.store(qpReceive, 0); changeState(e, RTS) }, Overwritten},
		"rings": {func(h []*HCA, _ *Link) {
			for _, i := range []int{regionRings, regionReceive} {
				e := h[1].own.region(i)
				e.store(mrState, e.load(mrState)&^mrValid)
			}
		}, Stale},
		"port":   {func(h []*HCA, l *Link) { h[1].own.tables[regPort] = portDown; changeState(l.qp.entry, RTS) }, NoPort},
		"closed": {func(h []*HCA, _ *Link) { _ = h[0].Close() }, ErrClosed},
	} {
		h := open(t, 2)
		l, err := h[0].Link(1)
		if err != nil {
			t.Fatal(err)
		}
		w, err1 := l.RingWriter(0)
		s, err2 := l.Sender()
		if err := errors.Join(err1, err2, w.Put(0, 0, new([3]uint64), nil)); err != nil {
			t.Fatal(err)
		}
		if !w.Outlet().Line(1, 0, 0, 0, nil) {
			t.Fatalf("%s: no line goes by the outlet", name)
		}
		rings := bytes.Clone(h[0].f.Bytes(1, fabric.Rings))
		if c.spoil(h, l); w.Outlet().Line(2, 0, 0, 0, nil) {
			t.Errorf("%s: a line goes by the outlet", name)
		}
		_, _, err3 := w.Consumed()
		_, err4 := s.Send(new([3]uint64), nil)
		for _, err := range []error{w.Put(2, 0, new([3]uint64), nil), err3, err4} {
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if !bytes.Equal(rings, h[0].f.Bytes(1, fabric.Rings)) || h[1].Messages().Ready() {
			t.Errorf("%s: something went", name)
		}
	}
}

// zeros is a noncontiguous payload.
type zeros struct{}

func (zeros) Gather(dst []byte, _ int) { clear(dst) }

// TestRoutesAreFoundAgain: a route works after its link has been remade.
func TestRoutesAreFoundAgain(t *testing.T) {
	h := open(t, 2)
	l, err := h[0].Link(1)
	if err != nil {
		t.Fatal(err)
	}
	w, err := l.RingWriter(0)
	if err == nil {
		err = w.Put(0, 0, new([3]uint64), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Transfer(Write, 0, 0, []byte{1}); !errors.Is(err, NoRegion) {
		t.Error(err)
	}
	if err := w.Gather(1, 0, new([3]uint64), zeros{}, 0, 100); err != nil || !w.good() {
		t.Errorf("nothing is gathered after an error: %v", err)
	}
	if err := l.Transfer(Write, 0, 0, []byte{1}); !errors.Is(err, NoRegion) {
		t.Error(err)
	}
	if w.good() || w.Outlet().Line(2, 0, 0, 0, nil) || w.Put(2, 0, new([3]uint64), nil) != nil || !w.good() || !w.Outlet().Line(3, 0, 0, 0, nil) {
		t.Error("after an error the link does not go on")
	}
	if _, err := l.RingWriter(fabric.Small().Rings); !errors.Is(err, BeyondRegion) {
		t.Error(err)
	}
	if err := w.Put(3, 0, new([3]uint64), make([]byte, 1<<20)); !errors.Is(err, TooLong) {
		t.Error(err)
	}
	if err := w.Gather(3, 0, new([3]uint64), zeros{}, 0, 1<<20); !errors.Is(err, TooLong) {
		t.Error(err)
	}
	s, err := l.Sender()
	if _, long := s.Send(new([3]uint64), make([]byte, 1<<20)); err != nil || !errors.Is(long, TooLong) {
		t.Error(err, long)
	}
	if _, err := h[0].Link(2); err == nil {
		t.Error("a link to rank 2 of 2")
	}
}

// TestFlagsAreRefused: no flag is raised by a link that is not ready, or if there is no such flag.
func TestFlagsAreRefused(t *testing.T) {
	h := open(t, 2)
	w, err := h[0].Flags()
	if err == nil {
		err = errors.Join(w.Raise(0, 1, 0, nil), w.Audit())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Raise(99, 1, 0, nil); !errors.Is(err, BeyondRegion) {
		t.Error(err)
	}
	h[1].f.Flags()[fabric.FlagFront*fabric.FlagPlace(1)*h[1].f.Ranks()][3]++
	if err := w.Audit(); err != fabric.ErrFlag {
		t.Errorf("an overwritten flag: %v", err)
	}
	changeState(h[0].own.qp(0), ERR)
	if err := w.Raise(0, 2, 0, nil); !errors.Is(err, ErrState) {
		t.Error(err)
	}
	if _, err := h[0].Flags(); !errors.Is(err, ErrState) {
		t.Error(err)
	}
}

// TestAfterClose: a closed adapter does nothing, and its memory cannot be accessed; messages to it
// are not read.
func TestAfterClose(t *testing.T) {
	a, b := pair(t, RC)
	l, err := a.Link(0)
	if err != nil {
		t.Fatal(err)
	}
	to, err := b.Link(0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := to.Sender()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	_, e1 := a.Register(1, nil, 0)
	_, e2 := a.CreateCQ()
	_, e3 := a.CreateReceiveQueue(1, a.cq, false)
	_, e4 := a.CreateQP(QPConfig{})
	_, e5 := a.Link(0)
	_, e6 := a.Flags()
	_, e7 := l.Swap(0, 0, 1)
	for i, err := range []error{e1, e2, e3, e4, e5, e6, e7, a.qp.Modify(RESET, Attributes{}), a.qp.PostSend(&WorkRequest{Op: Write}), a.rq.Post(1, nil, 0), l.Do(&WorkRequest{Op: Write})} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if a.Close() == nil || a.Messages() != nil || a.RingReader(0) != nil {
		t.Error("closed twice, or a reader after it")
	}
	a.Packets(1, 0).Put(ring.Tally{Lines: 3})
	if tally, _, _ := b.Packets(1, 0).Get(); tally.Lines != 0 {
		t.Error("an account after Close")
	}
	b.post(t, WorkRequest{Op: Write, Local: []byte{1}, Inline: true, Address: a.at(0), Remote: a.key})
	if c := b.done(t); c.Status != RetryExceeded || c.Reason != NoQP || a.mem[0] != 0 {
		t.Errorf("%+v", c)
	}
	if ok, err := s.Send(new([3]uint64), []byte("late")); !ok || err != nil {
		t.Errorf("a late message: %v, %v", ok, err)
	}
	if _, err := Open(a.f, 0, Options{}); err == nil {
		t.Error("opened again")
	}
}

// TestManager: only the process that makes the memory manages it, and a port that is down cannot be
// reached.
func TestManager(t *testing.T) {
	f, err := fabric.Heap(2, Geometry(fabric.Small(), 2))
	if err != nil {
		t.Fatal(err)
	}
	m, err := Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Manage(f); !errors.Is(err, ErrManaged) {
		t.Error(err)
	}
	h, err := Open(f, 0, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Manage(f); !errors.Is(err, ErrManaged) {
		t.Error(err)
	}
	l, err := h.Link(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, up := range []bool{false, true} {
		if err := m.SetPort(1, up); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Swap(0, 0, 0); (err == nil) != up || err != nil && !errors.Is(err, NoPort) {
			t.Errorf("port up %v: %v", up, err)
		}
	}
	if m.SetPort(2, true) == nil {
		t.Error("a port of rank 2 of 2")
	}
	small, err := fabric.Heap(1, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Manage(small); err == nil {
		t.Error("tables that do not fit")
	}
	if _, err := Open(small, 0, Options{}); err == nil {
		t.Error("opened without a manager")
	}
	if _, err := Open(f, 2, Options{}); err == nil {
		t.Error("opened rank 2 of 2")
	}
}
