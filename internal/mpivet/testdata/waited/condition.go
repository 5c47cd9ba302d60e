package waited

import (
	"rhinet/mpi"
)

func onAnotherRank(c *mpi.Comm, buf []int) error {
	var r *mpi.Request
	if c.Rank() == 0 {
		r = mpi.Isend(c, buf, 1, 0) // want `the request of Isend is not waited for on the way to line 15; call r.Wait there, too`
	}
	if c.Rank() == 1 {
		_, _ = r.Wait()
	}
	return nil
}

func onFewerRanks(c *mpi.Comm, buf []int, over chan bool) error {
	var r *mpi.Request
	if c.Rank() == 0 || <-over {
		r = mpi.Isend(c, buf, 1, 0) // want `the request of Isend is not waited for on the way to line 26; call r.Wait there, too`
	}
	if c.Rank() == 0 {
		_, _ = r.Wait()
	}
	return nil
}

// What follows is right.

func onOneRank(c *mpi.Comm, buf []int) error {
	var r *mpi.Request
	if c.Rank() == 0 {
		r = mpi.Isend(c, buf, 1, 0)
	}
	if err := mpi.Barrier(c); err != nil {
		return err
	}
	if c.Rank() == 0 {
		_, err := r.Wait()
		return err
	}
	return nil
}

func unlessOnOneRank(c *mpi.Comm, buf []int, sends bool) (err error) {
	var r *mpi.Request
	if c.Rank() == 0 || !sends {
		buf[0] = 1
	} else {
		r = mpi.Isend(c, buf, 1, 0)
	}
	if sends && c.Size() > 1 {
		buf = nil
	}
	if c.Rank() == 0 || !sends {
		return nil
	}
	_, err = r.Wait()
	return err
}

func onOneOfTheRanks(c *mpi.Comm, buf []int, sends bool) error {
	var r *mpi.Request
	if sends && !(c.Rank() == 0) {
		r = mpi.Isend(c, buf, 1, 0)
	}
	if !(c.Rank() == 0) && sends {
		_, _ = r.Wait()
	}
	return nil
}

func inTheOtherBranch(c *mpi.Comm, buf []int) error {
	var r *mpi.Request
	if c.Rank() != 0 {
		buf[0] = 1
	} else {
		r = mpi.Isend(c, buf, 1, 0)
	}
	if c.Rank() != 0 {
		return nil
	}
	_, _ = r.Wait()
	return nil
}
