package endpoint

import (
	"sync"
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// A Queue is a queue of events that the system can wait for.
type Queue interface {
	// Await blocks until there is an event, and returns true, or until Release, and returns false. It runs
	// beside all other calls.
	Await() bool
	Release()
}

// A Watch rings the doorbell of its rank when a queue has an event: a rank sleeps on one thing only, which
// peers on its host ring as well. Its goroutine waits in the system while the queue is empty, and otherwise
// for the next sleep.
type Watch struct {
	bell    fabric.Doorbell // a copy: what it remembers for ringing belongs to one goroutine
	queue   Queue
	wanted  chan struct{}
	busy    atomic.Bool // the goroutine waits for the queue
	stopped sync.WaitGroup
}

// Open begins to watch a queue.
func (w *Watch) Open(queue Queue, bell *fabric.Doorbell) {
	w.bell, w.queue, w.wanted = *bell, queue, make(chan struct{}, 1)
	w.stopped.Go(w.run)
}

func (w *Watch) run() {
	for range w.wanted {
		if !w.queue.Await() {
			return
		}
		w.busy.Store(false)
		w.bell.Ring()
	}
}

// Begin starts a watch of the queue, for a rank that is armed. If an earlier watch goes on, that one rings.
func (w *Watch) Begin() {
	if w.busy.CompareAndSwap(false, true) {
		w.wanted <- struct{}{}
	}
}

// Close ends the goroutine.
func (w *Watch) Close() {
	w.queue.Release()
	close(w.wanted)
	w.stopped.Wait()
}
