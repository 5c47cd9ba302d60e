package pmb

import (
	"errors"
	"slices"

	"rhinet/mpi"
)

// keptBuffers limits the buffers, and thus the requests, that are used in turn.
const keptBuffers = 256

// A maker makes the persistent form of a collective operation.
type maker struct {
	of   string // the benchmark of the blocking form
	make func(e *env, i int) (*mpi.Request, error)
}

func makers() []maker {
	return []maker{
		{"Bcast", func(e *env, i int) (*mpi.Request, error) { return mpi.BcastInit(e.c, e.bcasts(i), e.root) }},
		{"Allgather", func(e *env, i int) (*mpi.Request, error) { return mpi.AllgatherInit(e.c, e.out(i), e.in(i)) }},
		{"Gather", func(e *env, i int) (*mpi.Request, error) { return mpi.GatherInit(e.c, e.out(i), e.in(i), e.root) }},
		{"Scatter", func(e *env, i int) (*mpi.Request, error) { return mpi.ScatterInit(e.c, e.out(i), e.in(i), e.root) }},
		{"Alltoall", func(e *env, i int) (*mpi.Request, error) { return mpi.AlltoallInit(e.c, e.out(i), e.in(i)) }},
		{"Reduce", func(e *env, i int) (*mpi.Request, error) {
			return mpi.ReduceInit(e.c, e.outF(i), e.inF(i), mpi.Sum, e.root)
		}},
		{"Allreduce", func(e *env, i int) (*mpi.Request, error) {
			return mpi.AllreduceInit(e.c, e.outF(i), e.inF(i), mpi.Sum)
		}},
		{"Barrier", func(e *env, _ int) (*mpi.Request, error) { return mpi.BarrierInit(e.c) }},
	}
}

// Persistent returns the benchmarks of persistent collective operations. A request is made once for each
// root and buffer, and started and waited for in each repetition.
func Persistent() (all []Benchmark) {
	blocking := Blocking()
	for _, m := range makers() {
		b := blocking[slices.IndexFunc(blocking, func(b Benchmark) bool { return b.Name == m.of })]
		b.Name, b.Kind, b.loop, b.kept = b.Name+"_init", Collective, nil, true
		if b.Sizeless() {
			b.Kind = Sync
		}
		b.About = b.Name + ": a persistent request, started and waited for"
		b.call = func(e *env, i int) error {
			r, err := e.repeated(i, m.make)
			if err == nil {
				err = r.Start()
			}
			if err == nil {
				_, err = r.Wait()
			}
			return err
		}
		all = append(all, b)
	}
	return all
}

// repeated returns the persistent request of repetition i; the first repetition with its root and buffer
// makes it.
func (e *env) repeated(i int, make func(e *env, i int) (*mpi.Request, error)) (r *mpi.Request, err error) {
	k := e.root*e.slots + i%e.slots
	if e.repeats[k] == nil {
		e.repeats[k], err = make(e, i)
	}
	return e.repeats[k], err
}

// free frees the persistent requests.
func (e *env) free() (err error) {
	for _, r := range e.repeats {
		if r != nil {
			err = errors.Join(err, r.Free())
		}
	}
	return err
}
