package mpi_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/mpi"
)

// A drawnView is a random buffer of items over its own memory, with the indices of the
// elements, in order.
type drawnView struct {
	mem   []int64
	items []mpi.Item
	at    []int
	size  int // elements of one item
}

// drawView draws n items of a layout of size elements: blocks in any order, with gaps.
func drawView(rnd *rand.Rand, n, size int) drawnView {
	var lens, displs []int
	var one []int
	cuts := []int{0, size}
	for range rnd.IntN(4) {
		cuts = append(cuts, rnd.IntN(size+1))
	}
	slices.Sort(cuts)
	end := 0
	places := make([][2]int, len(cuts)-1)
	for _, i := range rnd.Perm(len(places)) {
		end += rnd.IntN(3)
		places[i] = [2]int{end, cuts[i+1] - cuts[i]}
		end += places[i][1]
	}
	for _, p := range places {
		displs, lens = append(displs, p[0]), append(lens, p[1])
		for k := range p[1] {
			one = append(one, p[0]+k)
		}
	}
	extent := end + rnd.IntN(3)
	v := drawnView{mem: make([]int64, max(1, n*extent)), size: size}
	for i := range n {
		for _, at := range one {
			v.at = append(v.at, i*extent+at)
		}
	}
	v.items = mpi.Views(v.mem, n, mpi.Indexed(lens, displs).Resized(0, 8*extent))
	return v
}

// set stores data in the elements from item first on.
func (v drawnView) set(first int, data []int64) {
	for i, x := range data {
		v.mem[v.at[first*v.size+i]] = x
	}
}

// holds is an error unless the elements are want, and everything between them is 0.
func (v drawnView) holds(what string, want []int64) error {
	got, mem := make([]int64, 0, len(v.at)), slices.Clone(v.mem)
	for _, at := range v.at {
		got = append(got, mem[at])
		mem[at] = 0
	}
	if slices.ContainsFunc(mem, func(x int64) bool { return x != 0 }) {
		return fmt.Errorf("%s: something was stored between the elements", what)
	}
	return equalAll(what, got, want)
}

func ints(n, from int) []int64 {
	s := make([]int64, n)
	for i := range s {
		s[i] = int64(from + i)
	}
	return s
}

// MPI 4.1, sections 6.4 to 6.8 and 6.12: collective calls on layouts give the same
// results as on slices, whatever the layouts of the ranks are, if their signatures are
// equal.
func TestCollectiveCallsOnLayouts(t *testing.T) {
	calls := map[string]func(c *mpi.Comm, rnd *rand.Rand, size int, async bool) error{
		"Bcast": bcastOfViews, "Gather": gatherOfViews, "Scatter": scatterOfViews, "Allgather": allgatherOfViews, "Alltoall": alltoallOfViews,
	}
	everywhere(t, 3, func(w *mpi.Comm) error {
		for round := range 3 {
			for _, size := range []int{1, 7, 900} {
				for _, name := range []string{"Bcast", "Gather", "Scatter", "Allgather", "Alltoall"} {
					rnd := rand.New(rand.NewPCG(uint64(round), uint64(size*10+w.Rank())))
					if err := calls[name](w, rnd, size, round == 1); err != nil {
						return fmt.Errorf("%s of %d: %w", name, size, err)
					}
				}
			}
		}
		return nil
	})
}

// done returns the error of a call, or of its request.
func done(err error, r *mpi.Request) error {
	if r == nil {
		return err
	}
	_, err = r.Wait()
	return err
}

func bcastOfViews(w *mpi.Comm, rnd *rand.Rand, size int, async bool) error {
	for root := range w.Size() {
		v := drawView(rnd, 2, size)
		want := ints(2*size, root*1000)
		if w.Rank() == root {
			v.set(0, want)
		}
		var err error
		var r *mpi.Request
		if async {
			r = mpi.Ibcast(w, v.items, root)
		} else {
			err = mpi.Bcast(w, v.items, root)
		}
		if err := errors.Join(done(err, r), v.holds("Bcast", want)); err != nil {
			return err
		}
		plain := ints(2*size, 5)
		if w.Rank() != root { // slices match layouts
			err = mpi.Bcast(w, v.items, root)
			plain = ints(2*size, 5)
		} else {
			err = mpi.Bcast(w, plain, root)
			v.set(0, plain)
		}
		if err := errors.Join(err, v.holds("Bcast of a slice", plain)); err != nil {
			return err
		}
	}
	return nil
}

