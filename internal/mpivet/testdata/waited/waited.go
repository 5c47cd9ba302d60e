// Package waited has requests that nobody waits for, and such that somebody does.
package waited

import (
	"errors"
	"os"
	"testing"

	"rhinet/mpi"
)

func dropped(c *mpi.Comm, buf []int) {
	mpi.Isend(c, buf, 1, 0)     // want `the request of Isend is dropped: nobody can wait for it; keep it and call Wait, or call Send`
	_ = mpi.Irecv(c, buf, 1, 0) // want `the request of Irecv is dropped: nobody can wait for it; keep it and call Wait, or call Recv`
	go mpi.Ibarrier(c)          // want `the request of Ibarrier is dropped: nobody can wait for it; keep it and call Wait, or call Barrier`
	_, _ = c.Idup()             // want `the request of Idup is dropped: nobody can wait for it; keep it and call Wait`
	_, _ = mpi.Isend(c, buf, 1, 0).Wait()
}

func put(w *mpi.Win[int]) {
	w.Rput([]int{1}, 0, 0) // want `the request of Rput is dropped: nobody can wait for it; keep it and call Wait`
}

func onSomePath(c *mpi.Comm, buf []int, early bool) error {
	r := mpi.Isend(c, buf, 1, 0) // want `the request of Isend is not waited for on the way to line 27; call r.Wait there, too`
	if early {
		return nil
	}
	_, err := r.Wait()
	return err
}

func atTheEnd(c *mpi.Comm, buf []int, late bool) {
	r := mpi.Irecv(c, buf, 1, 0) // want `the request of Irecv is not waited for on the way to line 38; call r.Wait there, too`
	if late {
		_, _ = r.Wait()
	}
}

func byAnotherCall(c *mpi.Comm, buf []int, early bool) error {
	var r = mpi.Isend(c, buf, 1, 0) // want `the request of Isend is not waited for on the way to line 43; call r.Wait there, too`
	if early {
		return mpi.Barrier(c)
	}
	return mpi.WaitAll(r)
}

func inALoop(c *mpi.Comm, buf []int) error {
	var r *mpi.Request
	for to := range 3 {
		r = mpi.Isend(c, buf, to, 0) // want `the request of Isend is overwritten in line 51, and nobody has waited for it; Wait before, or keep all and call WaitAll`
	}
	_, err := r.Wait()
	return err
}

func twice(c *mpi.Comm, buf []int) error {
	r := mpi.Isend(c, buf, 1, 0) // want `the request of Isend is overwritten in line 59`
	r = mpi.Isend(c, buf, 2, 0)
	_, err := r.Wait()
	return err
}

func blankUse(c *mpi.Comm, buf []int) {
	r := mpi.Isend(c, buf, 1, 0) // want `the request of Isend is not waited for on the way to line 67`
	_ = r
}

func collected(c *mpi.Comm, buf []int) int {
	var reqs []*mpi.Request
	for to := range 3 {
		reqs = append(reqs, mpi.Isend(c, buf, to, 0)) // want `reqs collects requests, and nobody waits for them; call mpi.WaitAll\(reqs...\)`
	}
	return len(reqs)
}

func byIndex(c *mpi.Comm, buf []int) {
	reqs := make([]*mpi.Request, 3)
	for to := range reqs {
		reqs[to] = mpi.Isend(c, buf, to, 0)
	}
}

func byIndexOnly(c *mpi.Comm, buf []int, n int) {
	reqs := make([]*mpi.Request, n)
	for to := range n {
		reqs[to] = mpi.Isend(c, buf, to, 0) // want `reqs collects requests, and nobody waits for them`
	}
}

func byIndexInAnArray(c *mpi.Comm, buf []int) {
	var reqs [3]*mpi.Request
	for to := range 3 {
		reqs[to] = mpi.Isend(c, buf, to, 0) // want `reqs collects requests, and nobody waits for them; call mpi.WaitAll\(reqs\[:\]...\)`
	}
}

func byRank(c *mpi.Comm, buf []int) int {
	reqs := map[int]*mpi.Request{}
	for to := range 3 {
		reqs[to] = mpi.Isend(c, buf, to, 0) // want `reqs collects requests, and nobody waits for them; call Wait of each`
	}
	return len(reqs)
}

func leftInALoop(c *mpi.Comm, buf []int, peers []int) error {
	r := mpi.Isend(c, buf, 1, 0) // want `the request of Isend is not waited for on the way to line \d+; call r.Wait there, too`
	for range peers {
		if len(buf) > 3 {
			return nil
		}
		if _, err := r.Wait(); err != nil {
			return err
		}
	}
	return nil
}

