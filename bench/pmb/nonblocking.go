package pmb

import (
	"slices"
	"strings"

	"rhinet/mpi"
)

// A starter starts the nonblocking form of a collective operation. The request is on the stack, as in C.
type starter struct {
	of    string // the benchmark of the blocking form
	start func(e *env, i int) mpi.Request
}

func starters() []starter {
	return []starter{
		{"Bcast", ibcast},
		{"Allgather", func(e *env, i int) mpi.Request { return *mpi.Iallgather(e.c, e.out(i), e.in(i)) }},
		{"Allgatherv", func(e *env, i int) mpi.Request {
			return *mpi.Iallgatherv(e.c, e.out(i), e.in(i), e.counts, e.displs)
		}},
		{"Gather", func(e *env, i int) mpi.Request { return *mpi.Igather(e.c, e.out(i), e.in(i), e.root) }},
		{"Gatherv", func(e *env, i int) mpi.Request {
			return *mpi.Igatherv(e.c, e.out(i), e.in(i), e.counts, e.displs, e.root)
		}},
		{"Scatter", func(e *env, i int) mpi.Request { return *mpi.Iscatter(e.c, e.out(i), e.in(i), e.root) }},
		{"Scatterv", func(e *env, i int) mpi.Request {
			return *mpi.Iscatterv(e.c, e.out(i), e.counts, e.displs, e.in(i), e.root)
		}},
		{"Alltoall", func(e *env, i int) mpi.Request { return *mpi.Ialltoall(e.c, e.out(i), e.in(i)) }},
		{"Alltoallv", func(e *env, i int) mpi.Request {
			return *mpi.Ialltoallv(e.c, e.out(i), e.counts, e.displs, e.in(i), e.counts, e.displs)
		}},
		{"Reduce", func(e *env, i int) mpi.Request { return *mpi.Ireduce(e.c, e.outF(i), e.inF(i), mpi.Sum, e.root) }},
		{"Reduce_scatter", func(e *env, i int) mpi.Request {
			return *mpi.IreduceScatter(e.c, e.outF(i), e.inF(i)[:e.shares[e.rank]], e.shares, mpi.Sum)
		}},
		{"Allreduce", func(e *env, i int) mpi.Request { return *mpi.Iallreduce(e.c, e.outF(i), e.inF(i), mpi.Sum) }},
		{"Barrier", func(e *env, _ int) mpi.Request { return *mpi.Ibarrier(e.c) }},
	}
}

func ibcast(e *env, i int) mpi.Request { return *mpi.Ibcast(e.c, e.bcasts(i), e.root) }

// bcasts returns the buffer of a Bcast.
func (e *env) bcasts(i int) []byte {
	if e.rank == e.root {
		return e.out(i)
	}
	return e.in(i)
}

// Nonblocking returns the benchmarks of the nonblocking collective operations, in the order in which they
// run: first those of overlap with computation, then those of the operation alone.
func Nonblocking() []Benchmark { return slices.Concat(started(Blocking(), starters())) }

// started returns the benchmarks of nonblocking forms of some of the blocking benchmarks: of their overlap
// with computation, and of the operation alone.
func started(blocking []Benchmark, starters []starter) (overlap, alone []Benchmark) {
	for _, s := range starters {
		b := blocking[slices.IndexFunc(blocking, func(b Benchmark) bool { return b.Name == s.of })]
		b.Name, b.loop, b.start = "I"+strings.ToLower(s.of), nil, s.start
		b.call = func(e *env, i int) error {
			r := s.start(e, i)
			_, err := r.Wait()
			return err
		}
		of := b.Name + ": "
		b.Kind, b.About = Overlap, of+"how much of it computation hides"
		overlap = append(overlap, b)
		b.Kind, b.About, b.Name = Collective, of+"started and waited for", b.Name+"_pure"
		if b.Sizeless() {
			b.Kind = Sync
		}
		alone = append(alone, b)
	}
	return overlap, alone
}

// times are the results of a benchmark of overlap on one rank, in seconds of a repetition.
type times struct {
	overlapped float64 // start, compute, wait
	pure       float64 // start, wait
	cpu        float64 // the computation in overlapped
}

// hidden returns the share of the shorter of operation and computation that was overlapped.
func (t times) hidden() float64 {
	shorter := min(t.pure, t.cpu)
	if shorter <= 0 {
		return 0
	}
	return max(0, min(1, (t.pure+t.cpu-t.overlapped)/shorter))
}

// overlap times reps repetitions of the operation alone, and as many during which the rank computes for as
// long as the operation alone took. All results are in e.times.
func (b Benchmark) overlap(e *env, reps int, o Options) (overlapped float64, err error) {
	var t times
	if t.pure, err = b.each(e, reps, o, func(i int) error { return b.call(e, i) }); err != nil {
		return 0, err
	}
	rows := e.cpu.RowsIn(t.pure)
	t.overlapped, err = b.each(e, reps, o, func(i int) error {
		r := b.start(e, i)
		begin := mpi.Wtime()
		e.cpu.Compute(rows)
		t.cpu += mpi.Wtime() - begin
		_, err := r.Wait()
		return err
	})
	t.cpu /= float64(reps)
	e.times = t
	return t.overlapped, err
}

// slowest returns the times of the rank that took longest with computation.
func slowest(everyone *mpi.Comm, mine times) (times, error) {
	v := []float64{mine.overlapped, mine.pure, mine.cpu}
	all := make([]float64, len(v)*everyone.Size())
	if err := mpi.Allgather(everyone, v, all); err != nil {
		return times{}, err
	}
	most := times{overlapped: -1}
	for v := range slices.Chunk(all, len(v)) {
		if v[0] > most.overlapped {
			most = times{v[0], v[1], v[2]}
		}
	}
	return most, nil
}
