package mpi

import (
	"context"
	"errors"
	"strings"
	"testing"

	"rhinet/collectives"
)

// alone makes a world of one rank over t.
func alone(t testing.TB, tr Transport) *Comm {
	w, err := Join(Job{Size: 1, Transport: tr})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

type cell struct {
	A [3]float64
	B int32
}

// This package adds no allocation to point-to-point calls, whatever the
// element type.
func TestPointToPointCallsAllocateNothing(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("counting statements keeps calls from being inlined, and so requests from the stack")
	}
	w := alone(t, &instant{bytes: -1})
	f, c, b := make([]float64, 5), make([]cell, 2), make([]byte, 100)
	f5, counts := make([]float64, 5), []int{5}
	sub := w.WithContext(context.Background())
	for _, tc := range []struct {
		name string
		call func()
	}{
		{"Send", func() { Send(w, f, 0, 1); Send(sub, c, 0, 1); Send(w, b, 0, 1) }},
		{"Ssend", func() { Ssend(w, f, 0, 1) }},
		{"Recv", func() { Recv(w, f, 0, 1); Recv(w, c, AnySource, AnyTag) }},
		{"Sendrecv", func() { Sendrecv(w, f, 0, 1, c, 0, 1) }},
		{"SendrecvReplace", func() { SendrecvReplace(w, f, 0, 1, 0, 1); SendrecvReplace(w, b, 0, 1, 0, 1) }},
		{"ProcNull", func() { Send(w, f, ProcNull, 1); Recv(w, f, ProcNull, 1) }},
		{"Isend and Wait", func() { Isend(w, f, 0, 1).Wait() }},
		{"Irecv and Test", func() { Irecv(w, f, 0, 1).Test() }},
		{"WaitAll", func() { WaitAll(Isend(w, f, 0, 1), Irecv(w, f, 0, 1), nil) }},
		{"WaitAny", func() {
			r, s := Issend(w, f, 0, 1), Irecv(w, b, 0, 1)
			WaitAny(r, s)
			WaitAny(r, s)
		}},
		{"Probe", func() { Probe(w, 0, 1); Iprobe(w, AnySource, AnyTag) }},
		{"Barrier", func() { Barrier(w) }},
		{"Allreduce", func() { Allreduce(w, f, f, Sum) }},
		{"Bcast", func() { Bcast(w, c, 0) }},
		{"Gatherv and Scatterv", func() { Gatherv(w, f, f5, counts, nil, 0); Scatterv(w, f5, counts, nil, f, 0) }},
		{"Allgather and Allgatherv", func() { Allgather(w, f, f5); Allgatherv(w, f, f5, counts, nil) }},
		{"ReduceScatter", func() { ReduceScatter(w, f, f5, counts, Sum) }},
		{"Scan and Exscan", func() { Scan(w, f, f, Sum); Exscan(w, f, f, Sum) }},
	} {
		tc.call() // first use may fill tables
		if n := testing.AllocsPerRun(100, tc.call); n != 0 {
			t.Errorf("%s: %v allocations", tc.name, n)
		}
	}
	if p := w.w.requests.pending(nil); len(p) != 0 {
		t.Errorf("pending: %v", p)
	}
}

// Failures of the transport are returned to the caller with the call and its values.
func TestFailuresOfTheTransportAreErrors(t *testing.T) {
	boom := errors.New("peer 0 is gone")
	tr := &instant{err: boom, bytes: -1}
	w := alone(t, tr)
	buf := make([]int, 2)
	_, recv := Recv(w, buf, AnySource, 3)
	_, irecv := Irecv(w, buf, 0, 3).Wait()
	_, isend := Isend(w, buf, 0, 3).Wait()
	for _, tc := range []struct {
		err  error
		want string
	}{
		{Send(w, buf, 0, 3), "mpi: Send on world to 0 tag 3: peer 0 is gone"},
		{recv, "mpi: Recv on world from any source tag 3: peer 0 is gone"},
		{irecv, "mpi: Irecv on world from 0 tag 3: peer 0 is gone"},
		{isend, "mpi: Isend on world to 0 tag 3: peer 0 is gone"},
	} {
		if !errors.Is(tc.err, boom) || !errors.Is(tc.err, ErrOther) || tc.err.Error() != tc.want {
			t.Errorf("got %v, want %s", tc.err, tc.want)
		}
	}
	tr.probed.Err = boom
	if _, err := Probe(w, 0, 0); !errors.Is(err, boom) {
		t.Errorf("Probe: got %v", err)
	}
	tr.stuck = true
	if _, err := Probe(w, 0, 0); !errors.Is(err, ErrOther) || !strings.HasSuffix(err.Error(), "the transport was closed while waiting") {
		t.Errorf("Probe: got %v", err)
	}
	tr.stuck, tr.closed = false, boom
	if err := Finalize(w); !errors.Is(err, boom) {
		t.Errorf("Finalize: got %v", err)
	}
}

