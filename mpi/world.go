package mpi

import (
	"os"
	"sync"

	"rhinet/collectives"
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
	// Collectives adjusts the choice of algorithms, equally on all ranks.
	Collectives collectives.Options
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

	mu    sync.Mutex
	comms map[*core]struct{} // those that Finalize must close
	over  bool
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
	c, err := w.comm("world", job.Rank, nil, job.Size, id, board, 0)
	if err != nil {
		return nil, none.because(at("Init"), ErrInit, err, "")
	}
	return &Comm{core: c}, nil
}

// comm makes a communicator. members are world ranks, nil for the world.
func (w *world) comm(name string, rank int, members []int32, size int, id contextID, board boardSlot, seq uint64) (*core, error) {
	c := &core{w: w, t: w.Transport, rank: rank, size: size, members: members, name: name, id: id, board: board}
	c.p2p = id.pointToPoint()
	if members != nil {
		c.back = make([]int32, w.Size)
		for i := range c.back {
			c.back[i] = Undefined
		}
		for i, m := range members {
			c.back[m] = int32(i)
		}
	}
	if err := c.coll.init(c, seq); err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.comms[c] = struct{}{}
	w.mu.Unlock()
	return c, nil
}

// forget drops a freed communicator.
func (w *world) forget(c *core) {
	w.mu.Lock()
	delete(w.comms, c)
	w.mu.Unlock()
}
