package progress

import "rhinet/mpi"

// Overlap measures a long message from rank 0 to rank 1 while one of them or both compute: the transfer is
// started, the rank computes for as long as the transfer alone takes, and waits. Then the same with a
// computation that outlasts the message, whoever moves it: what the message adds to that is the overhead of
// the computing rank, and the rest of the message's own time is the rank's availability (Doerfler and
// Brightwell, EuroPVM/MPI 2006).
func Overlap() []Benchmark {
	of := func(name, about string, computes func(rank int) bool) Benchmark {
		b := test(name, about, 4<<20, 2)
		b.run = func(e *env, reps int) (figures, error) { return e.overlap(computes(e.rank), reps) }
		b.rows = overlapRows
		return b
	}
	return []Benchmark{
		of("Overlap_send", "a long message whose sender computes: the time that is not hidden", func(rank int) bool { return rank == 0 }),
		of("Overlap_receive", "a long message whose receiver computes", func(rank int) bool { return rank == 1 }),
		of("Overlap_both", "a long message while both compute", func(int) bool { return true }),
	}
}

// Results of a batch of Overlap, in seconds of a repetition on the rank that computes, or on the slower
// rank.
const (
	pure     = iota // the transfer alone
	cpu             // the computation
	total           // both
	overhead        // what the transfer adds to a computation that outlasts it
)

// outlast is the ratio of the long computation to the transfer alone: if only one side moves the message,
// it takes up to twice as long as with both.
const outlast = 4

func overlapRows(f figures) []figure {
	open := f.of[total] - f.of[cpu]
	return []figure{
		{"", max(0, open) * 1e6}, {"_pure", f.of[pure] * 1e6}, {percent, hidden(open, f.of[pure])},
		{"_overhead", max(0, f.of[overhead]) * 1e6}, {"_available" + percent, hidden(f.of[overhead], f.of[pure])},
	}
}

// hidden returns the part of a time that is not open, in %.
func hidden(open, of float64) float64 { return 100 * max(0, min(1, 1-open/max(of, 1e-9))) }

func (e *env) overlap(computes bool, reps int) (f figures, err error) {
	begin := mpi.Wtime()
	if f.of[pure], _, err = e.transfers(reps, 0, false); err != nil {
		return f, err
	}
	rows := e.cpu.RowsIn(f.of[pure])
	if f.of[total], f.of[cpu], err = e.transfers(reps, rows, computes); err != nil {
		return f, err
	}
	all, computed, err := e.transfers(reps, outlast*rows, computes)
	if err != nil {
		return f, err
	}
	f.of[overhead] = all - computed
	f.all, f.main = (mpi.Wtime()-begin)/float64(reps), f.of[total]-f.of[cpu]
	key := f.of[total]
	if !computes {
		key = -1
	}
	return e.agree(f, key)
}

// transfers transfers reps long messages, during a computation of the given rows if this rank computes, and
// returns the seconds of one repetition, and of its computation.
func (e *env) transfers(reps, rows int, computes bool) (all, computed float64, err error) {
	for range reps {
		if err := mpi.Barrier(e.c); err != nil {
			return 0, 0, err
		}
		start := mpi.Wtime()
		var r *mpi.Request
		if e.rank == 0 {
			r = mpi.Isend(e.c, e.long, 1, longTag)
		} else {
			r = mpi.Irecv(e.c, e.long, 0, longTag)
		}
		if computes {
			begin := mpi.Wtime()
			e.cpu.Compute(rows)
			computed += mpi.Wtime() - begin
		}
		if _, err := r.Wait(); err != nil {
			return 0, 0, err
		}
		all += mpi.Wtime() - start
	}
	return all / float64(reps), computed / float64(reps), nil
}
