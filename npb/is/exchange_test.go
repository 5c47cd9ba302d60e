package is

import (
	"errors"
	"strings"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb/nas"
)

// Wrong totals are detected by the rank that waits for keys that do not arrive, or has no room for those
// that do.
func TestWrongTotals(t *testing.T) {
	for _, tc := range []struct {
		name string
		add  int
		says func(error) bool
	}{
		{"too many", 1, func(err error) bool {
			return err != nil && strings.HasPrefix(err.Error(), "is: rank 1 received ") && !errors.Is(err, mpi.ErrTruncate)
		}},
		{"too few", -1, func(err error) bool { return errors.Is(err, mpi.ErrTruncate) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			mpitest.Run(t, 4, func(world *mpi.Comm) error {
				s := newSorter(world, classes()[nas.S], false)
				if err := s.agree(); err != nil {
					return err
				}
				if s.rank == 1 {
					s.held += tc.add
				}
				err := s.exchange()
				if s.rank == 1 && !tc.says(err) {
					t.Errorf("got %v", err)
				} else if s.rank != 1 {
					return err
				}
				return s.sent() // so that no rank waits for a buffer that is gone
			})
		})
	}
}

// Keys in a single bucket belong to one process: the others have keys to send but none to hold and, if it
// is the last bucket, all processes from the second on have no buckets.
func TestProcessesWithoutKeys(t *testing.T) {
	p := classes()[nas.S]
	for _, value := range []int32{0, int32(p.values() - 1)} {
		mpitest.Run(t, 4, func(world *mpi.Comm) error {
			s := newSorter(world, p, false)
			for it := 1; it <= iterations; it++ {
				for i := range s.keys {
					s.keys[i] = value
				}
				if err := errors.Join(s.agree(), s.exchange()); err != nil {
					return err
				}
				runningSum(s.counts)
				want, buckets := 0, value == 0
				if s.rank == 0 {
					want, buckets = int(p.keys()), true
				}
				if s.held != want || len(s.parts[s.rank])+len(s.received) != want || (s.first < s.last) != buckets {
					t.Errorf("rank %d holds %d keys of buckets %d to %d", s.rank, s.held, s.first, s.last)
				}
			}
			ok, err := s.sorted()
			if !ok {
				t.Errorf("rank %d is not sorted", s.rank)
			}
			return err
		})
	}
}

// With Alltoallv every rank compares the counts that it receives with the totals before it allocates.
func TestWrongTotalsAlltoallv(t *testing.T) {
	mpitest.Run(t, 1, func(world *mpi.Comm) error {
		s := newSorter(world, classes()[nas.S], false)
		s.vector = newVector(1)
		if err := s.agree(); err != nil {
			return err
		}
		s.held++
		if err := s.exchange(); err == nil || !strings.HasPrefix(err.Error(), "is: rank 0 received 65536 keys, the bucket totals promise 65537") {
			t.Errorf("got %v", err)
		}
		return nil
	})
}

// agree is an iteration up to the exchange, without changing keys.
func (s *sorter) agree() error {
	s.bucketSort()
	err := s.total()
	s.assign()
	return err
}

// Ranks that all send before they receive do not depend on buffering.
func TestWithoutBuffers(t *testing.T) {
	mpitest.Run(t, 8, func(world *mpi.Comm) error {
		r, err := Run(world, nas.Config{Class: nas.S})
		if s := r.Verdict; world.Rank() == 0 && s != nas.Successful {
			t.Errorf("%v %+v", s, r.Checks)
		}
		return err
	}, mpitest.Unbuffered())
}
