package port

import (
	"runtime"
	"testing"

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