func gatherOfViews(w *mpi.Comm, rnd *rand.Rand, size int, async bool) error {
	rank, n := w.Rank(), w.Size()
	all := ints(n*size, 1)
	for root := range n {
		send, recv := drawView(rnd, 1, size), drawView(rnd, n, size)
		send.set(0, all[rank*size:(rank+1)*size])
		var err error
		var r *mpi.Request
		if async {
			r = mpi.Igather(w, send.items, recv.items, root)
		} else {
			err = mpi.Gather(w, send.items, recv.items, root)
		}
		if err := done(err, r); err != nil {
			return err
		}
		if rank == root {
			if err := recv.holds("Gather", all); err != nil {
				return err
			}
			clear(recv.mem) // in place
			recv.set(rank, all[rank*size:(rank+1)*size])
			send = recv
		}
		if err := mpi.Gather(w, send.items, recv.items, root); err != nil {
			return err
		}
		if rank == root {
			if err := recv.holds("Gather in place", all); err != nil {
				return err
			}
		}
		counts, displs := []int{1, 0, 2}, []int{3, 0, 0} // the third item receives nothing
		mine, room := drawView(rnd, counts[rank], size), drawView(rnd, n+1, size)
		mine.set(0, ints(counts[rank]*size, rank*5000))
		room.set(2, ints(size, 9))
		if err := mpi.Gatherv(w, mine.items, room.items, counts, displs, root); err != nil {
			return err
		}
		if rank == root {
			want := slices.Concat(ints(2*size, 2*5000), ints(size, 9), ints(size, 0))
			if err := room.holds("Gatherv", want); err != nil {
				return err
			}
		}
	}
	return nil
}

func scatterOfViews(w *mpi.Comm, rnd *rand.Rand, size int, async bool) error {
	rank, n := w.Rank(), w.Size()
	all := ints(n*size, 1)
	for root := range n {
		send, recv := drawView(rnd, n, size), drawView(rnd, 1, size)
		send.set(0, all)
		var err error
		var r *mpi.Request
		if async {
			r = mpi.Iscatter(w, send.items, recv.items, root)
		} else {
			err = mpi.Scatter(w, send.items, recv.items, root)
		}
		if err := errors.Join(done(err, r), recv.holds("Scatter", all[rank*size:(rank+1)*size])); err != nil {
			return err
		}
		counts, displs := []int{1, 0, 2}, []int{2, 0, 0}
		mine := drawView(rnd, counts[rank], size)
		want := [][]int64{all[2*size:], nil, all[:2*size]}[rank]
		if err := errors.Join(mpi.Scatterv(w, send.items, counts, displs, mine.items, root), mine.holds("Scatterv", want)); err != nil {
			return err
		}
		if rank == root { // in place
			recv = send
		}
		if err := mpi.Scatter(w, send.items, recv.items, root); err != nil {
			return err
		}
		if rank == root {
			if err := send.holds("Scatter in place", all); err != nil {
				return err
			}
		}
	}
	return nil
}

