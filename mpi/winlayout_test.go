package mpi_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// placesOf draws a layout within n elements, and returns the indices of its elements,
// in order.
func placesOf(rnd *rand.Rand, n int) (l mpi.Layout, places []int) {
	block := 1 + rnd.IntN(3)
	blocks := 1 + rnd.IntN(n/block)
	add := func(at, len int) {
		for i := range len {
			places = append(places, at+i)
		}
	}
	switch rnd.IntN(4) {
	case 0:
		stride := block + rnd.IntN((n-blocks*block)/blocks+1)
		for i := range blocks {
			add(i*stride, block)
		}
		return mpi.Vector(blocks, block, stride), places
	case 1:
		var lens, displs []int
		for _, i := range rnd.Perm(n / block)[:blocks] {
			lens, displs = append(lens, 1+rnd.IntN(block)), append(displs, i*block)
			add(i*block, lens[len(lens)-1])
		}
		return mpi.Indexed(lens, displs), places
	case 2:
		var displs []int
		for _, i := range rnd.Perm(n / block)[:blocks] {
			displs = append(displs, i*block)
			add(i*block, block)
		}
		return mpi.IndexedBlock(block, displs), places
	}
	add(n-block, block) // last first
	add(0, n-block)
	return mpi.Indexed([]int{block, n - block}, []int{n - block, 0}), places
}

// randomLayouts has ranks put and get by random layouts, each at one other rank per
// round, and compares with a slow reference. The first element of a part that a layout
// may select is number skip.
func randomLayouts(c *mpi.Comm, w *mpi.Win[int], n, rounds int) error {
	rnd := rand.New(rand.NewPCG(15, uint64(c.Size())))
	model := make([][]int, c.Size())
	for r := range model {
		model[r] = make([]int, n)
	}
	for round := range rounds {
		if err := w.Fence(); err != nil {
			return err
		}
		var mine struct {
			l    mpi.Layout
			data []int
			skip int
		}
		target := (c.Rank() + round) % c.Size()
		for origin := range c.Size() {
			skip := rnd.IntN(n / 2)
			l, places := placesOf(rnd, n-skip)
			to := model[(origin+round)%c.Size()]
			data := make([]int, len(places))
			for i, at := range places {
				data[i] = rnd.Int()
				to[skip+at] = data[i]
			}
			if origin == c.Rank() {
				mine.l, mine.data, mine.skip = l, data, skip
			}
		}
		got := make([]int, len(mine.data))
		if err := errors.Join(
			w.PutLayout(mine.data, target, mine.skip, mine.l), w.Fence(), w.GetLayout(got, target, mine.skip, mine.l), equalAll(fmt.Sprintf("%v", mine.l), got, mine.data), w.Fence(mpi.NoSucceed),
		); err != nil {
			return err
		}
		part, err := contents(c, w)
		if err = errors.Join(err, equalAll(fmt.Sprintf("part after round %d", round), part, model[c.Rank()]), mpi.Barrier(c)); err != nil {
			return err
		}
	}
	return nil
}

// randomUpdates has ranks update elements by random layouts, all at one rank at once,
// and fetch by others, and compares with a slow reference.
func randomUpdates(c *mpi.Comm, w *mpi.Win[int], n, rounds int) error {
	rnd := rand.New(rand.NewPCG(16, uint64(c.Size())))
	model := make([]int, c.Size()*n) // parts, one after the other
	together, alone := []mpi.Op{mpi.Sum, mpi.BXor, mpi.Max}, []mpi.Op{mpi.Sum, mpi.Replace, mpi.NoOp}
	type access struct {
		target, skip int
		l            mpi.Layout
		data, was    []int
	}
	// draw returns what this rank does; each rank does the same at its target.
	draw := func(op mpi.Op, target func(origin int) int) (mine access) {
		for origin := range c.Size() {
			a := access{target: target(origin), skip: rnd.IntN(n / 2)}
			var places []int
			a.l, places = placesOf(rnd, n-a.skip)
			for _, at := range places {
				p, v := &model[a.target*n+a.skip+at], rnd.IntN(1000)
				a.data, a.was = append(a.data, v), append(a.was, *p)
				*p = updated(op, *p, v)
			}
			if origin == c.Rank() {
				mine = a
			}
		}
		return mine
	}
	for round := range rounds {
		op := together[round%len(together)]
		a := draw(op, func(int) int { return round % c.Size() })
		err := errors.Join(w.Fence(), w.AccumulateLayout(a.data, a.target, a.skip, a.l, op), w.Fence())
		op = alone[round%len(alone)]
		a = draw(op, func(origin int) int { return (origin + round) % c.Size() })
		old := make([]int, len(a.data))
		err = errors.Join(err, w.GetAccumulateLayout(a.data, old, a.target, a.skip, a.l, op), equalAll(fmt.Sprintf("%v was", a.l), old, a.was), w.Fence(mpi.NoSucceed))
		if err != nil {
			return err
		}
		part, err := contents(c, w)
		if err = errors.Join(err, equalAll(fmt.Sprintf("part after round %d", round), part, model[c.Rank()*n:][:n]), mpi.Barrier(c)); err != nil {
			return err
		}
	}
	return nil
}

