package is

import (
	"fmt"

	"rhinet/mpi"
	"rhinet/npb/nas"
)

// check compares the ranks of the test keys in this rank's buckets with the expected ranks of iteration it,
// and counts those that are equal.
func (s *sorter) check(it int) {
	lo := s.first << s.shift
	hi := s.last << s.shift
	for i, k := range s.totals[s.buckets : s.buckets+tests] {
		if int(k) < lo || int(k) >= hi {
			continue
		}
		rank := s.before
		if int(k) > lo {
			rank += int64(s.counts[int(k)-lo-1])
		}
		if rank == s.p.expected(i, it) {
			s.passed++
		}
	}
}

// sorted sorts the keys of this rank with the counts of the last iteration, and reports whether they are in
// ascending order, also with respect to the rank below. Collective.
func (s *sorter) sorted() (bool, error) {
	own := s.parts[s.rank]
	keys := make([]int32, len(own)+len(s.received))
	lo := int32(s.first << s.shift)
	for _, part := range [][]int32{own, s.received} {
		for _, k := range part {
			s.counts[k-lo]--
			keys[s.counts[k-lo]] = k
		}
	}
	// Ranks without keys are the last ones, so the values they send are not used.
	below, largest := []int32{0}, []int32{0}
	if len(keys) > 0 {
		largest[0] = keys[len(keys)-1]
	}
	up, down := s.rank+1, s.rank-1
	if up == s.size {
		up = mpi.ProcNull
	}
	if down < 0 {
		down = mpi.ProcNull
	}
	if _, err := mpi.Sendrecv(s.world, largest, up, tagLargest, below, down, tagLargest); err != nil {
		return false, err
	}
	for i, k := range keys {
		if k < below[0] {
			return false, nil
		}
		below[0] = keys[i]
	}
	return true, nil
}

// result verifies the order of all keys, adds up the checks of all ranks, and
// judges them. Collective.
func (s *sorter) result(class nas.Class, niter int, verifiable bool) (nas.Result, error) {
	ok, err := s.sorted()
	if err != nil {
		return nas.Result{}, err
	}
	sums := []int64{s.passed, 0}
	if ok {
		sums[1] = 1
	}
	if err := mpi.Allreduce(s.world, sums, sums, mpi.Sum); err != nil {
		return nas.Result{}, err
	}
	problem, err := Describe(class)
	if err != nil {
		return nas.Result{}, err
	}
	problem.Iterations = niter
	r := nas.Result{
		Problem:   problem,
		Operation: operation,
		Checks: []nas.Check{
			nas.Absolute("ranks as expected", float64(sums[0]), float64(tests*niter), 0),
			nas.Absolute("processes sorted", float64(sums[1]), float64(s.size), 0),
		},
		Details: []string{fmt.Sprintf("Key values: 0 to %d, in %d buckets", s.p.values()-1, s.buckets)},
	}
	if !verifiable {
		// The expected ranks belong to the first ten iterations.
		r.Class = nas.Unknown
		r.Checks[0] = nas.Computed(r.Checks[0].Name, r.Checks[0].Computed)
	}
	r.Verdict = nas.Judge(verifiable, r.Checks)
	return r, nil
}
