package is

import (
	"slices"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb/nas"
)

// Sorting by blocks changes neither the order nor the counts.
func TestBlocks(t *testing.T) {
	p := classes()[nas.W]
	p.keysLog = 20
	mpitest.Run(t, 1, func(world *mpi.Comm) error {
		s := newSorter(world, p, false)
		if s.blocks == nil {
			t.Errorf("%d keys are not put into order by blocks", len(s.keys))
		}
		for range 2 { // nothing is left from the first time
			s.bucketSort()
		}
		ordered, local := slices.Clone(s.ordered), s.local

		clear(s.ordered)
		s.blocks = nil
		s.bucketSort()
		if !slices.Equal(s.ordered, ordered) || s.local != local {
			t.Error("keys by blocks are in another order")
		}
		return nil
	})
}

func BenchmarkBucketSort(b *testing.B) {
	p := classes()[nas.A]
	for p.keysLog = 13; p.keysLog <= 23; p.keysLog += 2 {
		b.Run(nas.Count(p.keys()).String(), func(b *testing.B) {
			mpitest.Run(b, 1, func(world *mpi.Comm) error {
				s := newSorter(world, p, false)
				for b.Loop() {
					s.bucketSort()
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(len(s.keys)), "ns/key")
				return nil
			})
		})
	}
}