func lastOfALoop(c *mpi.Comm, buf []int) error {
	for to := range 3 {
		r := mpi.Isend(c, buf, to, 0) // want `the request of Isend is not waited for on the way to line \d+; call r.Wait there, too`
		if to == 2 {
			break
		}
		if _, err := r.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// What follows is right.

type exchange struct {
	last   *mpi.Request
	list   []*mpi.Request
	byRank map[int]*mpi.Request
}

func (e *exchange) start(c *mpi.Comm, buf []int) {
	e.last = mpi.Irecv(c, buf[:2], 1, 0)
	e.list = append(e.list, mpi.Isend(c, buf[2:4], 2, 0))
	e.byRank[3] = mpi.Isend(c, buf[2:4], 3, 0)
}

func (e *exchange) finish() error {
	_, err := e.last.Wait()
	return errors.Join(err, mpi.WaitAll(e.list...), mpi.WaitAll(e.byRank[3]))
}

func eachOfAMap(c *mpi.Comm, buf []int) error {
	reqs := map[int]*mpi.Request{}
	for to := range 3 {
		reqs[to] = mpi.Isend(c, buf, to, 0)
	}
	for _, r := range reqs {
		if _, err := r.Wait(); err != nil {
			return err
		}
	}
	return nil
}

func anArray(c *mpi.Comm, buf []int) error {
	var reqs [2]*mpi.Request
	for to := range reqs {
		reqs[to] = mpi.Isend(c, buf, to, 0)
	}
	return mpi.WaitAll(reqs[:]...)
}

func mapOfAnother(c *mpi.Comm, buf []int, reqs map[int]*mpi.Request) {
	reqs[1] = mpi.Isend(c, buf, 1, 0)
}

func failed(c *mpi.Comm, buf, other []int) error {
	r := mpi.Isend(c, buf, 1, 0)
	if err := mpi.Barrier(c); err != nil {
		return err
	}
	switch _, err := mpi.Recv(c, other, 2, 0); {
	case err != nil:
		return err
	case len(buf) == 0:
		return errors.New("nothing came")
	}
	if len(buf) > 7 {
		os.Exit(1)
	}
	if len(buf) > 8 {
		panic("no way back")
	}
	_, err := r.Wait()
	return err
}

func joined(c *mpi.Comm, buf, other []int) error {
	r := mpi.Isend(c, buf, 1, 0)
	_, err := mpi.Recv(c, other, 1, 0)
	if err == nil {
		_, err = r.Wait()
	}
	return err
}

func inATest(t *testing.T, c *mpi.Comm, buf []int) {
	r := mpi.Isend(c, buf, 1, 0)
	if len(buf) != 1 {
		t.Errorf("%d", len(buf))
		return
	}
	if len(buf) != 2 {
		t.Fatal("ends here")
	}
	if _, err := r.Wait(); err != nil {
		t.Error(err)
	}
}

func handedOn(c *mpi.Comm, buf []int) *mpi.Request {
	r := mpi.Isend(c, buf, 1, 0)
	return r
}

func named(c *mpi.Comm, buf []int) (r *mpi.Request) {
	r = mpi.Isend(c, buf, 1, 0)
	return
}

func deferred(c *mpi.Comm, buf []int) error {
	r := mpi.Isend(c, buf, 1, 0)
	defer func() { _, _ = r.Wait() }()
	return mpi.Barrier(c)
}

func swapped(c *mpi.Comm, buf []int) error {
	r := mpi.Isend(c, buf, 0, 0)
	for to := 1; to < 3; to++ {
		next := mpi.Isend(c, buf, to, 0)
		if _, err := r.Wait(); err != nil {
			return err
		}
		r = next
	}
	_, err := r.Wait()
	return err
}

func polled(c *mpi.Comm, buf []int) error {
	r := mpi.Irecv(c, buf, 0, 0)
	for {
		if _, done, err := r.Test(); done || err != nil {
			return err
		}
	}
}

func inEachTurn(c *mpi.Comm, buf []int, n int) error {
	for range n {
		r := mpi.Irecv(c, buf, 0, 0)
		for i := 0; i < n; i++ {
			if _, done, _ := r.Test(); done {
				break
			}
		}
	}
	return nil
}

func polledUntil(c *mpi.Comm, buf []int) (err error) {
	r := mpi.Irecv(c, buf, 0, 0)
	for over := false; !over; {
		if _, over, err = r.Test(); err != nil {
			return err
		}
	}
	return nil
}

func begunLate(c *mpi.Comm, sends ...*mpi.Request) error {
	var barrier *mpi.Request
	for over := false; !over; {
		if barrier != nil {
			_, over, _ = barrier.Test()
			continue
		}
		if _, sent, err := mpi.TestAll(sends...); err != nil {
			return err
		} else if sent {
			barrier = mpi.Ibarrier(c)
		}
	}
	return nil
}

func leftEarly(c *mpi.Comm, buf []int, enough func() bool) error {
	r := mpi.Irecv(c, buf, 0, 0) // want `the request of Irecv is not waited for on the way to line \d+; call r.Wait there, too`
	for over := false; !over; {
		if over = enough(); over {
			continue
		}
		_, over, _ = r.Test()
	}
	return nil
}

func waitedFor(c *mpi.Comm, buf []int) error {
	reqs := []*mpi.Request{mpi.Isend(c, buf, 0, 0)}
	reqs = append(reqs, mpi.Isend(c, buf, 1, 0))
	return mpi.WaitAll(reqs...)
}

func appendedElsewhere(c *mpi.Comm, buf []int, last *mpi.Request) error {
	var reqs []*mpi.Request
	for to := range 3 {
		reqs = append(reqs, mpi.Isend(c, buf, to, 0))
	}
	return mpi.WaitAll(append(reqs, last)...)
}

func persistent(c *mpi.Comm, buf []int) error {
	r, err := mpi.SendInit(c, buf, 1, 0)
	if err != nil {
		return err
	}
	return r.Start()
}
