package mpi

import (
	"slices"
	"testing"

	"rhinet/llc"
)

// A told transport records the answers of a server: receiver, tag and code.
type told struct {
	instant
	answers [][3]int
}

func (t *told) Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error {
	t.answers = append(t.answers, [3]int{dst, tag, int(elements[answer](buf)[0].Code)})
	return t.instant.Send(key, dst, tag, mode, buf)
}

// A server tells a rank that asks who has the lock that it waits for, again when another rank has got it, and that it
// tells nothing more.
func TestServersTellWhoHasALock(t *testing.T) {
	net := &told{}
	w, err := Join(Job{Size: 4, Transport: net})
	if err != nil {
		t.Fatal(err)
	}
	v := &served{c: w, writer: -1}
	for _, step := range []struct {
		r    request
		want [][3]int
	}{
		{request{What: askHolder, From: 3, Tag: 10, At: 8}, [][3]int{{3, 11, int(answerDone)}}}, // its request has been answered
		{request{What: askLock, From: 1, Tag: 20, Flag: 1}, [][3]int{{1, 21, int(answerDone)}}},
		{request{What: askLock, From: 2, Tag: 20}, nil},
		{request{What: askLock, From: 3, Tag: 20, Flag: 1}, nil},
		{request{What: askHolder, From: 3, Tag: 30, At: 20}, [][3]int{{3, 31, int(answerHeld) + 1}}},
		{request{What: askLock, From: 0, Tag: 20, Flag: 1}, nil}, // it changes nothing for the others
		{request{What: askHolder, From: 0, Tag: 40, At: 20, Bytes: 2}, [][3]int{{0, 41, int(answerHeld) + 1}}},
		{request{What: askUnlock, From: 1, Tag: 50, Flag: 1}, [][3]int{{1, 51, 0}, {2, 21, 0}, {3, 31, int(answerHeld) + 2}, {0, 41, int(answerHeld) + 2}}},
		{request{What: askWithdraw, From: 0, Tag: 20}, [][3]int{{0, 21, int(answerWithdrawn)}, {0, 41, int(answerDone)}}},
		{request{What: askUnlock, From: 2, Tag: 60}, [][3]int{{2, 61, 0}, {3, 21, 0}, {3, 31, int(answerDone)}}},
	} {
		net.answers = nil
		if err := v.answer(&step.r); err != nil || !slices.Equal(net.answers, step.want) {
			t.Errorf("%+v: %v, answers %v, want %v", step.r, err, net.answers, step.want)
		}
	}
	if len(v.curious) != 0 || v.holder() != 3 {
		t.Errorf("%d ranks wait for answers, and rank %d has the lock", len(v.curious), v.holder())
	}
	net.err = llc.ErrRefused
	v.queue, v.curious = []request{{From: 1, Tag: 20}}, []request{{From: 1, Tag: 70, At: 20}}
	if err := v.tell(); err == nil {
		t.Error("a server goes on without a network")
	}
}

// Requests to a server, and its answers, allocate nothing.
func TestRequestsToServersAllocateNothing(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("counting statements keeps calls from being inlined, and so requests from the stack")
	}
	w := alone(t, &instant{bytes: -1})
	v := newServed(w, make([]byte, 64), false)
	buf := make([]byte, 8)
	for name, do := range map[string]func() error{
		"put":        func() error { return v.put(0, 8, buf) },
		"get":        func() error { return v.get(0, 8, buf) },
		"answer put": func() error { return v.answer(&request{What: askPut, At: 8, Bytes: 8, Tag: firstData}) },
		"answer get": func() error { return v.answer(&request{What: askGet, At: 8, Bytes: 8, Tag: firstData}) },
	} {
		if err := do(); err != nil { // the first one makes what the others use
			t.Errorf("%s: %v", name, err)
		}
		if n := testing.AllocsPerRun(100, func() { _ = do() }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	v.user.name = "another"
	if _, label := v.asks.take("Put", v.user.name); label != "Put window another" {
		t.Errorf("after SetName the label is %q", label)
	}
}
