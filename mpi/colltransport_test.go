package mpi_test

import (
	"sync"
	"testing"

	"rhinet/collectives"
	"rhinet/collectives/colltest"
	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// Every algorithm of every collective operation works on the transports of this
// package, as on the transport of its own tests.
func TestEveryAlgorithmOnEveryTransport(t *testing.T) {
	sizes := []int{1, 2, 3, 5, 8}
	if testing.Short() {
		sizes = []int{3}
	}
	for _, tr := range transports {
		t.Run(tr.name, func(t *testing.T) {
			colltest.Run(t, func(t testing.TB, n int) []collectives.Transport { return collectiveTransports(t, n, tr.option) }, sizes...)
		})
	}
}

// collectiveTransports returns those of the worlds of n ranks, which live until t ends.
func collectiveTransports(t testing.TB, n int, option mpitest.Option) []collectives.Transport {
	ts := make([]collectives.Transport, n)
	var ready sync.WaitGroup
	ready.Add(n)
	end, ended := make(chan struct{}), make(chan error)
	go func() {
		ended <- mpitest.World(n, func(w *mpi.Comm) error {
			ts[w.Rank()] = mpi.CollectiveTransport(w)
			ready.Done()
			<-end
			return nil
		}, option, mpitest.Timeout(0))
	}()
	ready.Wait()
	t.Cleanup(func() {
		close(end)
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return ts
}
