package port

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// Stir ends a wait, also a later one; a request that was given up does not report to the task any more.
func TestStir(t *testing.T) {
	ps := open(t, 2)
	withoutHelper(t, ps[0])
	steps := 0
	s := &script{ran: func() { steps++ }}
	old := s.begin(t, ps[0], 1)
	ps[0].Stir(&s.Task)
	if steps != 1 || !s.Over() {
		t.Fatalf("%d steps, over %v", steps, s.Over())
	}
	if !ps[0].When(&s.Task, old, nil) {
		t.Error("a task waits after Stir")
	}
	again := &script{ran: func() { steps++ }}
	fresh := again.begin(t, ps[0], 2)
	old.Owner = &again.Task // whose it was before
	send(t, ps[1], 0, 0, 1, make([]byte, 8))
	ps[0].Wait(old)
	if steps != 1 || again.Over() {
		t.Error("a request that was given up has carried a task on")
	}
	send(t, ps[1], 0, 0, 2, make([]byte, 8))
	ps[0].Join(&again.Task, "")
	if steps != 2 || !fresh.Done() {
		t.Errorf("%d steps", steps)
	}
	ps[0].Stir(&again.Task) // too late: it changes nothing
	if steps != 2 || ps[0].is(due) {
		t.Errorf("%d steps, due %v", steps, ps[0].is(due))
	}
}

// Tasks of a port that is closed, or abandoned, end, and so do waits for them.
func TestTasksOfAClosedPort(t *testing.T) {
	for name, end := range map[string]func(p *Port){"Close": func(p *Port) { p.Close() }, "Abandon": (*Port).Abandon} {
		ps := open(t, 2)
		joined := &script{}
		joined.begin(t, ps[0], 1)
		var wg sync.WaitGroup
		wg.Go(func() { ps[0].Join(&joined.Task, "") })
		eventually(t, "somebody waits", func() bool { return ps[0].Waiting() > 0 })
		lone := &script{}
		lone.begin(t, ps[0], 2)
		never := false
		if cond := (&script{p: ps[0]}); ps[0].When(&cond.Task, nil, func() bool { return never }) {
			t.Error("a condition holds that does not")
		} else {
			cond.Work = cond
			end(ps[0])
			inTime(t, name, func() { ps[0].Join(&cond.Task, ""); ps[0].Join(&lone.Task, ""); wg.Wait() })
		}
		late := &script{p: ps[0]}
		if late.Work = late; !ps[0].When(&late.Task, &llc.Request{}, nil) {
			t.Errorf("%s: a task waits on a closed port", name)
		}
	}
}

// A task may wait for a condition, which every progress call and the helper evaluate.
func TestTasksWaitForConditions(t *testing.T) {
	for _, computes := range []bool{false, true} {
		ps := open(t, 1)
		ps[0].helper.away = computes
		var holds atomic.Bool
		s := &script{p: ps[0]}
		if s.Work = s; ps[0].When(&s.Task, nil, holds.Load) {
			t.Fatal("a condition holds that does not")
		}
		if ps[0].Look(&s.Task) {
			t.Error("over too early")
		}
		holds.Store(true)
		if computes {
			ps[0].Wake(0) // as the peer that changes it does
			eventually(t, "the end", func() bool {
				ps[0].gate.enter()
				defer ps[0].gate.leave()
				return s.Over()
			})
		}
		inTime(t, "Join", func() { ps[0].Join(&s.Task, "") })
		if !ps[0].When(&s.Task, nil, holds.Load) {
			t.Error("a condition that holds is waited for")
		}
		if ps[0].waiters.conds != 0 || ps[0].tasks.conds.first != nil || ps[0].busy() {
			t.Errorf("left over: %d conditions, of tasks: %v, busy %v", ps[0].waiters.conds, ps[0].tasks.conds.first != nil, ps[0].busy())
		}
	}
}

// A task may wait for requests and a condition, whichever comes first; requests that the condition has cut off
// report to the task no more.
func TestTasksWaitForRequestsOrACondition(t *testing.T) {
	for _, cutOff := range []bool{true, false} {
		ps := open(t, 2)
		withoutHelper(t, ps[0])
		var holds atomic.Bool
		steps := 0
		s := &script{p: ps[0], ran: func() { steps++ }}
		s.Work = s
		r := &llc.Request{Peer: 1, Tag: 1, Buf: make([]byte, 8)}
		ps[0].Start(r, false)
		if ps[0].When(&s.Task, r, holds.Load) {
			t.Fatal("neither has come")
		}
		if ps[0].Look(&s.Task) || steps != 0 {
			t.Error("over too early")
		}
		if holds.Store(cutOff); cutOff {
			inTime(t, "Join", func() { ps[0].Join(&s.Task, "") })
		}
		send(t, ps[1], 0, 0, 1, make([]byte, 8))
		ps[0].Wait(r)
		inTime(t, "Join", func() { ps[0].Join(&s.Task, "") })
		if steps != 1 {
			t.Errorf("cut off %v: %d steps", cutOff, steps)
		}
		if ps[0].waiters.conds != 0 || ps[0].tasks.conds.first != nil || ps[0].under() {
			t.Errorf("left over: %d conditions, of tasks: %v, under way %v", ps[0].waiters.conds, ps[0].tasks.conds.first != nil, ps[0].under())
		}
		never := func() bool { return false }
		if !ps[0].When(&s.Task, r, never) || !ps[0].When(&s.Task, &llc.Request{}, func() bool { return true }) {
			t.Error("what has come is waited for")
		}
	}
}

// After damage no wait lasts for ever: neither that of a task for a peer, nor one for a condition.
func TestTasksEndAfterDamage(t *testing.T) {
	nics := nictest.Loopback(3, nictest.DefaultCaps())
	p := New(Config{NIC: nics[0], Policy: oversubscribed()})
	defer p.Close()
	r, s := newRelay(p, 2, 1, 3), &script{p: p}
	r.Step()
	if s.Work = s; p.When(&s.Task, nil, func() bool { return false }) {
		t.Fatal("a condition holds that does not")
	}
	nics[1].Post(&ir.Command{Op: ir.Shared, Header: ir.Header{Kind: 255}})
	inTime(t, "tasks", func() { p.Join(&r.Task, ""); p.Join(&s.Task, "") })
	if !errors.Is(r.bad, llc.ErrPeerGone) || p.Failure() == nil {
		t.Errorf("task: %v, port: %v", r.bad, p.Failure())
	}
}

// A report names the transfer that a task waits for, or at least its call.
func TestReportsOfTasks(t *testing.T) {
	ps := open(t, 2)
	withoutHelper(t, ps[0])
	s := &script{}
	s.Call, s.Collective = "Ibarrier", &ir.Collective{Team: 7}
	r := s.begin(t, ps[0], 3)
	r.Label = "Iallreduce"
	for want, w := range map[ir.Waiting]Task{
		{Call: "Iallreduce", Peer: 1, Tag: 3, Bytes: 8, Collective: ir.Collective{Team: 7}}: s.Task,
		{Call: "Ibarrier", Collective: ir.Collective{Team: 7}}:                              {Call: s.Call, Collective: s.Collective},
		{Call: "Ibarrier", Peer: 1, Collective: ir.Collective{Flags: awaited(1)}}:           {Call: s.Call, Collective: &ir.Collective{Flags: awaited(1)}},
		{Call: "x"}: {Call: "x"},
	} {
		var got ir.Waiting
		if ps[0].describeTask(&got, &w); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	send(t, ps[1], 0, 0, 3, make([]byte, 8))
	ps[0].Join(&s.Task, "")
}
