package endpoint

import (
	"sync"
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// A Queue of events is one that the system can wait for.
type Queue interface {
	// Await blocks until there is something, and reports that, or until Release, and
	// reports false. It runs beside all other calls.
	Await() bool
	Release()
}

// A Watch rings the doorbell of its rank when a queue has something: a rank sleeps on
// one thing only, which peers on its host ring as well. Its goroutine waits in the
// system as long as the queue is empty, and else for the next sleep.
type Watch struct {
	bell    fabric.Doorbell // what a ringer remembers belongs to one goroutine
	queue   Queue
	wanted  chan struct{}
	busy    atomic.Bool // it waits for the queue
	stopped sync.WaitGroup
}

// Open begins to look after a queue.
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

// Begin has the queue be watched, by a rank that is armed. If an earlier watch goes on,
// that one rings.
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