// TestUpdatesByLayouts: elements selected by layouts are updated, each atomically, also
// if all ranks do so at once (12.3.4, 12.7.1).
func TestUpdatesByLayouts(t *testing.T) {
	for _, n := range []int{20, 90} { // a few bytes, and many
		onWindows(t, 3, n, func(c *mpi.Comm, w *mpi.Win[int]) error { return randomUpdates(c, w, n, 12) })
	}
}

// TestUpdatesByLayoutsByHardware: boards have no operation for them, others only for
// layouts of one piece.
func TestUpdatesByLayoutsByHardware(t *testing.T) {
	for _, n := range []int{20, 400} {
		onHardwareWindows(t, 3, n, func(c *mpi.Comm, w *mpi.Win[int]) error { return randomUpdates(c, w, n, 12) })
	}
}

// TestUpdatesOfHalvesByLayouts: elements for which processors have no operation are
// updated under the lock, arrays as a whole.
func TestUpdatesOfHalvesByLayouts(t *testing.T) {
	onWindows(t, 3, 12, func(c *mpi.Comm, w *mpi.Win[int]) error {
		halves, err := mpi.WinAs[int16](w)
		if err != nil {
			return err
		}
		if err := w.LockAll(); err != nil {
			return err
		}
		odd, last := mpi.Vector(20, 1, 2), mpi.Vector(3, 1, -2)
		ones, old := make([]int16, 20), make([]int16, 3)
		for i := range ones {
			ones[i] = int16(i)
		}
		for range 50 {
			err = errors.Join(err, halves.AccumulateLayout(ones, 0, 1, odd, mpi.Sum))
		}
		err = errors.Join(err, w.FlushAll(), mpi.Barrier(c), halves.GetAccumulateLayout(nil, old, 0, 5, last, mpi.NoOp), equalAll("fetched", old, []int16{300, 150, 0}), w.UnlockAll())
		if c.Rank() != 0 || err != nil {
			return err
		}
		all := make([]int16, 48)
		if err := errors.Join(w.Lock(mpi.LockShared, 0), halves.Get(all, 0, 0), w.Unlock(0)); err != nil {
			return err
		}
		for i, v := range all {
			want := 0
			if i%2 == 1 && i < 40 {
				want = 150 * (i / 2)
			}
			if err := equal(fmt.Sprintf("half %d", i), int(v), want); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestLayoutsInWindows: elements are put to, and got from, the locations of layouts
// (12.3.1, 12.3.2).
func TestLayoutsInWindows(t *testing.T) {
	onWindows(t, 3, 60, func(c *mpi.Comm, w *mpi.Win[int]) error { return randomLayouts(c, w, 60, 12) })
}

// TestBlocksInWindows: blocks at equal distances, rows of such blocks, and other
// layouts are all put to the right elements, and nothing between them changes.
func TestBlocksInWindows(t *testing.T) {
	const n = 3000
	onWindows(t, 2, n, func(c *mpi.Comm, w *mpi.Win[int]) error {
		want, next := make([]int, n), 0
		for _, l := range []mpi.Layout{
			mpi.Vector(50, 7, 20),
			mpi.Hvector(5, 1, 8*400).Of(mpi.Vector(9, 11, 23)),
			mpi.Hindexed([]int{1, 1, 1}, []int{8 * 1500, 0, 8 * 700}).Of(mpi.Vector(30, 2, 5)),
			mpi.Indexed([]int{5, 90, 1}, []int{2900, 100, 17}),
		} {
			shape, err := mpi.ShapeOf[int](l)
			if err != nil {
				return err
			}
			data, got := make([]int, shape.Size/8), make([]int, shape.Size/8)
			for i := range data {
				next++
				data[i] = next
			}
			if _, err = mpi.Sendrecv(c, data, c.Rank(), 0, mpi.View(want, l), c.Rank(), 0); err != nil {
				return err
			}
			if c.Rank() == 0 {
				err = errors.Join(w.Lock(mpi.LockExclusive, 1), w.PutLayout(data, 1, 0, l), w.Flush(1), w.GetLayout(got, 1, 0, l), w.Unlock(1), equalAll("got", got, data))
			}
			if err = errors.Join(err, mpi.Barrier(c)); err != nil {
				return err
			}
		}
		if c.Rank() == 0 {
			return nil
		}
		part, err := contents(c, w)
		return errors.Join(err, equalAll("part", part, want))
	})
}

// TestLayoutsByHardware, also if the network interface keeps the memory of the window
// on its board.
func TestLayoutsByHardware(t *testing.T) {
	onHardwareWindows(t, 3, 400, func(c *mpi.Comm, w *mpi.Win[int]) error { return randomLayouts(c, w, 400, 20) })
}

// TestBytesOnBoards: pieces that are no multiples of the unit of a board are moved one
// by one, and parts may be empty.
func TestBytesOnBoards(t *testing.T) {
	mpitest.Run(t, 3, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocate[byte](c, 100*c.Rank(), mpi.Info{mpi.HintWindow: "memory=board"})
		if err != nil {
			return err
		}
		l, want := mpi.Vector(9, 3, 7), make([]byte, 59)
		data := make([]byte, 27)
		for i := range data {
			data[i] = byte(i + 1)
			want[i/3*7+i%3] = data[i]
		}
		got, all := make([]byte, 27), make([]byte, 59)
		err = w.LockAll()
		if c.Rank() == 0 {
			err = errors.Join(err, w.PutLayout(data, 2, 40, l), w.Flush(2), w.GetLayout(got, 2, 40, l), w.Get(all, 2, 40), w.PutLayout(nil, 0, 0, mpi.Contiguous(0)),
				equalAll("data", got, data), equalAll("part", all, want), is(w.PutLayout(data, 0, 0, l), mpi.ErrRMARange, ""))
		}
		return errors.Join(err, w.UnlockAll(), equal("own part", len(w.Local()), 0), equal("length", w.Len(2), 200), w.Free())
	}, mpitest.NIC("dimmnet2"))
}

// TestBoardsAreGivenBack: a window for which no board has room is in memory, and a
// freed one releases its room.
func TestBoardsAreGivenBack(t *testing.T) {
	mpitest.Run(t, 2, func(c *mpi.Comm) error {
		for range 30 {
			var ways []string
			for _, n := range []int{1 << 16, 1 << 17} {
				w, err := mpi.WinAllocate[float64](c, n, mpi.Info{mpi.HintWindow: "memory=board"})
				if err != nil {
					return err
				}
				info, err := w.Info()
				if err = errors.Join(err, w.Free()); err != nil {
					return err
				}
				ways = append(ways, info[mpi.HintWindow])
			}
			const library = "update=processor,lock=library,memory="
			if err := equalAll("ways", ways, []string{library + "board", library + "board"}); err != nil {
				return err
			}
		}
		large, err := mpi.WinAllocate[float64](c, 1+c.Rank()<<17, mpi.Info{mpi.HintWindow: "memory=board"})
		if err != nil {
			return err
		}
		info, err := large.Info()
		return errors.Join(err, equal("way", info[mpi.HintWindow], "update=processor,lock=library,memory=host"), large.Free())
	}, mpitest.NIC("dimmnet2"))
}

// TestWrongLayoutsInWindows: the error names what is wrong with a layout, and nothing
// is moved.
func TestWrongLayoutsInWindows(t *testing.T) {
	onWindows(t, 2, 10, func(c *mpi.Comm, w *mpi.Win[int]) error {
		five := make([]int, 5)
		early := w.PutLayout(five, 1, 0, mpi.Vector(5, 1, 2))
		if err := w.Fence(); err != nil {
			return err
		}
		var none *mpi.Win[int]
		return errors.Join(
			is(early, mpi.ErrRMASync, ""),
			is(none.PutLayout(five, 1, 0, mpi.Contiguous(5)), mpi.ErrWin, ""),
			is(w.GetLayout(five, 2, 0, mpi.Contiguous(5)), mpi.ErrRank, ""),
			is(w.PutLayout(five, 1, 0, mpi.Contiguous(4)), mpi.ErrCount, "mpi: PutLayout on world.win1 to 1: Contiguous(4) has 32 bytes and the buffer 40; they must be equal"),
			is(w.GetLayout(five, 1, 0, mpi.Contiguous(-1)), mpi.ErrLayout, ""),
			is(w.PutLayout(five, 1, 0, mpi.Indexed([]int{3, 2}, []int{0, 2})), mpi.ErrLayout,
				"mpi: PutLayout on world.win1 to 1: some bytes of Indexed(2 blocks) belong to two elements, so it can be got and not put"),
			w.GetLayout(five, 1, 0, mpi.Indexed([]int{3, 2}, []int{0, 2})),
			is(w.PutLayout(five, 1, 2, mpi.Vector(5, 1, 2)), mpi.ErrRMARange, ""),
			is(w.GetLayout(five, 1, 3, mpi.Vector(5, 1, -1)), mpi.ErrRMARange, ""),
			w.GetLayout(five, 1, 4, mpi.Vector(5, 1, -1)),
			w.PutLayout(five, mpi.ProcNull, 0, mpi.Contiguous(5)),
			wrongUpdates(w, five),
			w.Fence(mpi.NoSucceed),
			equalAll("part", w.Local(), make([]int, len(w.Local()))),
		)
	})
}

// wrongUpdates makes updates by layouts that change nothing.
func wrongUpdates(w *mpi.Win[int], five []int) error {
	var none *mpi.Win[int]
	ones, old, all := []int{1, 1, 1, 1, 1}, make([]int, 5), mpi.Contiguous(5)
	user := mpi.OpFunc(func(in, inout []int) {})
	twice := mpi.Indexed([]int{3, 2}, []int{0, 2})
	return errors.Join(
		is(none.AccumulateLayout(ones, 1, 0, all, mpi.Sum), mpi.ErrWin, ""),
		is(none.GetAccumulateLayout(ones, old, 1, 0, all, mpi.Sum), mpi.ErrWin, ""),
		is(w.AccumulateLayout(ones, 2, 0, all, mpi.Sum), mpi.ErrRank, ""),
		is(w.AccumulateLayout(ones, 1, 0, all, nil), mpi.ErrOp, ""),
		is(w.AccumulateLayout(ones, 1, 0, all, user), mpi.ErrOp, ""),
		tells(w.AccumulateLayout(ones, 1, 0, mpi.Contiguous(4), mpi.Sum), mpi.ErrCount, "Contiguous(4) has 32 bytes and the buffer 40; they must be equal"),
		tells(w.GetAccumulateLayout(ones, old[:4], 1, 0, all, mpi.Sum), mpi.ErrCount, "data has 5 elements and old 4"),
		is(w.GetAccumulateLayout(nil, old, 1, 0, mpi.Contiguous(4), mpi.NoOp), mpi.ErrCount, ""),
		is(w.GetAccumulateLayout(five, five, 1, 0, all, mpi.Sum), mpi.ErrBuffer, ""),
		is(w.AccumulateLayout(ones, 1, 0, mpi.Contiguous(-1), mpi.Sum), mpi.ErrLayout, ""),
		tells(w.AccumulateLayout(ones, 1, 0, twice, mpi.Sum), mpi.ErrLayout, "some bytes of Indexed(2 blocks) belong to two elements, so it can be got and not updated"),
		tells(w.GetAccumulateLayout(nil, old, 1, 0, twice, mpi.NoOp), mpi.ErrLayout, "and not updated"),
		tells(w.AccumulateLayout(ones, 1, 0, mpi.Hvector(5, 1, 12), mpi.Sum), mpi.ErrLayout, "Hvector(5, 1, 12) has parts of elements of type int; updates are of whole elements"),
		is(w.AccumulateLayout(ones, 1, 2, mpi.Vector(5, 1, 2), mpi.Sum), mpi.ErrRMARange, ""),
		is(w.GetAccumulateLayout(ones, old, 1, 3, mpi.Vector(5, 1, -1), mpi.Sum), mpi.ErrRMARange, ""),
		w.AccumulateLayout(ones, mpi.ProcNull, 0, all, mpi.Sum),
		w.GetAccumulateLayout(ones, old, mpi.ProcNull, 0, all, mpi.Sum),
		equalAll("old", old, make([]int, 5)),
	)
}
