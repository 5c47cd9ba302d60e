// Package colltest has one test suite for every row of the table of collectives, which
// runs on any transport, and a transport in memory whose ranks are goroutines.
//
// The suite compares results with a reference implementation, which computes them
// directly from the contributions of all ranks.
package colltest

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"rhinet/collectives"
)

// Memory configures a world in memory.
type Memory struct {
	// Eager makes sends complete at once; otherwise a send completes when its receive
	// has been posted, which exposes cyclic waits.
	Eager bool
	// Slots is how many transfers a rank may have in progress; 0 means 64.
	Slots int
	// ExchangeBytes is the largest contribution to an exchange; 0 means that there are
	// no exchanges.
	ExchangeBytes int
	// SwitchBytes is the same for the exchanges of a Switched.
	SwitchBytes int
}

// A World connects ranks that are goroutines of this process.
type World struct {
	config Memory
	mu     sync.Mutex
	change *sync.Cond // broadcast at each completion
	ranks  []*rank
	moved  uint64         // messages and exchanges so far
	rounds map[int]*round // by number, until all have ended them
}

// A rank is one process's transport. Its fields are guarded by the world's lock.
type rank struct {
	w     *World
	id    int
	slots []transfer
	sends []*transfer // to this rank, without a receive, in order
	recvs []*transfer // of this rank, without a send, in order

	round   *round // the exchange of this rank that is not complete
	number  int    // of its exchanges so far
	in, out []byte // its buffers
}

type transfer struct {
	from, to, tag int
	buf           []byte
	posted, done  bool
	err           error
}

// A round is one exchange, with the contributions of the ranks.
type round struct {
	flow  collectives.Flow
	root  int
	parts [][]byte // nil: not contributed yet
	ended int      // ranks for which it is over
}

// NewWorld makes a world of n ranks.
func NewWorld(n int, m Memory) *World {
	if m.Slots == 0 {
		m.Slots = 64
	}
	w := &World{config: m, rounds: map[int]*round{}}
	w.change = sync.NewCond(&w.mu)
	for i := range n {
		w.ranks = append(w.ranks, &rank{w: w, id: i, slots: make([]transfer, m.Slots)})
	}
	return w
}

// Transports returns the transport of each rank. They also implement Exchange and
// Awaiter.
func (w *World) Transports() []collectives.Transport {
	ts := make([]collectives.Transport, len(w.ranks))
	for i, r := range w.ranks {
		ts[i] = r
	}
	return ts
}

var (
	_ collectives.Transport = (*rank)(nil)
	_ collectives.Exchange  = (*rank)(nil)
	_ collectives.Awaiter   = (*rank)(nil)
)

func (r *rank) Rank() int  { return r.id }
func (r *rank) Size() int  { return len(r.w.ranks) }
func (r *rank) Slots() int { return len(r.slots) }

func (r *rank) Isend(slot int, buf []byte, dst, tag int) error {
	return r.post(slot, transfer{from: r.id, to: dst, tag: tag, buf: buf}, true)
}

func (r *rank) Irecv(slot int, buf []byte, src, tag int) error {
	return r.post(slot, transfer{from: src, to: r.id, tag: tag, buf: buf}, false)
}

func (r *rank) post(slot int, x transfer, send bool) error {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	s := &r.slots[slot]
	switch {
	case s.posted:
		return fmt.Errorf("colltest: slot %d of rank %d is in use", slot, r.id)
	case x.from == x.to:
		return fmt.Errorf("colltest: rank %d sends to itself", r.id)
	case x.tag < 0 || x.tag > collectives.MaxTag:
		return fmt.Errorf("colltest: tag %d", x.tag)
	}
	*s = x
	s.posted = true
	to := r.w.ranks[x.to]
	if !send {
		if m := take(&to.sends, &x); m != nil {
			r.w.move(m, s)
		} else {
			to.recvs = append(to.recvs, s)
		}
		return nil
	}
	if m := take(&to.recvs, &x); m != nil {
		r.w.move(s, m)
		return nil
	}
	if r.w.config.Eager {
		c := x
		c.buf = append([]byte{}, x.buf...)
		to.sends = append(to.sends, &c)
		s.done = true
		return nil
	}
	to.sends = append(to.sends, s)
	return nil
}

// take removes the first transfer that matches x.
func take(queue *[]*transfer, x *transfer) *transfer {
	for i, y := range *queue {
		if y.from == x.from && y.to == x.to && y.tag == x.tag {
			*queue = append((*queue)[:i], (*queue)[i+1:]...)
			return y
		}
	}
	return nil
}

func (w *World) move(send, recv *transfer) {
	if n := copy(recv.buf, send.buf); n != len(send.buf) || n != len(recv.buf) {
		recv.err = fmt.Errorf("colltest: %d bytes from %d to %d, %d expected", len(send.buf), send.from, send.to, len(recv.buf))
	}
	send.done, recv.done = true, true
	w.moved++
	w.change.Broadcast()
}

func (r *rank) Wait(first, last int) error {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	for {
		if done, err := r.test(first, last); done {
			return err
		}
		r.w.change.Wait()
	}
}

func (r *rank) Test(first, last int) (bool, error) {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	return r.test(first, last)
}

