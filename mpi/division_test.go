package mpi

import (
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/collectives"
)

// Whatever the calls before were, parts are checked as if each call was the first
// (MPI 4.1, sections 6.5, 6.6 and 6.8).
func TestDivisionIsThatOfTheCall(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	var d division
	for range 20000 {
		size, room, elem := 1+rng.IntN(3), rng.IntN(7), 1<<rng.IntN(2)
		counts, displs := make([]int, size), make([]int, size)
		for i := range counts {
			counts[i], displs[i] = rng.IntN(4), rng.IntN(6)
			if rng.IntN(20) == 0 {
				counts[i]--
			}
		}
		if rng.IntN(3) == 0 {
			displs = nil
		} else if rng.IntN(20) == 0 {
			displs = displs[1:]
		}
		wantClass, want := misplaced(size, room, counts, displs)
		class, text := d.check(misplaced, size, room, counts, displs, elem)
		if class != wantClass || text != want {
			t.Fatalf("%v at %v of %d elements: %v %q, want %v %q", counts, displs, room, class, text, wantClass, want)
		}
		if text != "" {
			continue
		}
		sum := 0
		for i, n := range counts {
			sum += n * elem
			if p := d.parts[i]; p.n != n*elem || n > 0 && p.at != offset(counts, displs, i)*elem {
				t.Fatalf("%v at %v: part %d is %+v", counts, displs, i, p)
			}
		}
		if d.bytes != sum || len(d.parts) != size {
			t.Fatalf("%v at %v: %d bytes in %d parts", counts, displs, d.bytes, len(d.parts))
		}
	}
}

// A call with counts that the program changes in place, and one with a shorter buffer,
// are not those of the call before.
func TestDivisionOfChangedCounts(t *testing.T) {
	ws, _ := worldsOf(t, 2, collectives.Options{})
	counts, displs := []int{2, 2}, []int{0, 2}
	together(t, ws, func(rank int, w *Comm) error {
		mine, all := []int32{int32(10 + rank), int32(20 + rank)}, make([]int32, 6)
		for _, step := range []struct {
			displs []int
			want   []int32
		}{{displs, []int32{10, 20, 11, 21, 0, 0}}, {[]int{0, 4}, []int32{10, 20, 0, 0, 11, 21}}, {[]int{4, 0}, []int32{11, 21, 0, 0, 10, 20}}} {
			clear(all)
			if err := Gatherv(w, mine, all, counts, step.displs, 0); err != nil {
				return err
			}
			if rank == 0 && !slices.Equal(all, step.want) {
				t.Errorf("with displs %v: %v, want %v", step.displs, all, step.want)
			}
		}
		return nil
	})
	alone, _ := worldsOf(t, 1, collectives.Options{})
	for _, room := range []int{6, 5} {
		err := Gatherv(alone[0], make([]int32, 2), make([]int32, room), []int{2}, []int{4}, 0)
		if (err != nil) != (room == 5) {
			t.Errorf("elements 4 and 5 of a buffer of %d: %v", room, err)
		}
	}
}
