package pair

import (
	"errors"

	"rhinet/nicemu/fabric"
)

// Local runs fn on the first of count sides that are goroutines of this process, for tests of workloads.
func Local(count, nodes int, g fabric.Geometry, open func(*End) (Side, error), fn func(*End, Side) error) error {
	f, err := fabric.Heap(nodes, g)
	if err != nil {
		return err
	}
	first := NewEnd(f, 0, count)
	served := make(chan error, count)
	var others []*End
	for rank := 1; rank < count && err == nil; rank++ {
		other := NewEnd(f, rank, count)
		var side Side
		if side, err = open(other); err != nil {
			break
		}
		others = append(others, other)
		go func() {
			err := errors.Join(other.Serve(side), side.Close())
			first.End(err)
			served <- err
		}()
	}
	var side Side
	if err == nil {
		side, err = open(first)
	}
	if err == nil {
		err = errors.Join(fn(first, side), side.Close())
	}
	first.Stop()
	for _, other := range others {
		other.End(nil)
	}
	for range others {
		err = errors.Join(err, <-served)
	}
	return err
}
