package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
)

// MPI 4.1, sections 5.1 and 6.4 to 6.9: a layout that selects nothing has no elements,
// whatever other ranks send, so a rank whose part is empty may have one.
func TestViewsOfNothingInCollectiveCalls(t *testing.T) {
	bothWays(t, 3, func(w *mpi.Comm) error {
		n, me := w.Size(), w.Rank()
		src := []int32{7, 8, 9}
		nothing := map[string][]mpi.Item{
			"contiguous": mpi.View(src, mpi.Contiguous(0)),
			"darray":     mpi.View(src, mpi.Darray(n, 2, []int{1}, []mpi.Dist{{Kind: mpi.DistBlock}}, []int{n})),
			"no items":   mpi.Views(src, 0, mpi.Contiguous(3)),
			"items":      mpi.Views(src, 2, mpi.Contiguous(0)),
		}
		for _, kind := range []string{"contiguous", "darray", "no items", "items"} {
			empty := nothing[kind]
			counts := make([]int, n)
			counts[0] = 1
			one := mpi.View(src, mpi.Contiguous(1))
			mine, part := empty, make([]int32, 1)
			got := mpi.View(part, mpi.Contiguous(1))
			if me == 0 {
				mine = one
			}
			if err := mpi.Gatherv(w, mine, got, counts, nil, 0); err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
			if me == 0 {
				if err := equal("gathered", part[0], 7); err != nil {
					return err
				}
			}
			part[0] = 0
			if err := errors.Join(mpi.Allgatherv(w, mine, got, counts, nil), equal("gathered by all", part[0], 7)); err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
			var err error
			if me == 0 {
				err = mpi.Bcast(w, empty, 1)
			} else {
				err = mpi.Bcast(w, src[:0], 1)
			}
			if err := errors.Join(err, mpi.Barrier(w)); err != nil {
				return fmt.Errorf("%s: Bcast: %w", kind, err)
			}
		}
		return nil
	})
}
