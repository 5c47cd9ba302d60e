package mpi

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Free ends the use of c. All its ranks must call it. Operations that are pending on c
// complete normally: a receive still gets its message, and a nonblocking collective call
// its data. Messages on c for which no receive waits on this rank are dropped, also those
// that arrive later, and a send that waits for such a receive fails with [ErrComm].
//
// Where collective calls on c use the NIC's flag array, as they may on 2 to 64 ranks, Free
// gives the other ranks a moment to call it too, and does not depend on it. In a checked
// job the moment is a second, so that a rank that makes another call instead is noticed.
//
// MPI 4.1, section 7.4.3.
func (c *Comm) Free() (err error) {
	defer c.raised(&err)
	s := at("Free")
	if err := c.check(s); err != nil && (c.isNull() || c.failures == nil || c.alive(s) != nil) {
		return err
	}
	if c.id == worldID {
		return c.errorAt(s, ErrComm, "the world cannot be freed; Finalize ends it")
	}
	if c.w.isSelf(c.core) {
		return c.errorAt(s, ErrComm, "Self cannot be freed; Finalize ends it")
	}
	if err := c.attrs.deleteAll(c, s); err != nil {
		return err
	}
	return c.release(s)
}

// release is Free of what may be freed and caches nothing. Operations may also be in
// progress on the inter-communicator that c belongs to.
func (c *Comm) release(s site, of ...*collState) error {
	if err := c.coll.await(c, s); err != nil {
		return err
	}
	defer c.coll.mu.Unlock()
	old := c.state.Swap(commFreed)
	if old == commFreed {
		return c.errorAt(s, ErrComm, "the communicator has been freed")
	}
	c.coll.launches.discard()
	if a := c.neighbors.Load(); a != nil {
		a.discard()
	}
	if c.inter != nil {
		c.w.forget(c.core)
		return c.inter.all.release(s, &c.coll)
	}
	turnDown(c.t, c.id) // now: others may wait for this before they call Free
	c.coll.begin(s.call, nil)
	c.coll.anew()                            // where a context has ended the ranks need not have made the same calls
	c.coll.sign(makeSign(callFree, 0, 0), 0) // here, where the line of the caller is known
	d := &departure{c: c, site: s, broken: old == commBroken, of: append(of, &c.coll)}
	k := &c.w.departures
	switch {
	case !d.rests():
		k.all.Go(func() {
			if poll(k.context(), d.rests) == nil {
				d.run()
			}
		})
	case !d.parts() || c.w.Clock != nil: // in virtual time a rank waits itself
		d.run()
	default:
		if !d.runFor(c.w.freeTime()) {
			c.w.forget(c.core)
			return nil
		}
	}
	c.w.forget(c.core)
	switch {
	case d.mismatch != nil:
		return c.told(s, d.mismatch)
	case d.err != nil && old != commBroken && c.failures == nil && !isGone(d.err): // others may have ended MPI
		return c.explain(s, d.err)
	}
	return nil
}

// freeTime is how long Free gives the other ranks to call it, too.
func (w *world) freeTime() time.Duration {
	if w.Check {
		return time.Second
	}
	return 10 * time.Millisecond
}

// A departure is what is left to do for a communicator that this rank has freed: once no
// operation is in progress on it, and no rank reads its flags any more, others may have
// its flag array and its context.
type departure struct {
	c      *Comm
	site   site
	of     []*collState // whose operations use it
	broken bool         // the use of the communicator has ended half-way

	mismatch *verdict
	err      error
}

// rests reports whether no collective operation is in progress.
func (d *departure) rests() bool {
	return allOf(d.of, func(k *collState) bool { return k.rests() })
}

// parts reports whether the ranks wait for each other.
func (d *departure) parts() bool { return d.c.flagArray != noFlagArray || d.c.coll.t.set.joined() }

// runFor is run, which goes on when the time is over. It reports whether it has ended.
func (d *departure) runFor(limit time.Duration) (ended bool) {
	done := make(chan struct{})
	d.c.w.departures.all.Go(func() {
		d.run()
		close(done)
	})
	late := time.NewTimer(limit)
	defer late.Stop()
	select {
	case <-done:
		return true
	case <-late.C:
		return false
	}
}

// run waits for the other ranks, if necessary, and gives back what c has used.
func (d *departure) run() {
	c, k := d.c, &d.c.w.departures
	if d.parts() {
		k.parting.Add(1)
		d.part()
		k.parting.Add(-1)
	}
	c.coll.t.set.leave(d.broken)
	if c.failures != nil {
		c.w.failures.detach(c.core)
	}
	if c.flagArray != noFlagArray && !d.broken { // if broken, ranks may not have seen its last flags
		c.w.ids.giveFlagArray(c.flagArray, c.coll.lastSeq())
	}
	c.w.drain(c.id)
}

// part waits until all ranks have freed c.
func (d *departure) part() {
	c := d.c
	ctx, stop := c.failureContext(), func() {}
	if ctx != nil && ctx.Err() != nil {
		// Ranks that do not know of the death yet learn of it, not of this call.
		d.broken = true
		return
	}
	if c.w.Clock == nil {
		ctx, stop = bothOf(ctx, c.w.departures.context())
	}
	defer stop()
	c.coll.t.ctx = ctx
	odd, err := c.coll.part()
	if h := c.coll.history; h != nil && odd && !d.broken {
		d.mismatch = c.w.arbiter.verdictOn(c.core, h.lastCall())
	}
	d.broken, d.err = d.broken || odd, err
}

// departures are those of a rank that have not ended.
type departures struct {
	all     sync.WaitGroup
	parting atomic.Int32 // that wait for other ranks

	once sync.Once
	ctx  context.Context // ends all
	stop context.CancelFunc
}

func (k *departures) context() context.Context {
	k.once.Do(func() { k.ctx, k.stop = context.WithCancel(context.Background()) })
	return k.ctx
}

// end gives the departures that wait for other ranks a second, and ends all.
func (k *departures) end() {
	_ = poll(context.Background(), timeout(time.Second, func() bool { return k.parting.Load() == 0 }))
	k.context()
	k.stop()
	k.all.Wait()
}

// timeout returns a condition that holds when cond does, and after a time.
func timeout(d time.Duration, cond func() bool) func() bool {
	end := time.Now().Add(d)
	return func() bool { return cond() || time.Now().After(end) }
}

// drain ends the use of a context, except for receives that wait. Its number is free
// once they have their messages.
func (w *world) drain(id contextID) {
	w.mu.Lock()
	w.draining = append(w.draining, id)
	w.mu.Unlock()
	w.drainAll()
}

// drainAll gives back the numbers of contexts in which no receive waits any more.
func (w *world) drainAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.draining = slices.DeleteFunc(w.draining, func(id contextID) bool {
		done := w.Transport.Drain(id.pointToPoint())+w.Transport.Drain(id.partitioned())+w.Transport.Drain(id.collective()) == 0
		if done {
			w.ids.give(id)
		}
		return done
	})
}
