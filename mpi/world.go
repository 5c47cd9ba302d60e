package mpi

import (
	"os"
	"sync"
	"sync/atomic"

	"rhinet/collectives"
	"rhinet/llc/ir"
)

// A Job is what a rank must know to join its world. [Init] finds it in the
// environment; who places ranks otherwise, like package mpitest, fills it.
type Job struct {
	Rank, Size int
	Transport  Transport
	// Abort ends the job with a status; it does not return. nil ends the process.
	Abort func(status int)
	// Debug remembers where each request was made, so that Finalize can say it.
	Debug bool
	// Forgotten, if set, is told of each request that the program can no longer
	// complete, because it has dropped the handle: what it was, and where it was made.
	Forgotten func(string)
	// Collectives adjusts the choice of algorithms, equally on all ranks.
	Collectives collectives.Options
	// Processors is how many processors the ranks share, each beginning on the
	// next; 0 if that is not known. It changes nothing but timing.
	Processors int
	// Clock, if set, is that of a rank in virtual time.
	Clock ir.Clock
	// release, if set, gives back what the transport used, after its Close.
	release func() error
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

	mu      sync.Mutex
	comms   map[*core]struct{} // those that Finalize must close
	windows []*window          // those that nobody has freed
	over    bool
}

// Join makes the world communicator of one rank of job.
func Join(job Job) (*Comm, error) {
	var none *Comm
	if job.Size < 1 || job.Rank < 0 || job.Rank >= job.Size {
		return nil, none.errorAt(at("Init"), ErrInit, "rank %d of %d does not exist", job.Rank, job.Size)
	}
	if job.Abort == nil {
		job.Abort = os.Exit
	}
	w := &world{Job: job, comms: map[*core]struct{}{}}
	w.ids.init(job.Transport.Board())
	id, board := w.ids.first(job.Size)
	c := &core{rank: job.Rank, size: job.Size, name: "world", id: id, board: board}
	if err := w.open(c, 0, job.Collectives); err != nil {
		return nil, none.because(at("Init"), ErrInit, err, "")
	}
	return &Comm{core: c}, nil
}

// open readies a communicator whose ranks, context and board are known.
// Exchanges on its board so far have used the sequence numbers up to seq.
func (w *world) open(c *core, seq uint64, o collectives.Options) error {
	c.w, c.t, c.key = w, w.Transport, c.id.key()
	if c.members != nil {
		c.back = make([]int32, w.Size)
		for i := range c.back {
			c.back[i] = Undefined
		}
		for i, m := range c.members {
			c.back[m] = int32(i)
		}
	}
	if err := c.coll.init(c, seq, o); err != nil {
		return err
	}
	w.mu.Lock()
	w.comms[c] = struct{}{}
	w.mu.Unlock()
	return nil
}

// forget drops a freed communicator.
func (w *world) forget(c *core) {
	w.mu.Lock()
	delete(w.comms, c)
	w.mu.Unlock()
}
