package waited

import (
	"sync"

	"rhinet/mpi"
)

func inGoroutines(c *mpi.Comm, buf []int) {
	var all sync.WaitGroup
	reqs := make([]*mpi.Request, 3)
	for to := range reqs {
		all.Go(func() {
			reqs[to] = mpi.Isend(c, buf, to, 0)
		})
	}
	all.Wait()
}

func inGoroutinesByNumber(c *mpi.Comm, buf []int, n int) {
	var all sync.WaitGroup
	reqs := make([]*mpi.Request, n)
	for to := range n {
		all.Go(func() {
			reqs[to] = mpi.Isend(c, buf, to, 0) // want `reqs collects requests, and nobody waits for them; call mpi.WaitAll\(reqs...\)`
		})
	}
	all.Wait()
}

func inAClosure(c *mpi.Comm, buf []int) int {
	var reqs []*mpi.Request
	send := func(to int) {
		reqs = append(reqs, mpi.Isend(c, buf, to, 0)) // want `reqs collects requests, and nobody waits for them; call mpi.WaitAll\(reqs...\)`
	}
	send(1)
	send(2)
	return len(reqs)
}

func beforeTheClosure(c *mpi.Comm, buf []int, early bool) error {
	r := mpi.Isend(c, buf, 1, 0) // want `the request of Isend is not waited for on the way to line 44; call r.Wait there, too`
	if early {
		return nil
	}
	done := make(chan error)
	go func() {
		_, err := r.Wait()
		done <- err
	}()
	return <-done
}

func nobodyInTheClosure(c *mpi.Comm, buf []int) func() error {
	return func() error {
		r := mpi.Isend(c, buf, 1, 0) // want `the request of Isend is not waited for on the way to line 58; call r.Wait there, too`
		if len(buf) > 1 {
			return nil
		}
		_, err := r.Wait()
		return err
	}
}

// What follows is right.

func waitedOutside(c *mpi.Comm, buf []int) error {
	var reqs []*mpi.Request
	var last *mpi.Request
	send := func(to int) {
		last = mpi.Isend(c, buf, to, 0)
		reqs = append(reqs, mpi.Isend(c, buf, to, 0))
	}
	send(1)
	send(2)
	_, err := last.Wait()
	if err != nil {
		return err
	}
	return mpi.WaitAll(reqs...)
}

func waitedInAnother(c *mpi.Comm, buf []int) (start func(), wait func() error) {
	reqs := make([]*mpi.Request, 1)
	start = func() { reqs[0] = mpi.Isend(c, buf, 1, 0) }
	wait = func() error { return mpi.WaitAll(reqs...) }
	return start, wait
}

func listOfTheCaller(c *mpi.Comm, buf []int, reqs []*mpi.Request) func() {
	return func() { reqs[0] = mpi.Isend(c, buf, 1, 0) }
}

func listAsResult(c *mpi.Comm, buf []int) (reqs []*mpi.Request) {
	func() { reqs = append(reqs, mpi.Isend(c, buf, 1, 0)) }()
	return
}

var pool []*mpi.Request

func listOfThePackage(c *mpi.Comm, buf []int) {
	func() { pool = append(pool, mpi.Isend(c, buf, 1, 0)) }()
}

func closureInALoop(c *mpi.Comm, buf []int) error {
	for to := range 3 {
		r := mpi.Isend(c, buf, to, 0)
		defer func() { _, _ = r.Wait() }()
	}
	return nil
}

func byTwoGoroutines(c *mpi.Comm, buf []int) {
	var both sync.WaitGroup
	for to := range 3 {
		r := mpi.Isend(c, buf, to, 0)
		for range 2 {
			both.Go(func() { _, _ = r.Wait() })
		}
		both.Wait()
	}
}

func atAnAddress(c *mpi.Comm, buf []int) error {
	r := mpi.Isend(c, buf, 1, 0)
	keep := &r
	_, err := (*keep).Wait()
	return err
}

// A function literal of the package has variables, too.
var outside = func(c *mpi.Comm, buf []int) error {
	var reqs []*mpi.Request
	func() { reqs = append(reqs, mpi.Isend(c, buf, 1, 0)) }()
	return mpi.WaitAll(reqs...)
}
