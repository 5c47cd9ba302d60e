package port

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/llc"
)

// A relay is a task of several rounds: in each it sends to a peer and receives from it.
type relay struct {
	Task
	p         *Port
	peer, tag int
	rounds    int
	round     int
	out, in   *llc.Request
	inside    atomic.Int32 // goroutines in Step
	steps     atomic.Int32
	note      func() // called in each Step, if not nil
	bad       error
}

func newRelay(p *Port, peer, tag, rounds int) *relay {
	r := &relay{p: p, peer: peer, tag: tag, rounds: rounds}
	r.Work, r.Call = r, "relay"
	return r
}

// Step goes on. The goroutine that begins the task makes the first call.
func (r *relay) Step() {
	if r.inside.Add(1) != 1 {
		r.bad = errors.New("two goroutines carry a task on")
	}
	r.steps.Add(1)
	if r.note != nil {
		r.note()
	}
	for {
		if r.out != nil {
			if !r.in.Done() || !r.out.Done() {
				r.bad = errors.Join(r.bad, errors.New("carried on too early"))
			}
			if r.in.Status.Err != nil {
				r.bad = errors.Join(r.bad, r.in.Status.Err)
			} else if want := payload(r.round-1, 600); string(r.in.Buf) != string(want) {
				r.bad = errors.Join(r.bad, fmt.Errorf("round %d: wrong bytes", r.round-1))
			}
		}
		if r.round == r.rounds || r.bad != nil {
			r.inside.Add(-1)
			r.p.Conclude(&r.Task)
			return
		}
		r.out = &llc.Request{Peer: r.peer, Tag: r.tag, Buf: payload(r.round, 600)}
		r.in = &llc.Request{Peer: r.peer, Tag: r.tag, Buf: make([]byte, 600), Link: r.out}
		r.round++
		r.p.Start(r.in, false)
		r.p.Start(r.out, true)
		r.inside.Add(-1)
		if !r.p.When(&r.Task, r.in, nil) {
			return
		}
		r.inside.Add(1)
	}
}

// answer is the other side of a relay, in calls that wait.
func answer(t *testing.T, p *Port, peer, tag, rounds int) {
	for i := range rounds {
		recv(t, p, 0, peer, tag, payload(i, 600))
		send(t, p, 0, peer, tag, payload(i, 600))
	}
}

