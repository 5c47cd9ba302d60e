package pair

import (
	"errors"

	"rhinet/nicemu/fabric"
)

// Local runs fn on the first of two sides that are goroutines of this process,
// for tests of workloads.
func Local(nodes int, g fabric.Geometry, open func(*End) (Side, error), fn func(*End, Side) error) error {
	f, err := fabric.Heap(nodes, g)
	if err != nil {
		return err
	}
	first, second := NewEnd(f, 0), NewEnd(f, 1)
	served := make(chan error, 1)
	other, err := open(second)
	if err != nil {
		return err
	}
	go func() {
		err := errors.Join(second.Serve(other), other.Close())
		first.End(err)
		served <- err
	}()
	side, err := open(first)
	if err == nil {
		err = errors.Join(fn(first, side), side.Close())
	}
	first.Stop()
	second.End(nil)
	return errors.Join(err, <-served)
}
