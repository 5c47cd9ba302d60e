package mpi

import (
	"hash/maphash"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"rhinet/collectives"
	"rhinet/internal/callsite"
	"rhinet/internal/observe"
	"rhinet/internal/onesided"
	"rhinet/llc/ir"
)

// A Job is what a rank must know to join its world. [Init] finds it in the environment;
// package mpitest, which places ranks otherwise, fills it in.
//
// Not in the standard.
type Job struct {
	Rank, Size int
	Transport  Transport
	// Host is the number of the host of the rank, in a job on several hosts.
	Host int
	// App is 1 more than the number of the program that the rank runs, see [AppNum]; 0: not known.
	App int
	// Abort ends the job with a status and does not return. nil ends the process.
	Abort func(status int)
	// Debug records where each request was made, for the report of Finalize.
	Debug bool
	// Check makes requests fail whose buffers overlap, or change while they are sent, and
	// has what else can be compared compared. It implies Debug, for the lines in its errors.
	Check bool
	// Patience is how long a collective call waits before the ranks compare their
	// calls, in a checked job; 0: 200 ms.
	Patience time.Duration
	// Forgotten, if set, is called for each request that the program can no longer
	// complete, because it has dropped the handle, with a description and the line that
	// made it.
	Forgotten func(string)
	// Collectives adjusts the choice of algorithms; it must be equal on all ranks.
	Collectives collectives.Options
	// Windows chooses how windows work; it must be equal on all ranks.
	Windows onesided.Ways
	// Processors is how many processors the ranks share, each beginning on the next
	// one; 0 if unknown. It affects only timing.
	Processors int
	// KeepGoing says that the job goes on when ranks die: see [Comm.Shrink].
	KeepGoing bool
	// Clock, if set, is the clock of a rank in virtual time.
	Clock ir.Clock
	// Observe, if set, records what the rank does.
	Observe *observe.Rank
	// release, if set, frees what the transport used, after its Close.
	release func() error
	// inWorld, if set, tells the launcher whether the process is in the world, and so must
	// call Finalize before it exits.
	inWorld func(bool)
	// park, if set, readies the process for its end after its last session or its world; over says
	// that it was in the world, which nobody expects it to leave any more. It may resume: open
	// sessions again.
	park   func(over bool) error
	resume func()
	// failed, if set, writes files that are due before the process ends with an error.
	failed func() error
}

// A world is the state of one rank: everything that outlives a communicator.
type world struct {
	Job
	elems    elemCache
	requests requestPool
	ids      idSpace
	spares   spares
	buffer   sendBuffer // for sends in buffered mode on communicators without their own

	self     *Comm         // see Self; nil: not asked for yet
	matched  atomic.Uint32 // messages that probes have matched so far
	partTags atomic.Uint64 // tags of partitions given out so far
	probed   probed        // messages that probes have matched and that were not received yet, in a checked job
	partners partners      // partitioned requests that may not have met their partners, in a checked job
	memory   memoryKeeper

	arbiter *arbiter // of a checked job; else nil

	failures *failureManager // of a job that goes on when ranks die; else nil

	departures departures // of communicators that were freed

	root      *Comm         // all processes, to make communicators of groups
	flagArray flagArraySlot // of the world communicator

	mu       sync.Mutex
	comms    map[*core]struct{} // those that Finalize must close
	windows  []*window          // those that have not been freed
	draining []contextID        // of communicators that were freed, in which receives wait
	users    int                // the world and sessions that have not been finalized
	made     bool               // the world communicator

	finalizing atomic.Bool // Finalize has begun

	parking sync.Mutex // held while users come and go
}

// Join makes the world communicator of one rank of job.
//
// Not in the standard.
func Join(job Job) (*Comm, error) {
	w, err := join(job, at("Init"))
	if err != nil {
		return nil, err
	}
	return w.makeWorld()
}

