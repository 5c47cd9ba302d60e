package port

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// TestWaiting: a goroutine that sleeps on the doorbell or is parked waits; one that has been served does not.
func TestWaiting(t *testing.T) {
	_, ps := openSleeper(t)
	waiting := func(n int) {
		inTime(t, "goroutines to wait", func() {
			for ps[0].Waiting() != n {
				runtime.Gosched()
			}
		})
	}
	waiting(0)
	done := make(chan struct{})
	for tag := range 2 {
		go func() {
			recv(t, ps[0], 0, 1, tag, payload(1, 8))
			done <- struct{}{}
		}()
	}
	waiting(2)
	for tag := range 2 {
		send(t, ps[1], 0, 0, tag, payload(1, 8))
		inTime(t, "Recv", func() { <-done })
	}
	waiting(0)
}

// TestEndedTasksAreNotDescribed: a goroutine that has waited for a task which another one has completed says nothing
// of it: what describes the task may be in use for its next call.
func TestEndedTasksAreNotDescribed(t *testing.T) {
	nics := nictest.Loopback(2, nictest.DefaultCaps())
	rep := &reporter{Translator: nics[0]}
	p := openNICs(t, []ir.Translator{rep, nics[1]})[0]
	describe := func(k *Task) int {
		_, before, _ := rep.last()
		p.lock()
		defer p.gate.leave()
		p.describe(&waiter{kind: waitTask, task: k})
		_, after, _ := rep.last()
		return after - before
	}
	if n := describe(&Task{Call: "Ibcast", state: taskWaits}); n != 1 {
		t.Errorf("%d reports of a task that waits, want 1", n)
	}
	if n := describe(&Task{Call: "Ibcast", state: taskOver}); n != 0 {
		t.Errorf("%d reports of a task that is over, want none", n)
	}
}

// TestAttendIsNotReported: a goroutine that attends the end of a task is no call of the program, and one that joins
// it beside that is.
func TestAttendIsNotReported(t *testing.T) {
	nics := nictest.Loopback(2, nictest.DefaultCaps())
	rep := &reporter{Translator: nics[0]}
	ps := openNICs(t, []ir.Translator{rep, nics[1]})
	r := &llc.Request{Peer: 1, Context: 6, Tag: 1}
	ps[0].Start(r, false)
	k := &Task{Call: "Ibcast"}
	k.Work = concluder{ps[0], k}
	if ps[0].When(k, r, nil) {
		t.Fatal("the request is done")
	}
	var wg sync.WaitGroup
	wg.Go(func() { ps[0].Attend(k) })
	eventually(t, "asleep", func() bool { return napping(ps[0]) && parked(ps[0]) >= 1 })
	if w, n, _ := rep.last(); n != 0 {
		t.Errorf("%+v is reported while no call waits", w)
	}
	wg.Go(func() { ps[0].Join(k, "") })
	eventually(t, "reported", func() bool { _, n, _ := rep.last(); return n > 0 })
	if w, _, _ := rep.last(); w.Call != "Ibcast" || w.More != 0 {
		t.Errorf("reported %+v, want Ibcast alone", w)
	}
	send(t, ps[1], 6, 0, 1, nil)
	inTime(t, "waits", wg.Wait)
}

// A concluder ends a task at its first step.
type concluder struct {
	p *Port
	k *Task
}

func (c concluder) Step() { c.p.Conclude(c.k) }

// Goroutines that wait for a request each are found by their requests; those that wait for one of several, or for the
// request of another one, are searched for. All are woken, whatever the order.
func TestManyGoroutinesWait(t *testing.T) {
	const n, pairs = 100, 20
	ps := open(t, 2)
	p := ps[0]
	var all sync.WaitGroup
	for tag := range n {
		all.Go(func() { recv(t, p, 0, 1, tag, payload(tag, 8)) })
	}
	eventually(t, "all wait", func() bool { return parked(p) >= n-1 }) // one may poll
	p.gate.enter()
	if s := p.waiters.searched; s != 0 {
		t.Errorf("%d goroutines that wait for a request of their own are searched for", s)
	}
	p.gate.leave()
	for tag := range pairs {
		r := &llc.Request{Peer: 1, Tag: n + tag, Buf: make([]byte, 8)}
		p.Start(r, false)
		all.Go(func() { p.Wait(r) })
		all.Go(func() { p.Wait(r) })
		all.Go(func() { p.WaitAny("WaitAny", []*llc.Request{r}, nil) })
	}
	eventually(t, "all wait", func() bool { return p.Waiting() >= n+3*pairs-1 })
	for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(n + pairs) {
		send(t, ps[1], 0, 0, i, payload(i, 8))
	}
	inTime(t, "all", all.Wait)
	if l := &p.waiters; l.searched != 0 || len(l.watching) != 0 || l.first != nil || len(l.made) > n+3*pairs+1 {
		t.Errorf("left over: %d to search for, %d that watch, %d made", l.searched, len(l.watching), len(l.made))
	}
}

// All goroutines that wait for one request go on when it is done, also while another one polls for something else.
func TestWaitsForOneRequest(t *testing.T) {
	ps := open(t, 2)
	var last sync.WaitGroup
	last.Go(func() { recv(t, ps[0], 0, 1, 2, payload(2, 8)) })
	eventually(t, "the first one sleeps", func() bool { return napping(ps[0]) })
	r := &llc.Request{Peer: 1, Tag: 1, Buf: make([]byte, 8)}
	ps[0].Start(r, false)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { ps[0].Wait(r) })
	}
	eventually(t, "all wait", func() bool { return parked(ps[0]) == 3 })
	send(t, ps[1], 0, 0, 1, payload(1, 8))
	inTime(t, "both", both.Wait)
	send(t, ps[1], 0, 0, 2, payload(2, 8))
	inTime(t, "the first one", last.Wait)
}
