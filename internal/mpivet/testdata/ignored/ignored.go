// Package ignored has errors that nobody looks at.
package ignored

import (
	"errors"

	"rhinet/mpi"
)

func statements(c *mpi.Comm, buf []int, r *mpi.Request) {
	mpi.Send(c, buf, 1, 0) // want `the error of Send is ignored; look at it, or assign it to _ if it does not matter`
	if len(buf) > 0 {
		mpi.Recv(c, buf, 1, 0) // want `the error of Recv is ignored`
	}
	go mpi.Barrier(c) // want `the error of Barrier is ignored`
	r.Wait()          // want `the error of Wait is ignored`
	c.Free()          // want `the error of Free is ignored`
}

func overwritten(c *mpi.Comm, buf []int) error {
	err := mpi.Send(c, buf, 1, 0) // want `the error of Send is overwritten in line 22, and nobody has looked at it`
	_, err = mpi.Recv(c, buf, 1, 0)
	return err
}

// What follows is right.

func decided(c *mpi.Comm, buf []int) {
	_ = mpi.Send(c, buf, 1, 0)
	_, _ = mpi.Recv(c, buf, 1, 0)
	defer c.Free()
	c.Rank()
	c.Size()
}

func lookedAt(c *mpi.Comm, buf []int) (err error) {
	err = mpi.Send(c, buf, 1, 0)
	if err != nil {
		return
	}
	err = mpi.Barrier(c)
	if len(buf) == 0 {
		return
	}
	err = mpi.Barrier(c)
	return err
}

func joined(c *mpi.Comm, buf []int) error {
	err := mpi.Send(c, buf, 1, 0)
	err = errors.Join(err, mpi.Barrier(c))
	return err
}

func alreadyFailing(c *mpi.Comm) error {
	if c.Size() > 3 {
		mpi.Finalize(c)
		return errors.New("too many ranks")
	}
	return nil
}

func carried(ts []mpi.Transport) {
	for _, t := range ts {
		t.Close()
	}
}
