package traffic

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"rhinet/mpi"
)

// An exchange is one rank's part of an exchange.
type exchange struct {
	l       *lane
	s       *Step
	c       *mpi.Comm
	rank    int // in the world
	members []int
	j       *judge
}

// An op is a message to send or a receive to post: message is the number of the message, and receive that
// of the receive among this rank's receives, or -1.
type op struct{ message, receive int }

func (l *lane) exchange(c *mpi.Comm, s *Step, members []int, local int) error {
	x := &exchange{l: l, s: s, c: c, rank: l.rank, members: members}
	x.j = newJudge(x)
	time.Sleep(s.Naps[x.rank])
	if err := x.run(); err != nil {
		return err
	}
	if got := x.j.judged; s.Styles[x.rank] != Concurrent && got != len(x.j.list) {
		return fmt.Errorf("%d receives of %d were judged", got, len(x.j.list))
	}
	if s.Fence {
		return mpi.Barrier(c)
	}
	return nil
}

func (x *exchange) local(world int) int { return slices.Index(x.members, world) }

func (x *exchange) key(message int) key { return x.l.key(message) }

// ops lists the operations of this rank, in order of number.
func (x *exchange) ops(sends, receives bool) []op {
	var list []op
	n := 0
	for i := range x.s.Messages {
		m := &x.s.Messages[i]
		if sends && m.From == x.rank {
			list = append(list, op{i, -1})
		}
		if m.To == x.rank {
			if receives {
				list = append(list, op{i, n})
			}
			n++
		}
	}
	return list
}

func (x *exchange) run() error {
	switch x.s.Styles[x.rank] {
	case Serial:
		return x.newWorker(0).serial(x.ops(true, true))
	case Burst:
		return x.burst()
	case Concurrent:
		return x.concurrent()
	}
	return together(
		func() error { return x.newWorker(0).serial(x.ops(true, false)) },
		func() error { return x.newWorker(1).serial(x.ops(false, true)) },
	)
}

