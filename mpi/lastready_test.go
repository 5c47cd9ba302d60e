package mpi_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// A wait that sleeps until all partitions are ready ends when another goroutine names the last one, not when it would
// have looked again. MPI 4.1, section 4.2.3.
func TestPartitionWaitsEndWithTheLastPready(t *testing.T) {
	const tries, rounds, asleep, late = 4, 5, 60 * time.Millisecond, 20 * time.Millisecond
	for _, nic := range []string{"martini", "ib"} {
		var longest time.Duration
		for range tries { // a busy machine may be late once
			longest = 0
			mpitest.Run(t, 2, func(w *mpi.Comm) error {
				buf := make([]byte, 16)
				if w.Rank() == 1 {
					p, err := mpi.PrecvInit(w, buf, 2, 0, 3)
					for range rounds {
						if err == nil {
							err = p.Start()
						}
						_, waited := p.Wait()
						err = errors.Join(err, waited)
					}
					return errors.Join(err, p.Free())
				}
				p, err := mpi.PsendInit(w, buf, 2, 1, 3)
				for range rounds {
					if err == nil {
						err = errors.Join(p.Start(), p.Pready(0))
					}
					var last sync.WaitGroup
					var ready time.Time
					var failed error
					last.Go(func() {
						time.Sleep(asleep)
						ready = time.Now()
						failed = p.Pready(1)
					})
					_, waited := p.Wait()
					end := time.Now()
					last.Wait()
					longest = max(longest, end.Sub(ready))
					err = errors.Join(err, waited, failed)
				}
				return errors.Join(err, p.Free())
			}, mpitest.NIC(nic))
			if longest < late {
				break
			}
		}
		if longest >= late {
			t.Errorf("%s: a wait ends %v after the last Pready", nic, longest)
		}
	}
}
