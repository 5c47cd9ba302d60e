package nic

import (
	"errors"

	"rhinet/bench/pair"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/lowlevel"
)

// A library measures primitives that are built from PUSH.
type library struct {
	*pair.End
	nic     *martini.NIC
	lib     *lowlevel.Library
	barrier *lowlevel.Barrier // nil: locks are measured
	unmet   bool              // the lock's representative has not yet announced itself
}

func openLibrary(e *pair.End) (*library, error) {
	nic, err := martini.Open(e.F, e.Rank, martini.Options{})
	if err != nil {
		return nil, err
	}
	lib, err := lowlevel.Open(nic, lowlevel.Options{Policy: e.Policy(), Alive: e.Alive})
	if err != nil {
		return nil, errors.Join(err, nic.Close())
	}
	return &library{End: e, nic: nic, lib: lib}, nil
}

// openLock measures one lock, whose representative is the second process: the first process acquires it
// once it knows that the second has initialised it.
func openLock(e *pair.End) (pair.Side, error) {
	l, err := openLibrary(e)
	if err != nil {
		return nil, err
	}
	err = l.lib.InitLock(0, 1)
	if l.unmet = e.Rank == 0; err == nil && !l.unmet {
		err = l.lib.Send(0, nil)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func openBarrier(e *pair.End) (pair.Side, error) {
	l, err := openLibrary(e)
	if err != nil {
		return nil, err
	}
	l.barrier, err = l.lib.NewBarrier(0, []int{0, 1}, 2)
	return l, err
}

func (l *library) Close() error { return errors.Join(l.lib.Close(), l.nic.Close()) }

// Run runs barriers, or pairs of LOCK and UNLOCK by the first process alone or by both at the same time.
func (l *library) Run(series, _, reps int) error {
	if l.unmet {
		if _, err := l.lib.Recv(1, nil); err != nil {
			return err
		}
		l.unmet = false
	}
	for range reps {
		var err error
		switch {
		case l.barrier != nil:
			err = l.barrier.Wait()
		case series == 1 || l.Rank == 0:
			err = errors.Join(l.lib.Lock(0), l.lib.Unlock(0))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
