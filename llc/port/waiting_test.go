package port

import (
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
