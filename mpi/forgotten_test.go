package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
)

// joinForgetful returns the world of a rank that is told of requests that it forgets.
func joinForgetful(t *testing.T) (w *mpi.Comm, told chan string, release func() error) {
	t.Helper()
	ts, release, err := mpi.Local(1, "")
	if err != nil {
		t.Fatal(err)
	}
	told = make(chan string, 10)
	w, err = mpi.Join(mpi.Job{Size: 1, Transport: ts[0], Debug: true, Forgotten: func(text string) { told <- text }})
	if err != nil {
		t.Fatal(err)
	}
	return w, told, release
}

// MPI 4.1, section 3.7: a request must be completed, so one whose handle is gone is a
// mistake, and its line is named. Requests that were completed or freed are not
// reported.
func TestDroppedRequestsAreNamed(t *testing.T) {
	w, told, release := joinForgetful(t)
	completeAll(t, w)
	dropped := func() *mpi.Request { return mpi.Irecv(w, make([]int, 2), 0, 9) }
	_ = dropped()
	deadline := time.Now().Add(time.Minute)
	for len(told) == 0 && time.Now().Before(deadline) {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if len(told) != 1 {
		t.Fatalf("%d requests were named", len(told))
	}
	text := <-told
	if !strings.HasPrefix(text, "mpi: a request was dropped before it was complete: Irecv on world from 0 tag 9: 16 bytes (") ||
		!strings.Contains(text, "forgotten_test.go:") || !strings.HasSuffix(text, "; keep it, and Wait for it") {
		t.Error(text)
	}
	if err := mpi.Send(w, make([]int, 2), 0, 9); err != nil {
		t.Error(err)
	}
	if err := is(mpi.Finalize(w), mpi.ErrPending, ""); err != nil {
		t.Error(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}

// TestDroppedRequestsAmongManyAreNamed: after the first few hundred, requests are
// watched in groups.
func TestDroppedRequestsAmongManyAreNamed(t *testing.T) {
	w, told, release := joinForgetful(t)
	for i := range 1000 { // far more than are watched one by one, or together
		if i == 500 || i == 501 {
			mpi.Irecv(w, make([]int, 2), 0, i)
		}
		if err := mpi.WaitAll(mpi.Irecv(w, []int{0}, 0, 0), mpi.Isend(w, []int{1}, 0, 0)); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(time.Minute); len(told) < 2 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	if len(told) != 2 {
		t.Fatalf("%d requests were named", len(told))
	}
	for i := range 2 {
		if text, want := <-told, fmt.Sprintf("Irecv on world from 0 tag %d: 16 bytes (", 500+i); !strings.Contains(text, want) {
			t.Errorf("%q, want %q in it", text, want)
		}
		if err := mpi.Send(w, make([]int, 2), 0, 500+i); err != nil {
			t.Error(err)
		}
	}
	if err := is(mpi.Finalize(w), mpi.ErrPending, ""); err != nil {
		t.Error(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}

// TestOnlyDroppedRequestsAreNamed: of requests that are watched together one is kept,
// one is freed, and one is dropped.
func TestOnlyDroppedRequestsAreNamed(t *testing.T) {
	w, told, release := joinForgetful(t)
	for range 1000 { // more than are watched one by one
		if err := mpi.WaitAll(mpi.Irecv(w, []int{0}, 0, 0), mpi.Isend(w, []int{1}, 0, 0)); err != nil {
			t.Fatal(err)
		}
	}
	free := mpi.Irecv(w, make([]int, 2), 0, 3)
	if err := free.Free(); err != nil {
		t.Fatal(err)
	}
	mpi.Irecv(w, make([]int, 2), 0, 4)
	for range 200 { // so that they are watched with others, of which none is kept
		if err := mpi.WaitAll(mpi.Irecv(w, []int{0}, 0, 0), mpi.Isend(w, []int{1}, 0, 0)); err != nil {
			t.Fatal(err)
		}
	}
	kept := mpi.Irecv(w, make([]int, 2), 0, 5)
	for deadline := time.Now().Add(time.Minute); len(told) < 1 && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		runtime.GC()
	}
	if len(told) != 1 {
		t.Fatalf("%d requests were named", len(told))
	}
	if text := <-told; !strings.Contains(text, "Irecv on world from 0 tag 4: 16 bytes (") {
		t.Error(text)
	}
	for tag := 3; tag < 6; tag++ {
		if err := mpi.Send(w, make([]int, 2), 0, tag); err != nil {
			t.Error(err)
		}
	}
	if _, err := kept.Wait(); err != nil {
		t.Error(err)
	}
	if err := is(mpi.Finalize(w), mpi.ErrPending, ""); err != nil {
		t.Error(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}

// completeAll makes requests of every kind and completes or frees them.
func completeAll(t *testing.T, w *mpi.Comm) {
	t.Helper()
	s, err := mpi.SendInit(w, []int{1}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		r := mpi.Irecv(w, []int{0}, 0, 1)
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		if err := mpi.WaitAll(r, s); err != nil {
			t.Fatal(err)
		}
	}
	b, err := mpi.BarrierInit(w)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := b.Start(); err != nil {
			t.Fatal(err)
		}
		if err := mpi.WaitAll(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := mpi.WaitAll(mpi.Ibcast(w, []int{1}, 0)); err != nil {
		t.Fatal(err)
	}
	free := mpi.Irecv(w, []int{0}, 0, 2)
	if err := is(free.Start(), mpi.ErrRequest, ""); err != nil {
		t.Error(err)
	}
	if err := free.Free(); err != nil {
		t.Fatal(err)
	}
	if err := mpi.Send(w, []int{1}, 0, 2); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := mpi.Issend(w.WithContext(ctx), []int{1}, 0, 3)
	cancel()
	if _, err := ended.Wait(); !errors.Is(err, mpi.ErrCancelled) {
		t.Error(err)
	}
	if _, err := mpi.Recv(w, []int{0}, 0, 3); err != nil {
		t.Error(err)
	}
	if _, done, err := mpi.Isend(w, []int{1}, mpi.ProcNull, 0).Test(); !done || err != nil {
		t.Error(done, err)
	}
}