func allgatherOfViews(w *mpi.Comm, rnd *rand.Rand, size int, async bool) error {
	rank, n := w.Rank(), w.Size()
	all := ints(n*size, 1)
	send, recv := drawView(rnd, 1, size), drawView(rnd, n, size)
	send.set(0, all[rank*size:(rank+1)*size])
	for k := range 3 {
		clear(recv.mem)
		out := send
		if k == 2 { // in place
			recv.set(rank, all[rank*size:(rank+1)*size])
			out = recv
		}
		var err error
		switch {
		case async:
			err = done(nil, mpi.Iallgather(w, out.items, recv.items))
		case k == 0:
			err = mpi.Allgatherv(w, out.items, recv.items, []int{1, 1, 1}, nil)
		default:
			err = mpi.Allgather(w, out.items, recv.items)
		}
		if err := errors.Join(err, recv.holds("Allgather", all)); err != nil {
			return err
		}
	}
	clear(recv.mem)
	recv.set(2-rank, all[rank*size:(rank+1)*size])
	err := mpi.Allgatherv(w, recv.items, recv.items, []int{1, 1, 1}, []int{2, 1, 0})
	want := slices.Concat(all[2*size:], all[size:2*size], all[:size])
	return errors.Join(err, recv.holds("Allgatherv in place", want))
}

func alltoallOfViews(w *mpi.Comm, rnd *rand.Rand, size int, async bool) error {
	rank, n := w.Rank(), w.Size()
	send, recv := drawView(rnd, n, size), drawView(rnd, n, size)
	var want, mine []int64
	for i := range n {
		mine = append(mine, ints(size, 1+10000*rank+1000*i)...)
		want = append(want, ints(size, 1+10000*i+1000*rank)...)
	}
	send.set(0, mine)
	var err error
	if async {
		err = done(nil, mpi.Ialltoall(w, send.items, recv.items))
	} else {
		err = mpi.Alltoall(w, send.items, recv.items)
	}
	if err := errors.Join(err, recv.holds("Alltoall", want)); err != nil {
		return err
	}
	clear(recv.mem)
	ones := []int{1, 1, 1}
	err = mpi.Alltoallv(w, send.items, ones, nil, recv.items, ones, []int{2, 1, 0})
	reversed := slices.Concat(want[2*size:], want[size:2*size], want[:size])
	if err := errors.Join(err, recv.holds("Alltoallv", reversed)); err != nil {
		return err
	}
	copy(recv.mem, make([]int64, len(recv.mem)))
	recv.set(0, mine)
	if err := errors.Join(mpi.Alltoallv(w, recv.items, ones, nil, recv.items, ones, nil), recv.holds("Alltoallv in place", want)); err != nil {
		return err
	}
	clear(recv.mem)
	parts, room := make([]mpi.Part, n), make([]mpi.Part, n)
	for i := range n {
		parts[i], room[i] = mpi.PartOf(send.items[i:i+1]), mpi.PartOf(recv.items[i:i+1])
	}
	if async {
		err = done(nil, mpi.Ialltoallw(w, parts, room))
	} else {
		err = mpi.Alltoallw(w, parts, room)
	}
	return errors.Join(err, recv.holds("Alltoallw", want))
}