// together runs all jobs concurrently and returns the first error at once.
func together(jobs ...func() error) error {
	errs := make(chan error, len(jobs))
	for _, job := range jobs {
		go func() { errs <- job() }()
	}
	for range jobs {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

// burst starts all transfers, receives first or in order, and then completes all.
func (x *exchange) burst() error {
	w := x.newWorker(0)
	w.window = 1 << 30
	ops := x.ops(true, true)
	if w.rng.IntN(2) == 0 {
		ops = append(x.ops(false, true), x.ops(true, false)...)
	}
	for _, o := range ops {
		if err := w.begin(o); err != nil {
			return err
		}
	}
	if x.s.During != nil {
		if err := x.s.During.run(x.c, func(n int) key { return x.l.key(-1 - n) }); err != nil {
			return err
		}
	}
	return w.drain(0)
}

// concurrency is how many goroutines send, and how many receive.
const concurrency = 3

func (x *exchange) concurrent() error {
	var jobs []func() error
	sends, receives := x.ops(true, false), x.ops(false, true)
	var mu sync.Mutex
	next := func() (op, bool) {
		mu.Lock()
		defer mu.Unlock()
		if len(receives) == 0 {
			return op{}, false
		}
		o := receives[0]
		receives = receives[1:]
		return o, true
	}
	for k := range concurrency {
		var mine []op
		for _, o := range sends {
			if x.s.Messages[o.message].To%concurrency == k {
				mine = append(mine, o)
			}
		}
		jobs = append(jobs, func() error { return x.newWorker(k).serial(mine) })
		m := &member{x.j, map[int]int{}}
		jobs = append(jobs, func() error {
			for {
				o, more := next()
				if !more {
					return nil
				}
				if err := x.takeOne(m, o); err != nil {
					return err
				}
			}
		})
	}
	return together(jobs...)
}

// takeOne is one receive by one of several goroutines.
func (x *exchange) takeOne(c *member, o op) error {
	m := &x.s.Messages[o.message]
	time.Sleep(m.Nap)
	a := x.j.arrival(o.receive)
	src, tag := x.j.wanted(o.receive)
	var st mpi.Status
	var err error
	if m.Recv == Irecv {
		st, err = mpi.Irecv(x.c, a.buf, src, tag).Wait()
	} else {
		st, err = mpi.Recv(x.c, a.buf, src, tag)
	}
	return c.take(a, st, err)
}

// A worker is one goroutine that executes ops in order, with some transfers pending.
type worker struct {
	x       *exchange
	rng     *rand.Rand
	window  int
	pending []pending
}

// A pending is a pending transfer with the function to call on its completion.
type pending struct {
	req  *mpi.Request
	send bool
	done func(mpi.Status, error) error
}

func (x *exchange) newWorker(n int) *worker {
	return &worker{x: x, rng: rand.New(rand.NewPCG(uint64(x.key(x.rank)), uint64(n))), window: x.s.Windows[x.rank]}
}

func (w *worker) serial(ops []op) error {
	for i := 0; i < len(ops); i++ {
		var err error
		if with := w.x.partner(ops, i); with > 0 {
			err = w.sendrecv(ops[i], ops[i+with])
			i += with
		} else {
			err = w.begin(ops[i])
		}
		if err == nil {
			err = w.drain(w.window)
		}
		if err != nil {
			return err
		}
	}
	return w.drain(0)
}

// partner returns 1 if op i is combined with the next one in a Sendrecv, or else 0.
func (x *exchange) partner(ops []op, i int) int {
	if i+1 >= len(ops) {
		return 0
	}
	a, b := ops[i], ops[i+1]
	self := a.message == b.message // to this rank itself, whose receive comes second
	if self || a.receive >= 0 && b.receive < 0 && x.s.Messages[b.message].Pairs && x.s.Messages[a.message].To == x.rank && x.s.Messages[a.message].From != x.rank {
		return 1
	}
	return 0
}

// drain completes transfers until at most most are pending.
func (w *worker) drain(most int) error {
	for len(w.pending) > most {
		i := 0
		var st mpi.Status
		var err error
		switch w.rng.IntN(5) {
		case 0, 1:
			st, err = w.pending[0].req.Wait()
		case 2, 3:
			reqs := make([]*mpi.Request, len(w.pending))
			for k := range reqs {
				reqs[k] = w.pending[k].req
			}
			i, st, err = mpi.WaitAny(reqs...)
		default:
			if n := w.sends(); n > 0 && w.rng.IntN(2) == 0 {
				if err := w.waitSends(); err != nil {
					return err
				}
				continue
			}
			i, st, err = w.test()
		}
		p := w.pending[i]
		w.pending = slices.Delete(w.pending, i, i+1)
		if err := p.done(st, err); err != nil {
			return err
		}
	}
	return nil
}

// sends counts the pending sends.
func (w *worker) sends() (n int) {
	for _, p := range w.pending {
		if p.send {
			n++
		}
	}
	return n
}

// waitSends completes all sends with one WaitAll.
func (w *worker) waitSends() error {
	var reqs []*mpi.Request
	var rest, gone []pending
	for _, p := range w.pending {
		if p.send {
			reqs, gone = append(reqs, p.req), append(gone, p)
		} else {
			rest = append(rest, p)
		}
	}
	w.pending = rest
	if err := mpi.WaitAll(reqs...); err != nil {
		return err
	}
	for _, p := range gone {
		if err := p.done(mpi.Status{}, nil); err != nil {
			return err
		}
	}
	return nil
}

// test tests one transfer after the other until one is complete.
func (w *worker) test() (int, mpi.Status, error) {
	for tries := 0; ; tries++ {
		i := tries % len(w.pending)
		if st, done, err := w.pending[i].req.Test(); done {
			return i, st, err
		}
		idle(tries)
	}
}

// idle waits between the polls of a loop.
func idle(tries int) {
	if tries%16 == 15 {
		time.Sleep(50 * time.Microsecond)
	} else {
		runtime.Gosched()
	}
}
