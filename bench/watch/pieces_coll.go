package watch

import (
	"errors"

	"rhinet/llc/ir"
	"rhinet/mpi"
)

// iallreduce has two ranks start an Iallreduce, and wait for it.
func iallreduce(nic string) (*setup, error) {
	return begun(nic, func(c *mpi.Comm, in, out []float64) mpi.Request { return *mpi.Iallreduce(c, in, out, mpi.Sum) })
}

// ibarrier has two ranks start an Ibarrier, and wait for it.
func ibarrier(nic string) (*setup, error) {
	return begun(nic, func(c *mpi.Comm, _, _ []float64) mpi.Request { return *mpi.Ibarrier(c) })
}

// igatherv has two ranks start an Igatherv, and wait for it.
func igatherv(nic string) (*setup, error) {
	all, counts := make([]float64, 2), []int{1, 1}
	return begun(nic, func(c *mpi.Comm, in, _ []float64) mpi.Request { return *mpi.Igatherv(c, in, all, counts, nil, 0) })
}

// begun has two ranks start a call, and wait for it.
func begun(nic string, begin func(c *mpi.Comm, in, out []float64) mpi.Request) (*setup, error) {
	return pairwise(nic, func(c *mpi.Comm, in, out []float64) (func() error, error) {
		var r mpi.Request
		started := false
		return func() (err error) {
			if started = !started; started {
				r = begin(c, in, out)
				return nil
			}
			_, err = r.Wait()
			return err
		}, nil
	})
}

// allreduceInit is iallreduce with persistent requests.
func allreduceInit(nic string) (*setup, error) {
	return pairwise(nic, func(c *mpi.Comm, in, out []float64) (func() error, error) {
		r, err := mpi.AllreduceInit(c, in, out, mpi.Sum)
		started := false
		return func() (err error) {
			if started = !started; started {
				return r.Start()
			}
			_, err = r.Wait()
			return err
		}, err
	})
}

// pairwise has each of two ranks call the result of open twice: the first call starts something, the second
// completes it.
func pairwise(nic string, open func(c *mpi.Comm, in, out []float64) (func() error, error)) (*setup, error) {
	ranks, closeAll, err := worlds(nic, nil)
	if err != nil {
		return nil, err
	}
	var calls [2]func() error
	for i, c := range ranks {
		if calls[i], err = open(c, []float64{1}, []float64{0}); err != nil {
			return nil, errors.Join(err, closeAll())
		}
	}
	step := func() (err error) {
		for range 2 {
			err = errors.Join(err, calls[0](), calls[1]())
		}
		return err
	}
	return &setup{step, closeAll}, nil
}

// A relay is the transport of a rank that has another rank make its call during its first wait. So one
// goroutine makes both ranks' calls of a collective operation, and neither has to wait.
type relay struct {
	mpi.Transport
	other func() error // the call of the other rank; nil: it has been made
	err   error        // of that call
}

// AwaitCollective has the other rank make its call once this one has started, and finds its own condition
// met.
func (r *relay) AwaitCollective(call string, c *ir.Collective, begin func(), cond func() bool) {
	if other := r.other; other != nil {
		r.other = nil
		if begin != nil {
			r.Perform(begin)
			begin = nil
		}
		r.err = other()
	}
	r.Transport.AwaitCollective(call, c, begin, cond)
}

// together has both ranks make a collective call.
func together(nic string, open opener, call func(c *mpi.Comm, in, out []int64) error) (*setup, error) {
	first := &relay{}
	ranks, closeAll, err := open(nic, first)
	if err != nil {
		return nil, err
	}
	var in, out [2][]int64
	for i := range in {
		in[i], out[i] = make([]int64, 1), make([]int64, 1)
	}
	other := func() error { return call(ranks[1], in[1], out[1]) }
	step := func() error {
		first.other = other
		return errors.Join(call(ranks[0], in[0], out[0]), first.err)
	}
	return &setup{step, closeAll}, nil
}

// rooted has two ranks make a call of which rank 0 is root, with a buffer for all ranks beside each rank's own:
// first the rank that gives data and does not wait.
func rooted(nic string, giver int, call func(c *mpi.Comm, own, all []int64, counts []int) error) (*setup, error) {
	ranks, closeAll, err := worlds(nic, nil)
	if err != nil {
		return nil, err
	}
	counts, own, all := []int{1, 1}, [2][]int64{{1}, {2}}, [2][]int64{{3, 4}, {5, 6}}
	step := func() (err error) {
		for _, i := range [...]int{giver, 1 - giver} {
			err = errors.Join(err, call(ranks[i], own[i], all[i], counts))
		}
		return err
	}
	return &setup{step, closeAll}, nil
}

func gather(c *mpi.Comm, own, all []int64, _ []int) error { return mpi.Gather(c, own, all, 0) }

func gatherv(c *mpi.Comm, own, all []int64, counts []int) error {
	return mpi.Gatherv(c, own, all, counts, nil, 0)
}

func scatter(c *mpi.Comm, own, all []int64, _ []int) error { return mpi.Scatter(c, all, own, 0) }

func scatterv(c *mpi.Comm, own, all []int64, counts []int) error {
	return mpi.Scatterv(c, all, counts, nil, own, 0)
}

// everyone has both ranks make a call in which each has a part for each.
func everyone(nic string, call func(c *mpi.Comm, in, out []int64, counts []int) error) (*setup, error) {
	counts, in, out := []int{1, 1}, [2][]int64{{1, 2}, {3, 4}}, [2][]int64{{0, 0}, {0, 0}}
	return together(nic, worlds, func(c *mpi.Comm, _, _ []int64) error { return call(c, in[c.Rank()], out[c.Rank()], counts) })
}

func alltoall(c *mpi.Comm, in, out []int64, _ []int) error { return mpi.Alltoall(c, in, out) }

func alltoallv(c *mpi.Comm, in, out []int64, counts []int) error {
	return mpi.Alltoallv(c, in, counts, nil, out, counts, nil)
}

func barrier(c *mpi.Comm, _, _ []int64) error { return mpi.Barrier(c) }

func allreduce(c *mpi.Comm, in, out []int64) error { return mpi.Allreduce(c, in, out, mpi.Sum) }