// Every call that makes progress carries tasks on; each task is in one goroutine at a time.
func TestTasksGoOnInCalls(t *testing.T) {
	const rounds, many = 20, 5
	message := func(p *Port) *llc.Request {
		r := &llc.Request{Peer: 1, Tag: 99, Buf: make([]byte, 8)}
		p.Start(r, false)
		return r
	}
	for name, call := range map[string]func(p *Port, all []*relay){
		"Join": func(p *Port, all []*relay) {
			for _, r := range slices.Backward(all) {
				p.Join(&r.Task, "")
			}
		},
		"Look": func(p *Port, all []*relay) {
			for _, r := range all {
				for !p.Look(&r.Task) {
				}
			}
		},
		"Recv":    func(p *Port, _ []*relay) { recv(t, p, 0, 1, 99, make([]byte, 8)) },
		"Wait":    func(p *Port, _ []*relay) { p.Wait(message(p)) },
		"WaitAny": func(p *Port, _ []*relay) { p.WaitAny("WaitAny", []*llc.Request{message(p)}, nil) },
		"WaitAll": func(p *Port, _ []*relay) { p.WaitAll(message(p)) },
		"WaitContext": func(p *Port, _ []*relay) {
			if err := p.WaitContext(context.Background(), message(p)); err != nil {
				t.Error(err)
			}
		},
		"Test": func(p *Port, _ []*relay) {
			for r := message(p); !p.Test(r); {
			}
		},
		"Probe": func(p *Port, _ []*relay) {
			p.ProbeUntil("Probe", 0, 1, 99, nil)
			recv(t, p, 0, 1, 99, make([]byte, 8))
		},
		"Await": func(p *Port, all []*relay) {
			p.Await("all", nil, func() bool {
				return !slices.ContainsFunc(all, func(r *relay) bool { return !r.Over() })
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			ps := open(t, 2)
			withoutHelper(t, ps[0]) // as if active: it would do the work
			both(t, ps, func(p *Port, self int) {
				if self == 1 {
					var wg sync.WaitGroup
					for tag := range many {
						wg.Go(func() { answer(t, p, 0, tag, rounds) })
					}
					wg.Wait()
					send(t, p, 0, 0, 99, make([]byte, 8))
					return
				}
				var all []*relay
				for tag := range many {
					r := newRelay(p, 1, tag, rounds)
					all = append(all, r)
					r.Step()
				}
				call(p, all)
				for tag, r := range all {
					if name == "Join" || name == "Look" || name == "Await" {
						continue
					}
					if p.Join(&r.Task, ""); r.bad != nil {
						t.Errorf("task %d: %v", tag, r.bad)
					}
				}
				for tag, r := range all {
					if r.bad != nil || r.round != rounds {
						t.Errorf("task %d, round %d: %v", tag, r.round, r.bad)
					}
				}
				if name == "Join" || name == "Look" || name == "Await" {
					recv(t, p, 0, 1, 99, make([]byte, 8))
				}
				if s := p.tasks; s.first != nil || s.due != nil || p.busy() || p.is(due) {
					t.Errorf("left over: %+v, busy %v", s, p.busy())
				}
			})
		})
	}
}

// The tasks of a rank that computes go on as well: the helper carries them on.
func TestTasksGoOnWithoutCalls(t *testing.T) {
	ps := open(t, 2)
	const rounds = 50
	r := newRelay(ps[0], 1, 1, rounds)
	r.Step()
	inTime(t, "the other side", func() { answer(t, ps[1], 0, 1, rounds) })
	eventually(t, "the end of the task", func() bool {
		ps[0].gate.enter()
		defer ps[0].gate.leave()
		return r.Over()
	})
	if r.bad != nil {
		t.Error(r.bad)
	}
	eventually(t, "the helper goes", func() bool {
		ps[0].gate.enter()
		defer ps[0].gate.leave()
		return ps[0].helper.away && ps[0].waiters.first == nil
	})
}

// While the helper waits for tasks, a waiting call takes over.
func TestCallsRelieveTheHelper(t *testing.T) {
	ps := open(t, 2)
	r := newRelay(ps[0], 1, 1, 1)
	r.Step()
	tends := func() bool {
		ps[0].gate.enter()
		defer ps[0].gate.leave()
		return ps[0].tasks.tender != nil && ps[0].is(asleep)
	}
	eventually(t, "the helper sleeps", tends)
	var wg sync.WaitGroup
	wg.Go(func() { recv(t, ps[0], 0, 1, 7, payload(1, 8)) })
	eventually(t, "it leaves the doorbell to a call", func() bool {
		ps[0].gate.enter()
		defer ps[0].gate.leave()
		return ps[0].tasks.tender == nil && ps[0].is(asleep)
	})
	send(t, ps[1], 0, 0, 7, payload(1, 8))
	inTime(t, "Recv", wg.Wait)
	answer(t, ps[1], 0, 1, 1)
	inTime(t, "Join", func() { ps[0].Join(&r.Task, "") })
	if r.bad != nil {
		t.Error(r.bad)
	}
}

// The helper that sleeps for tasks does not stay when another goroutine has ended the last of them: receives
// could not go by the lane.
func TestTheHelperWakesAfterTheLastTask(t *testing.T) {
	ps := open(t, 2)
	s := &script{p: ps[0], goOn: make(chan struct{})}
	s.Work = s
	r := &llc.Request{Peer: 1, Tag: 1, Buf: make([]byte, 8)}
	ps[0].Start(r, false)
	if ps[0].When(&s.Task, r, nil) {
		t.Fatal("a receive is done to which nobody sends")
	}
	eventually(t, "the helper sleeps", func() bool {
		ps[0].gate.enter()
		defer ps[0].gate.leave()
		return ps[0].tasks.tender != nil && ps[0].is(asleep)
	})
	close(s.goOn)
	ps[0].Stir(&s.Task)
	eventually(t, "nobody waits", func() bool { return parked(ps[0]) == 0 })
	send(t, ps[1], 0, 0, 1, make([]byte, 8))
	ps[0].Wait(r)
}

// A script is a task whose only step waits for a channel, like a long operation of a user.
type script struct {
	Task
	p    *Port
	goOn chan struct{}
	ran  func()
}

func (s *script) Step() {
	if s.ran != nil {
		s.ran()
	}
	if s.goOn != nil {
		<-s.goOn
	}
	s.p.Conclude(&s.Task)
}

// begin has s wait for a message with a tag, and returns its request.
func (s *script) begin(t *testing.T, p *Port, tag int) *llc.Request {
	t.Helper()
	s.p, s.Work = p, s
	r := &llc.Request{Peer: 1, Tag: tag, Buf: make([]byte, 8)}
	p.Start(r, false)
	if p.When(&s.Task, r, nil) {
		t.Fatal("a receive is done to which nobody sends")
	}
	return r
}

// Tasks go on in the order in which their last request was done, whatever the order in which they began.
func TestTasksGoOnInOrder(t *testing.T) {
	ps := open(t, 2)
	withoutHelper(t, ps[0])
	const n = 40
	var ran []int
	var all []*script
	for i := range n {
		s := &script{ran: func() { ran = append(ran, i) }}
		s.begin(t, ps[0], i)
		all = append(all, s)
	}
	var want []int
	for i := range n {
		i = i * 7 % n
		want = append(want, i)
		send(t, ps[1], 0, 0, i, make([]byte, 8))
	}
	for range 4 * n {
		ps[0].Perform(func() {}) // a progress call that carries nothing on
	}
	if len(ran) != 0 {
		t.Errorf("%v have gone on within Perform", ran)
	}
	for _, s := range all {
		ps[0].Join(&s.Task, "")
	}
	if !slices.Equal(ran, want) {
		t.Errorf("order %v, want %v", ran, want)
	}
}

// A long step holds up only the goroutine that carries it on: others wait, poll and carry on other tasks
// meanwhile.
func TestLongStepsHoldUpNoOther(t *testing.T) {
	ps := open(t, 2)
	long := &script{goOn: make(chan struct{})}
	began := make(chan struct{})
	long.ran = func() { close(began) }
	long.begin(t, ps[0], 1)
	var received, joined sync.WaitGroup
	joined.Go(func() { ps[0].Join(&long.Task, "") })
	eventually(t, "Join sleeps", func() bool { return parked(ps[0]) == 1 && napping(ps[0]) })
	received.Go(func() { recv(t, ps[0], 0, 1, 2, payload(2, 8)) })
	eventually(t, "Recv is parked", func() bool { return parked(ps[0]) == 2 && napping(ps[0]) })
	send(t, ps[1], 0, 0, 1, make([]byte, 8))
	inTime(t, "the step", func() { <-began })
	send(t, ps[1], 0, 0, 2, payload(2, 8))
	inTime(t, "Recv", received.Wait)
	short := &script{}
	short.begin(t, ps[0], 3)
	send(t, ps[1], 0, 0, 3, make([]byte, 8))
	inTime(t, "another task", func() { ps[0].Join(&short.Task, "") })
	close(long.goOn)
	inTime(t, "Join", joined.Wait)
}

// If a task becomes due in a call that carries nothing on, a sleeper is woken for it.
func TestStartWakesASleeperForTasks(t *testing.T) {
	_, ps := openSleeper(t)
	s := &script{}
	var wg sync.WaitGroup
	wg.Go(func() { recv(t, ps[0], 0, 1, 7, payload(1, 8)) })
	eventually(t, "a sleeper", func() bool { return napping(ps[0]) })
	s.begin(t, ps[0], 1)
	ps[0].gate.enter()
	s.stirred = true
	ps[0].stirTask(&s.Task) // as a progress call within Start would
	ps[0].gate.leave()
	eventually(t, "the end of the task", func() bool {
		ps[0].gate.enter()
		defer ps[0].gate.leave()
		return s.Over()
	})
	send(t, ps[1], 0, 0, 7, payload(1, 8))
	inTime(t, "Recv", wg.Wait)
	send(t, ps[1], 0, 0, 1, make([]byte, 8))
}

// Several goroutines begin, look at and wait for tasks, receive and send, all at the same time.
func TestTasksOfManyGoroutines(t *testing.T) {
	const threads, rounds = 4, 30
	ps := open(t, 3)
	both(t, ps, func(p *Port, self int) {
		var wg sync.WaitGroup
		for thread := range threads {
			wg.Go(func() {
				for i := range 6 {
					var all []*relay
					for peer := range ps {
						if peer != self {
							r := newRelay(p, peer, thread, rounds)
							all = append(all, r)
							r.Step()
						}
					}
					if i%2 == 0 {
						time.Sleep(time.Millisecond)
					}
					for j, r := range all {
						for (i+j)%3 == 0 && !p.Look(&r.Task) {
						}
						if p.Join(&r.Task, ""); r.bad != nil || r.round != rounds || int(r.steps.Load()) > rounds+1 {
							t.Errorf("round %d, %d steps: %v", r.round, r.steps.Load(), r.bad)
						}
					}
				}
			})
			wg.Go(func() {
				next, last := (self+1)%len(ps), (self+len(ps)-1)%len(ps)
				for i := range rounds {
					send(t, p, 1, next, thread, payload(i, 8))
					recv(t, p, 1, last, thread, payload(i, 8))
				}
			})
		}
		wg.Wait()
	})
}

// Beginning and carrying on a task allocates nothing.
func TestTasksDoNotAllocate(t *testing.T) {
	ps := open(t, 2)
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		buf := make([]byte, 8)
		for !stop.Load() {
			ps[1].Recv(0, 0, 1, buf)
			ps[1].Send(0, 0, 1, llc.Standard, buf)
		}
	})
	e := &echo{p: ps[0], r: &llc.Request{Peer: 1, Tag: 1, Buf: make([]byte, 8)}}
	buf := make([]byte, 8)
	round := func() {
		ps[0].Send(0, 1, 1, llc.Standard, buf)
		e.Task = Task{Work: e}
		ps[0].Start(e.r, false)
		if !ps[0].When(&e.Task, e.r, nil) {
			ps[0].Join(&e.Task, "")
		}
	}
	for range 50 {
		round()
	}
	if used := testing.AllocsPerRun(200, round); used != 0 {
		t.Errorf("%v allocations", used)
	}
	stop.Store(true)
	round()
	wg.Wait()
}

// An echo is a task that waits once.
type echo struct {
	Task
	p *Port
	r *llc.Request
}

func (e *echo) Step() { e.p.Conclude(&e.Task) }