// MPI 4.1, section 6.13: a persistent call reads what the layout selects at each start.
func TestPersistentCollectiveCallsOnLayouts(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		m := make([]float64, 12)
		r, err := mpi.BcastInit(w, column(m, 1, 3), 0)
		if err != nil {
			return err
		}
		for round := range 3 {
			if w.Rank() == 0 {
				copy(m, numbered(12, round))
			}
			if err := errors.Join(r.Start(), mpi.WaitAll(r)); err != nil {
				return err
			}
			if err := equalAll("column", []float64{m[1], m[4], m[7], m[10]}, []float64{float64(round + 1), float64(round + 4), float64(round + 7), float64(round + 10)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// MPI 4.1, section 8.6: neighborhood calls move layouts in place.
func TestNeighborsExchangeLayouts(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		c, err := w.CartCreate([]int{3}, []bool{true})
		if err != nil {
			return err
		}
		const rows, n = 50, 4 // a halo column on each side
		m := make([]float64, rows*n)
		for i := range rows {
			m[i*n+1], m[i*n+2] = float64(100*c.Rank()+i), float64(1000+100*c.Rank()+i)
		}
		cols := mpi.Views(m, n, mpi.Vector(rows, 1, n).Resized(0, 8))
		err = mpi.NeighborAlltoallv(c, cols, []int{1, 1}, []int{1, 2}, cols[:0], []int{0, 0}, []int{0, 0})
		if !errors.Is(err, mpi.ErrBuffer) && !errors.Is(err, mpi.ErrTruncate) && err == nil {
			return fmt.Errorf("received nothing where a column came")
		}
		halo := mpi.Views(m, n, mpi.Vector(rows, 1, n).Resized(0, 8))
		if err := mpi.NeighborAlltoallw(c, []mpi.Part{mpi.PartOf(cols[1:2]), mpi.PartOf(cols[2:3])}, []mpi.Part{mpi.PartOf(halo[:1]), mpi.PartOf(halo[3:])}); err != nil {
			return err
		}
		left, right := (c.Rank()+2)%3, (c.Rank()+1)%3
		for i := range rows {
			if m[i*n] != float64(1000+100*left+i) || m[i*n+3] != float64(100*right+i) {
				return fmt.Errorf("row %d is %v", i, m[i*n:i*n+n])
			}
		}
		return nil
	})
}

// MPI 4.1, section 6.4 and 3.3.1: ranks whose layouts have elements of different types
// get an error.
func TestCollectiveCallsCompareWhatLayoutsAreMadeOf(t *testing.T) {
	t.Parallel() // it mostly waits
	everywhere(t, 2, func(w *mpi.Comm) error {
		w, err := w.Dup()
		if err != nil {
			return err
		}
		if w.Rank() == 0 {
			err = mpi.Bcast(w, mpi.View(make([]int32, 8), mpi.Vector(4, 1, 2)), 0)
			if err == nil {
				return nil // where messages are used, their receivers get the error
			}
		} else {
			err = mpi.Bcast(w, mpi.View(make([]float32, 8), mpi.Vector(4, 1, 2)), 0)
		}
		if !errors.Is(err, mpi.ErrType) && !errors.Is(err, mpi.ErrMismatch) {
			return fmt.Errorf("rank %d: %v", w.Rank(), err)
		}
		return nil
	})
}

// Invalid items of a collective call are an error before anything is moved.
func TestWrongItemsOfCollectiveCalls(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		m := make([]float64, 12)
		cols := func() []mpi.Item { return mpi.Views(m, 3, mpi.Vector(4, 1, 3).Resized(0, 8)) }
		other := mpi.Views(make([]int32, 12), 3, mpi.Vector(4, 1, 3).Resized(0, 4))
		for want, err := range map[string]error{
			"mpi: Allgather on world: send is Vector(4, 1, 3).Resized(0, 4) of int32 and recv is Vector(4, 1, 3).Resized(0, 8) of float64; they must be of the same elements": mpi.Allgather(w, other, cols()),
			"mpi: Gatherv on world root 0: recv, in items: part 0 is elements 1 to 3 of a buffer of 3; lengthen the buffer, or correct counts and displs":                     mpi.Gatherv(w, other, cols()[:0], nil, nil, 1),
		} {
			_ = want
			if err == nil {
				return fmt.Errorf("no error: %s", want)
			}
		}
		for _, err := range []error{
			mpi.Gatherv(w, cols(), cols(), []int{3}, []int{1}, 0),
			mpi.Scatterv(w, cols(), []int{4}, nil, cols(), 0),
			mpi.Allgatherv(w, cols(), cols(), []int{3, 3}, nil),
			mpi.Alltoallv(w, cols(), []int{3}, nil, cols(), []int{9}, nil),
			mpi.Alltoallv(w, cols(), []int{9}, nil, cols(), []int{3}, nil),
			mpi.Gather(w, cols(), cols(), 5),
			mpi.Alltoallw(w, []mpi.Part{mpi.PartOf(make([]mpi.Item, 1))}, []mpi.Part{{}}),
			mpi.Alltoallw(w, []mpi.Part{{}}, []mpi.Part{mpi.PartOf(make([]mpi.Item, 1))}),
			mpi.Bcast(nil, cols(), 0),
		} {
			if err == nil {
				return errors.New("no error")
			}
		}
		return nil
	})
}