// A send whose context ends may stay with the transport; its memory is not used again.
func TestASendThatCannotBeWithdrawnIsLeftToTheTransport(t *testing.T) {
	w := alone(t, &instant{stuck: true})
	r := Isend(w.WithContext(ended()), []int{1}, 0, 0)
	if _, err := r.Wait(); !errors.Is(err, ErrCancelled) {
		// the context had ended before the call
		t.Fatal(err)
	}
	ctx, cancel := withCancel()
	r = Isend(w.WithContext(ctx), []int{1}, 0, 0)
	p := r.p
	cancel()
	if _, err := r.Wait(); !errors.Is(err, ErrCancelled) {
		t.Fatal(err)
	}
	if q := w.w.requests.take(false); q == p {
		t.Error("the transfer is used again")
	}
}

func TestAReceiveThatCannotBeWithdrawnIsLeftToTheTransport(t *testing.T) {
	boom := errors.New("peer 0 is gone")
	w := alone(t, &instant{err: boom, stuck: true})
	if _, err := Sendrecv(w, []int{1}, 0, 0, []int{0}, 0, 0); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	if p := w.w.requests.pending(nil); len(p) != 0 {
		t.Errorf("pending: %v", p)
	}
}

// The transport of collective calls does what package collectives requires.
func TestTransfersOfCollectiveCalls(t *testing.T) {
	tr := &instant{bytes: -1, stuck: true}
	c := newCollTransport(alone(t, tr).core)
	start := func() {
		if err := errors.Join(c.Irecv(0, make([]byte, 4), 0, 1), c.Isend(2, make([]byte, 4), 0, 1)); err != nil {
			t.Fatal(err)
		}
	}
	start()
	if done, err := c.Test(0, 3); done || err != nil {
		t.Errorf("under way: got %v, %v", done, err)
	}
	tr.stuck = false
	if done, err := c.Test(0, 3); !done || err != nil {
		t.Errorf("complete: got %v, %v", done, err)
	}
	tr.bytes = 3
	start()
	if done, err := c.Test(0, 3); !done || !errors.Is(err, ErrTruncate) {
		t.Errorf("too short: got %v, %v", done, err)
	}
	tr.err, tr.bytes = errors.New("gone"), -1
	start()
	if err := c.Wait(0, 3); !errors.Is(err, tr.err) {
		t.Errorf("failed: got %v", err)
	}
	if err := c.Wait(0, collSlots); err != nil {
		t.Errorf("free slots: got %v", err)
	}
}

func TestJoinRefusesAJobThatCannotBe(t *testing.T) {
	for _, j := range []Job{{Size: 0}, {Rank: 2, Size: 2}, {Rank: -1, Size: 2}} {
		if _, err := Join(j); !errors.Is(err, ErrInit) {
			t.Errorf("%+v: got %v", j, err)
		}
	}
	j := Job{Size: 1, Transport: &instant{}}
	j.Collectives.Force = map[string]string{"bcast": "pigeon"}
	if _, err := Join(j); !errors.Is(err, ErrInit) || !strings.Contains(err.Error(), "pigeon") {
		t.Errorf("got %v", err)
	}
}

// The process ends with the status of its job.
func TestAbortEndsTheJobWithAStatus(t *testing.T) {
	for status, want := range map[int]int{1: 1, 7: 7, 255: 255, 0: 1, -1: 1, 256: 1} {
		got := -1
		w, err := Join(Job{Size: 1, Transport: &instant{}, Abort: func(s int) { got = s; panic("ended") }})
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() { recover() }()
			Abort(w, status)
		}()
		if got != want {
			t.Errorf("Abort(%d) ended with %d, want %d", status, got, want)
		}
	}
}

func TestClassesHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for c := ErrOther; c <= ErrCancelled; c++ {
		name := c.Error()
		if seen[name] || strings.HasPrefix(name, "class ") {
			t.Errorf("class %d is called %q", uint8(c), name)
		}
		seen[name] = true
	}
	if got := Class(99).Error(); got != "class 99" {
		t.Errorf("class 99 is called %q", got)
	}
}

// A transfer that comes back from an operation can serve a message, which has no
// operation.
func TestTransfersComeBackWithoutTheirOperation(t *testing.T) {
	ws, _ := worldsOf(t, 2, collectives.Options{})
	rs := []*Request{Ibarrier(ws[0]), Ibarrier(ws[1])}
	if err := WaitAll(rs...); err != nil {
		t.Fatal(err)
	}
	if p := ws[0].w.requests.take(false); p.task != nil || p.c != nil || p.phase != begun {
		t.Errorf("%+v", p)
	}
}

// The report of requests that were never completed names those of the program, also on
// communicators that it does not see, and none of the runtime's own.
func TestPendingAreThoseOfTheProgram(t *testing.T) {
	w := alone(t, &instant{bytes: -1})
	b := make([]byte, 40)
	own := alone(t, &instant{bytes: -1})
	own.core.private, own.w = true, w.w
	Irecv(own, b, 0, 2)
	if p := w.w.requests.pending(nil); len(p) != 0 {
		t.Errorf("pending: %v, want none", p)
	}
	w.w.requests.take(false) // by a call that has just begun
	if p := w.w.requests.pending(nil); len(p) != 0 {
		t.Errorf("pending: %v, want none", p)
	}
	own.request(at("Rput"), newTask())
	Irecv(w, b, 0, 3)
	if p := w.w.requests.pending(nil); len(p) != 2 {
		t.Errorf("pending: %v, want Rput and Irecv", p)
	}
}
