package waited

import (
	"errors"

	"rhinet/mpi"
)

func startedInALoop(c *mpi.Comm, buf []int) error {
	r, err := mpi.SendInit(c, buf, 1, 0)
	if err != nil {
		return err
	}
	for range 3 {
		if err := r.Start(); err != nil { // want `r is started again in line 15, and nobody has waited for it; Wait before`
			return err
		}
	}
	_, err = r.Wait()
	return err
}

func startedAndLeft(c *mpi.Comm, buf []int, early bool) error {
	r, err := mpi.BcastInit(c, buf, 0)
	if err != nil {
		return err
	}
	err = r.Start() // want `the request that r.Start starts is not waited for on the way to line 30; call r.Wait there, too`
	if early {
		return nil
	}
	_, waitErr := r.Wait()
	return errors.Join(err, waitErr)
}

// What follows is right, or may be.

func startedInTurns(c *mpi.Comm, buf, other []int) error {
	s, err := mpi.SendInit(c, buf, 1, 0)
	if err != nil {
		return err
	}
	r, err := mpi.RecvInit(c, other, 1, 0)
	if err != nil {
		return err
	}
	for range 3 {
		if err := errors.Join(s.Start(), r.Start()); err != nil {
			return err
		}
		if err := mpi.WaitAll(s, r); err != nil {
			return err
		}
	}
	return errors.Join(s.Free(), r.Free())
}

func startedAndWaited(c *mpi.Comm, buf []int) error {
	r, err := mpi.SendInit(c, buf, 1, 0)
	for range 3 {
		err = errors.Join(err, r.Start(), mpi.WaitAll(r))
	}
	if err == nil {
		return nil
	}
	return err
}

func startedInAList(c *mpi.Comm, buf []int) error {
	r, err := mpi.SendInit(c, buf, 1, 0)
	if err != nil {
		return err
	}
	all := []*mpi.Request{r}
	for range 3 {
		if err := r.Start(); err != nil {
			return err
		}
		if err := mpi.WaitAll(all...); err != nil {
			return err
		}
	}
	return nil
}

func startedOfOthers(all []*mpi.Request) error {
	r := all[0]
	if err := r.Start(); err != nil {
		return err
	}
	return nil
}

func startedOfTheFirst(all []*mpi.Request) error {
	var r = all[0]
	if err := r.Start(); err != nil {
		return err
	}
	return nil
}

func startedWithADefer(c *mpi.Comm, buf []int) error {
	r, err := mpi.SendInit(c, buf, 1, 0)
	if err != nil {
		return err
	}
	defer r.Wait()
	if err := r.Start(); err != nil {
		return err
	}
	return nil
}
