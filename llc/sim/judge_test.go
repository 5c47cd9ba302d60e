package sim

import (
	"errors"
	"strings"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// finished returns a world of two peers and one context that has come to a good
// end: peer 0 has sent peer 1 three messages, of tags 0, 0 and 1.
func finished(t *testing.T) *world {
	t.Helper()
	p := Params{
		Peers: 2, Contexts: 1, Tags: 2, Bytes: 100, Shared: 4,
		Caps: ir.Caps{Rings: 1, Slots: 4, Bytes: 1024, Fragment: 100, Eager: 200},
	}
	w, err := newWorld(p)
	if err != nil {
		t.Fatal(err)
	}
	for id, tag := range []int{0, 0, 1} {
		s := &send{id: id, to: 1, tag: tag}
		s.req = llc.Request{Peer: 1, Tag: tag, Buf: append([]byte(nil), bytesOf(id, 50)...)}
		rc := w.newReceive(0, tag, 0, w.Bytes)
		w.add(1, step{call: func() { w.receive(1, rc) }, receive: true})
		w.add(0, step{call: func() { w.send(0, s) }})
	}
	if err := w.run(); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestVerdicts changes the outcome of a run, as a wrong engine would have; the checks must report it.
func TestVerdicts(t *testing.T) {
	for want, spoil := range map[string]func(*world){
		"bytes behind a buffer": func(w *world) { r := w.ranks[1].recvs[0]; r.memory[len(r.req.Buf)]++ },
		"a receive from 0 is not done": func(w *world) {
			w.ranks[1].recvs[0].req = llc.Request{Buf: w.ranks[1].recvs[0].req.Buf}
		},
		"send of message 1 is not done":        func(w *world) { w.ranks[0].sends[1].req = llc.Request{} },
		"send of message 1 to 1: peer is gone": func(w *world) { w.ranks[0].sends[1].req.Status.Err = llc.ErrPeerGone },
		"receive into 100 bytes from 0":        func(w *world) { w.ranks[1].recvs[1].req.Status.Err = errors.New("wet") },
		"with other bytes":                     func(w *world) { w.ranks[1].recvs[0].req.Buf[7]++ },
		"did not send":                         func(w *world) { w.ranks[1].recvs[0].req.Status.Tag = 5 },
		"received 2 messages of 0 in context 0, which sent 3": func(w *world) {
			w.ranks[1].recvs = w.ranks[1].recvs[:2]
		},
		"message 1 of 0 was overtaken by message 2": func(w *world) {
			r := w.ranks[1].recvs // the third message went to a receive that would have taken the second
			r[1], r[2] = r[2], r[1]
			r[1].tag = llc.AnyTag
		},
		"nobody was told that message 2 is done":        func(w *world) { w.ranks[0].sends[2].req.Notify = true },
		"nobody was told that a receive from 0 is done": func(w *world) { w.ranks[1].recvs[2].req.Notify = true },
		"engine 1 still holds {Posted:1": func(w *world) {
			w.ranks[1].engine.Recv(&llc.Request{Peer: 0})
		},
	} {
		w := finished(t)
		if err := w.judge(); err != nil {
			t.Fatalf("an honest run: %v", err)
		}
		spoil(w)
		if err := w.judge(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// TestBrokenPromises has engines do in the middle of a run what none may do.
func TestBrokenPromises(t *testing.T) {
	for want, do := range map[string]func(w *world){
		"told of a request": func(w *world) {
			r := &llc.Request{Peer: 0, Notify: true}
			w.ranks[1].engine.Recv(r)
			w.ranks[1].engine.Cancel(r)
			r.Notify = false
			w.look(1)
		},
		"whoever slept": func(w *world) {
			w.ranks[0].idle = true
			w.ranks[0].engine.Send(&llc.Request{Peer: 1})
			w.step(0)
		},
		"awake for nothing": func(w *world) {
			w.ranks[0].awake = mostAwake + 1
			w.tire(0, 1)
			w.ranks[0].awake += mostAwake + 1
			w.tire(0, 0)
		},
		"was not there": func(w *world) { w.keepPromise(1, 0, llc.Status{Source: 0}) },
		"received {Source:0 Tag:1": func(w *world) {
			w.ranks[0].engine.Send(&llc.Request{Peer: 1, Tag: 1})
			w.post(0)
			w.step(1)
			w.keepPromise(1, 0, llc.Status{Source: 0, Tag: 1, Bytes: 9})
		},
	} {
		w := finished(t)
		do(w)
		if w.problem == nil || !strings.Contains(w.problem.Error(), want) {
			t.Errorf("want %q, got %v", want, w.problem)
		}
	}
}

// TestEndlessRun: a world that never comes to rest is given up, whether it goes on for ever or stands still.
func TestEndlessRun(t *testing.T) {
	w := finished(t)
	var again func()
	again = func() { w.add(0, step{call: again}) }
	again()
	if err := w.run(); !errors.Is(err, errEndless) || !strings.Contains(err.Error(), "still busy") {
		t.Error(err)
	}
	w = finished(t)
	w.net.Busy = func(int, *ir.Command) bool { return true }
	r := llc.Request{Peer: 0, Buf: make([]byte, 8)}
	w.ranks[1].engine.Send(&r)
	w.post(1)
	w.turn = patience
	if err := w.run(); !errors.Is(err, errEndless) || !strings.Contains(err.Error(), "nothing has moved") {
		t.Error(err)
	}
}

// TestLongRun: a run that takes its time does not count as endless.
func TestLongRun(t *testing.T) {
	w := finished(t)
	w.turn = patience
	for range 3 {
		w.add(0, step{call: func() {}})
	}
	if err := w.run(); err != nil {
		t.Error(err)
	}
	for _, seed := range []uint64{818900, 818901} {
		p := Random(seed)
		p.Fault, p.Busy, p.Hold, p.Nap, p.Messages, p.Crash, p.Forger, p.Shared = "", 97, 90, 30, 200, 0, 0, 1
		if w, err := run(p); err != nil || w.turn <= patience {
			t.Errorf("after %d turns: %v", w.turn, err)
		}
	}
}
