package mpi

import (
	"slices"
	"sync"
	"testing"

	"rhinet/collectives"
)

// A layout is what its arguments were when it was made, however they change later, as
// the standard's constructors copy them (MPI 4.1, section 5.1.2).
func TestLayoutsKeepTheirArguments(t *testing.T) {
	lens, at := []int{1, 1}, []int{0, 2}
	starts := []int{1}
	dists := []Dist{{Kind: DistBlock}}
	members := []Member{{At: 0}, {At: 16}}
	for name, l := range map[string]Layout{
		"Indexed":      Indexed(lens, at),
		"Hindexed":     Hindexed(lens, []int{0, 16}),
		"IndexedBlock": IndexedBlock(1, at),
		"Struct":       Struct(members...),
		"Subarray":     Subarray([]int{4}, []int{2}, starts),
		"Darray":       Darray(2, 1, []int{4}, dists, []int{2}),
	} {
		before, err := ShapeOf[int64](l)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		text := l.String()
		lens[0], at[1], starts[0], dists[0], members[1].At = 7, 9, 2, Dist{Kind: DistCyclic}, 99
		other, err := ShapeOf[uint64](l) // made anew for another type
		if err != nil || other != before || l.String() != text {
			t.Errorf("%s: %+v, %v, %s; before its arguments changed %+v, %s", name, other, err, l, before, text)
		}
		lens[0], at[1], starts[0], dists[0], members[1].At = 1, 2, 1, Dist{Kind: DistBlock}, 16
	}
}

// One layout serves slices of several types, and goroutines that use it at once.
func TestALayoutForSeveralTypes(t *testing.T) {
	l := Vector(2, 1, 2)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 500 {
				a, err := ShapeOf[int32](l)
				b, bad := ShapeOf[float64](l)
				if err != nil || bad != nil || a.Extent != 12 || b.Extent != 24 {
					t.Errorf("%+v, %v; %+v, %v", a, err, b, bad)
					return
				}
			}
		})
	}
	all.Wait()
	d, err := l.Dup()
	if s, bad := ShapeOf[byte](d); err != nil || bad != nil || s.Extent != 3 {
		t.Errorf("a copy: %+v, %v, %v", s, err, bad)
	}
}

// A put by a layout that was used before allocates nothing, and looks for overlaps once.
func TestLayoutsOfWindowsAllocateNothing(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("counting statements moves variables to the heap")
	}
	ws, _ := worldsOf(t, 1, collectives.Options{})
	w, err := WinAllocate[int64](ws[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.LockAll(); err != nil {
		t.Fatal(err)
	}
	data, got := []int64{1, 2, 3}, make([]int64, 3)
	for name, l := range map[string]Layout{"Vector": Vector(3, 1, 4), "IndexedBlock": IndexedBlock(1, []int{9, 0, 5})} {
		n := testing.AllocsPerRun(100, func() {
			if err := w.PutLayout(data, 0, 2, l); err != nil {
				t.Fatal(err)
			}
			if err := w.GetLayout(got, 0, 2, l); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 || !slices.Equal(got, data) {
			t.Errorf("%s: %v allocations, %v", name, n, got)
		}
	}
	twice := Indexed([]int{2, 2}, []int{0, 1})
	for range 2 { // the second time it is known
		if err := w.PutLayout([]int64{1, 2, 3, 4}, 0, 0, twice); err == nil {
			t.Error("elements are put twice")
		}
		if err := w.GetLayout(make([]int64, 4), 0, 0, twice); err != nil {
			t.Error(err)
		}
	}
	if err := w.UnlockAll(); err != nil {
		t.Fatal(err)
	}
	if err := w.Free(); err != nil {
		t.Fatal(err)
	}
}