// makeWorld makes the world communicator, once.
func (w *world) makeWorld() (*Comm, error) {
	w.mu.Lock()
	again := w.made
	w.made = true
	w.mu.Unlock()
	if again {
		return nil, mayInit(stateActive)
	}
	c := &core{rank: w.Rank, size: w.Size, name: "world", id: worldID, flagArray: w.flagArray}
	if err := w.open(c, 0, w.Collectives); err != nil {
		return nil, w.root.because(at("Init"), ErrInit, err, "")
	}
	w.markWorld(true)
	return (&Comm{core: c}).bind(), nil
}

// enter counts one more user of w, and reports whether the transport is open.
func (w *world) enter() bool {
	w.parking.Lock()
	defer w.parking.Unlock()
	if w.users == 0 {
		if w.park == nil {
			return false
		}
		w.reopen()
	}
	w.mu.Lock()
	w.users++
	w.mu.Unlock()
	return true
}

// reopen starts what ended with the last user.
func (w *world) reopen() {
	w.resume()
	w.departures = departures{}
	if w.arbiter != nil {
		w.openArbiter(w.arbiter.t)
	}
	if w.failures != nil {
		w.failures.begin()
	}
}

// markWorld tells the launcher whether the process is in the world.
func (w *world) markWorld(in bool) {
	if w.inWorld != nil {
		w.inWorld(in)
	}
}

// join makes the state of one rank of job, with one user.
func join(job Job, s site) (*world, error) {
	if job.Size < 1 || job.Rank < 0 || job.Rank >= job.Size {
		var none *Comm
		return nil, none.errorAt(s, ErrInit, "rank %d of %d does not exist", job.Rank, job.Size)
	}
	if job.Abort == nil {
		job.Abort = os.Exit
	}
	plain := job.Transport
	w := &world{Job: job, comms: map[*core]struct{}{}, users: 1}
	w.Debug = w.Debug || w.Check
	if w.Debug {
		w.requests.lines = callsite.New("rhinet/mpi")
		w.requests.guards.seed = maphash.MakeSeed()
	}
	if job.Clock == nil {
		w.Transport = w.observed()
	}
	w.Transport = w.recorded()
	job.Transport = w.Transport
	w.ids.init(slotsOf(job.Transport))
	root := &core{w: w, t: job.Transport, rank: job.Rank, size: job.Size}
	w.flagArray = w.ids.first(job.Size, root.onHost(w))
	w.root = newComm(root)
	if job.KeepGoing && !w.survive() {
		return nil, w.root.errorAt(s, ErrInit, "this network interface does not tell who has died, so no job can go on after that; use another one, or no --keep-going")
	}
	w.openArbiter(plain)
	return w, nil
}

// open readies a communicator whose ranks, context and flag array are known. Exchanges
// on its flag array have used the sequence numbers up to seq.
func (w *world) open(c *core, seq uint64, o collectives.Options) error {
	var err error
	if c.t, err = w.transportOf(c); err != nil {
		return err
	}
	c.w, c.key = w, c.id.key()
	if c.members != nil {
		c.back = make([]int32, w.Size)
		for i := range c.back {
			c.back[i] = Undefined
		}
		for i, m := range c.members {
			c.back[m] = int32(i)
		}
	}
	c.coll.watch = w.Check && !c.private
	if c.inter != nil {
		c.coll.t = newCollTransport(c.inter.all.core)
		c.coll.t.note.Team, c.coll.t.note.Comm = c.inter.all.coll.t.note.Team, &c.name
	} else if err := c.coll.init(c, seq, o); err != nil {
		return err
	}
	c.observe()
	w.mu.Lock()
	w.comms[c] = struct{}{}
	w.mu.Unlock()
	switch {
	case w.failures == nil:
	case c.inter != nil:
		c.failures = c.inter.all.failures
	default:
		w.failures.attach(c)
	}
	return nil
}

// forget removes a freed communicator.
func (w *world) forget(c *core) {
	w.mu.Lock()
	delete(w.comms, c)
	w.mu.Unlock()
	w.arbiter.retire(c)
}