func (r *rank) test(first, last int) (bool, error) {
	var err error
	for i := range r.slots[first:last] {
		if s := &r.slots[first+i]; s.posted && !s.done {
			return false, nil
		}
	}
	for i := range r.slots[first:last] {
		s := &r.slots[first+i]
		if err == nil {
			err = s.err
		}
		*s = transfer{}
	}
	return true, err
}

// Await calls done again after each message and each exchange.
func (r *rank) Await(done func() bool) {
	w := r.w
	for {
		w.mu.Lock()
		seen := w.moved
		w.mu.Unlock()
		if done() {
			return
		}
		w.mu.Lock()
		for w.moved == seen {
			w.change.Wait()
		}
		w.mu.Unlock()
	}
}

func (r *rank) ExchangeBytes() int { return r.w.config.ExchangeBytes }

func (r *rank) Exchange(f collectives.Flow, root int, in, out []byte) error {
	return r.exchange(f, root, in, out, r.w.config.ExchangeBytes)
}

func (r *rank) exchange(f collectives.Flow, root int, in, out []byte, most int) error {
	if err := r.startExchange(f, root, in, out, most); err != nil {
		return err
	}
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	for !r.exchanged() {
		r.w.change.Wait()
	}
	return r.collect()
}

// A switching is a rank whose network has switches that make exchanges.
type switching struct{ *rank }

// Switch returns those exchanges, which have a limit of their own.
func (r *rank) Switch() collectives.Exchange {
	if r.w.config.SwitchBytes == 0 {
		return nil
	}
	return switching{r}
}

func (s switching) ExchangeBytes() int { return s.w.config.SwitchBytes }

func (s switching) Exchange(f collectives.Flow, root int, in, out []byte) error {
	return s.exchange(f, root, in, out, s.w.config.SwitchBytes)
}

func (s switching) ExchangeStart(f collectives.Flow, root int, in, out []byte) error {
	return s.startExchange(f, root, in, out, s.w.config.SwitchBytes)
}

// gives and takes report what this rank does in a round.
func (r *rank) gives(now *round) bool {
	return now.flow.Together() || (r.id == now.root) == (now.flow == collectives.FromRoot)
}

func (r *rank) takes(now *round) bool {
	return now.flow.Together() || (r.id == now.root) == (now.flow == collectives.ToRoot)
}

func (r *rank) ExchangeStart(f collectives.Flow, root int, in, out []byte) error {
	return r.startExchange(f, root, in, out, r.w.config.ExchangeBytes)
}

func (r *rank) startExchange(f collectives.Flow, root int, in, out []byte, most int) error {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	if r.round != nil {
		return fmt.Errorf("colltest: rank %d begins an exchange within another", r.id)
	}
	now := r.w.rounds[r.number]
	if now == nil {
		now = &round{flow: f, root: root, parts: make([][]byte, r.Size())}
		r.w.rounds[r.number] = now
	}
	all, fits := f != collectives.FromRoot, len(out) == len(in)*r.Size()
	if f == collectives.Uneven {
		fits = len(out) >= len(in)*r.Size() && len(out)%r.Size() == 0
	}
	switch {
	case now.flow != f || !f.Together() && now.root != root:
		return fmt.Errorf("colltest: rank %d exchanges as %d with root %d, others as %d with root %d", r.id, f, root, now.flow, now.root)
	case len(in) > most || r.takes(now) && all && !fits || !r.takes(now) && len(out) != 0:
		return fmt.Errorf("colltest: exchange of %d bytes into %d", len(in), len(out))
	}
	r.number++
	r.round, r.in, r.out = now, in, out
	if all || r.gives(now) {
		now.parts[r.id] = append([]byte{}, in...)
		r.w.moved++
		r.w.change.Broadcast()
	}
	return nil
}

func (r *rank) ExchangeTest() (bool, error) {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	if !r.exchanged() {
		return false, nil
	}
	return true, r.collect()
}

// exchanged reports whether everything that this rank receives has been contributed.
func (r *rank) exchanged() bool {
	now := r.round
	if !r.takes(now) {
		return true
	}
	if now.flow == collectives.FromRoot {
		return now.parts[now.root] != nil
	}
	return !slices.ContainsFunc(now.parts, func(p []byte) bool { return p == nil })
}

// collect ends the exchange.
func (r *rank) collect() error {
	now, n, out := r.round, len(r.in), r.out
	r.round, r.in, r.out = nil, nil, nil
	if now.ended++; now.ended == r.Size() {
		delete(r.w.rounds, r.number-1)
	}
	parts := now.parts
	switch {
	case !r.takes(now):
		return nil
	case now.flow == collectives.FromRoot:
		parts, n = parts[now.root:now.root+1], len(out)
	case now.flow == collectives.Uneven:
		n = len(out) / r.Size()
	}
	for i, part := range parts {
		if len(part) > n || len(part) < n && now.flow == collectives.AllToAll {
			return fmt.Errorf("colltest: exchange: part %d has %d bytes, rank %d takes %d", i, len(part), r.id, n)
		}
		if now.flow == collectives.Uneven && i == r.id {
			part = bytes.Repeat([]byte{0xA5}, n) // nobody may rely on it
		}
		copy(out[i*n:], part)
	}
	return nil
}
