package mpi_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"rhinet/mpi"
)

// A winStep is what one rank does to one range of a rank's part in an epoch. All ranks
// draw the same steps, so that each knows what the result must be.
type winStep struct {
	origin, target, disp int
	data                 []int
	kind                 int // of stepKinds
	op                   mpi.Op
}

const (
	stepPut = iota
	stepGet
	stepAccumulate
	stepGetAccumulate
	stepFetch
	stepSwap
	stepKinds
)

// winModel is a slow reference: the contents of the parts of all ranks.
type winModel [][]int

// do carries a step out, and returns the elements before.
func (m winModel) do(s winStep) (old []int) {
	mem := m[s.target][s.disp:][:len(s.data)]
	old = append(old, mem...)
	for i, v := range s.data {
		switch {
		case s.kind == stepGet:
		case s.kind == stepSwap:
			if mem[i] == s.data[0]/2 {
				mem[i] = v
			}
		case s.kind == stepPut:
			mem[i] = v
		default:
			mem[i] = updated(s.op, mem[i], v)
		}
	}
	return old
}

// updated is the result of an update by v.
func updated(op mpi.Op, was, v int) int {
	switch op {
	case mpi.Replace:
		return v
	case mpi.Sum:
		return was + v
	case mpi.Max:
		return max(was, v)
	case mpi.BXor:
		return was ^ v
	}
	return was // NoOp
}

// steps draws the steps of one epoch: ranges of different steps do not overlap, or else
// have the same origin, whose accesses are ordered if they are accumulates.
func (m winModel) steps(rnd *rand.Rand, ranks, n int) (all []winStep) {
	used := make([][]int, ranks) // which origin has an element, plus one
	for i := range used {
		used[i] = make([]int, n)
	}
	ops := []mpi.Op{mpi.Sum, mpi.Max, mpi.BXor, mpi.Replace, mpi.NoOp}
	for range 4 * ranks {
		s := winStep{origin: rnd.IntN(ranks), target: rnd.IntN(ranks), kind: rnd.IntN(stepKinds), op: ops[rnd.IntN(len(ops))]}
		if s.kind == stepAccumulate && s.op == mpi.NoOp {
			s.op = mpi.Replace // NoOp is for calls that fetch
		}
		length := 1 + rnd.IntN(5)
		if s.kind == stepFetch || s.kind == stepSwap {
			length = 1
		} else if rnd.IntN(4) == 0 {
			length = 1 + rnd.IntN(n)
		}
		s.disp = rnd.IntN(n - length + 1)
		free := true
		for i := range length {
			free = free && used[s.target][s.disp+i] == 0
		}
		if !free {
			continue
		}
		for i := range length {
			used[s.target][s.disp+i] = 1
			s.data = append(s.data, rnd.IntN(1000))
		}
		repeat := 1
		if s.kind != stepPut && s.kind != stepGet {
			repeat += rnd.IntN(3)
		}
		for range repeat {
			all = append(all, s)
		}
	}
	return all
}

// play carries the caller's steps out, in order, and checks what they fetch.
func (m winModel) play(w *mpi.Win[int], me int, all []winStep, lock mpi.LockType, each bool) (err error) {
	for _, s := range all {
		want := m.do(s)
		if s.origin != me {
			continue
		}
		if each {
			err = w.Lock(lock, s.target)
		}
		err = errors.Join(err, m.access(w, s, want))
		if each {
			err = errors.Join(err, w.Unlock(s.target))
		}
		if err != nil {
			return fmt.Errorf("%+v: %w", s, err)
		}
	}
	return nil
}

func (m winModel) access(w *mpi.Win[int], s winStep, want []int) error {
	got := make([]int, len(s.data))
	var err error
	switch s.kind {
	case stepPut:
		return w.Put(s.data, s.target, s.disp)
	case stepGet:
		err = w.Get(got, s.target, s.disp)
	case stepAccumulate:
		return w.Accumulate(s.data, s.target, s.disp, s.op)
	case stepGetAccumulate:
		err = w.GetAccumulate(s.data, got, s.target, s.disp, s.op)
	case stepFetch:
		got[0], err = w.FetchAndOp(s.data[0], s.target, s.disp, s.op)
	case stepSwap:
		got[0], err = w.CompareAndSwap(s.data[0]/2, s.data[0], s.target, s.disp)
	}
	return errors.Join(err, equalAll("fetched", got, want))
}

// TestRandomEpochs: random accesses in epochs of all kinds leave and fetch the same as
// a slow reference.
func TestRandomEpochs(t *testing.T) {
	const n, epochs = 40, 12
	for _, ranks := range []int{1, 2, 3, 5} {
		onWindows(t, ranks, n, func(c *mpi.Comm, w *mpi.Win[int]) error {
			return randomEpochs(c, w, n, epochs)
		})
	}
}

// randomEpochs plays random epochs on a window of n elements a rank.
func randomEpochs(c *mpi.Comm, w *mpi.Win[int], n, epochs int) error {
	rnd := rand.New(rand.NewPCG(12, uint64(c.Size())))
	m := make(winModel, c.Size())
	for r := range m {
		m[r] = make([]int, n)
	}
	all, err := w.Group()
	if err != nil {
		return err
	}
	for epoch := range epochs {
		steps, kind := m.steps(rnd, c.Size(), n), rnd.IntN(5)
		if err := epochOf(w, all, kind, func(each bool, lock mpi.LockType) error {
			return m.play(w, c.Rank(), steps, lock, each)
		}); err != nil {
			return fmt.Errorf("epoch %d of kind %d: %w", epoch, kind, err)
		}
		if err := mpi.Barrier(c); err != nil {
			return err
		}
		part, err := contents(c, w)
		if err = errors.Join(err, equalAll(fmt.Sprintf("after epoch %d of kind %d", epoch, kind), part, m[c.Rank()])); err != nil {
			return err
		}
		if err := mpi.Barrier(c); err != nil {
			return err
		}
	}
	return nil
}

// epochOf calls f in an epoch of one of five kinds. If each is true, f must lock for
// each access.
func epochOf(w *mpi.Win[int], all *mpi.Group, kind int, f func(each bool, lock mpi.LockType) error) error {
	switch kind {
	case 0:
		return errors.Join(w.Fence(mpi.NoPrecede), f(false, 0), w.Fence(mpi.NoSucceed))
	case 1:
		return errors.Join(w.Post(all), w.Start(all), f(false, 0), w.Complete(), w.Wait())
	case 2:
		return errors.Join(w.LockAll(), f(false, 0), w.FlushAll(), w.UnlockAll())
	case 3:
		return f(true, mpi.LockExclusive)
	}
	return f(true, mpi.LockShared)
}

// TestLongAndShortUpdates: no addition is lost when all ranks add many elements at a
// time and single ones to the same elements at once (12.7.1).
func TestLongAndShortUpdates(t *testing.T) {
	const n, rounds = 100, 60
	onWindows(t, 4, n, func(c *mpi.Comm, w *mpi.Win[int]) error {
		return longAndShort(c, w, n, rounds)
	})
}

// longAndShort adds to the n elements of rank 0 by several calls in turn.
func longAndShort(c *mpi.Comm, w *mpi.Win[int], n, rounds int) error {
	if err := w.LockAll(); err != nil {
		return err
	}
	ones, old := make([]int, n), make([]int, n)
	for i := range ones {
		ones[i] = 1
	}
	for i := range rounds {
		var err error
		switch (i + c.Rank()) % 4 {
		case 0:
			err = w.Accumulate(ones, 0, 0, mpi.Sum)
		case 1:
			err = w.GetAccumulate(ones, old, 0, 0, mpi.Sum)
		default:
			for k := range n {
				if _, e := w.FetchAndOp(1, 0, k, mpi.Sum); e != nil {
					return e
				}
			}
		}
		if err != nil {
			return err
		}
	}
	if err := errors.Join(w.UnlockAll(), mpi.Barrier(c)); err != nil || c.Rank() != 0 {
		return err
	}
	part, err := contents(c, w)
	for k, v := range part {
		if v != rounds*c.Size() {
			return fmt.Errorf("element %d is %d, want %d", k, v, rounds*c.Size())
		}
	}
	return err
}

// contents returns the part of this rank, outside of epochs, also if no processor can
// load from it.
func contents(c *mpi.Comm, w *mpi.Win[int]) ([]int, error) {
	if part := w.Local(); part != nil {
		return part, nil
	}
	me := c.Rank()
	part := make([]int, w.Len(me))
	return part, errors.Join(w.Lock(mpi.LockShared, me), w.Get(part, me, 0), w.Unlock(me))
}

// TestAtomicOperations: each operation of the processor gives the same result as in
// reductions.
func TestAtomicOperations(t *testing.T) {
	everywhere(t, 1, func(c *mpi.Comm) error {
		return errors.Join(atomicOperations[int32](c), atomicOperations[uint32](c), atomicOperations[int64](c),
			atomicOperations[uint64](c), atomicOperations[float32](c), atomicOperations[float64](c), atomicOperations[int8](c))
	})
}

func atomicOperations[T int8 | int32 | uint32 | int64 | uint64 | float32 | float64](c *mpi.Comm) error {
	w, err := mpi.WinAllocate[T](c, 1)
	if err != nil {
		return err
	}
	if err := w.LockAll(); err != nil {
		return err
	}
	for op := mpi.Sum; op <= mpi.MaxLoc; op++ {
		for _, pair := range [][2]T{{3, 5}, {0, 7}, {9, 0}, {100, 27}} {
			want, old := []T{pair[1]}, []T{0}
			undefined := mpi.ReduceLocal(c, pair[:1], want, op)
			_, err := w.FetchAndOp(pair[1], 0, 0, mpi.Replace)
			got, e := w.FetchAndOp(pair[0], 0, 0, op)
			if undefined != nil {
				if !errors.Is(e, mpi.ErrOp) {
					return fmt.Errorf("%s of %T: %v", op, pair[0], e)
				}
				continue
			}
			err = errors.Join(err, e, w.GetAccumulate(nil, old, 0, 0, mpi.NoOp))
			if err = errors.Join(err, equal("old", got, pair[1]), equal(fmt.Sprintf("%s of %v", op, pair), old[0], want[0])); err != nil {
				return err
			}
		}
	}
	return errors.Join(w.UnlockAll(), w.Free())
}

// TestPairsAreUpdatedWhole: MinLoc, MaxLoc and Replace of pairs of one kind of number
// exclude each other: no pair is a mixture of those of two ranks (12.7.1).
func TestPairsAreUpdatedWhole(t *testing.T) {
	everywhere(t, 3, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocate[mpi.ValLoc[int]](c, 1)
		if err != nil {
			return err
		}
		if err := w.LockAll(); err != nil {
			return err
		}
		for i := range 50 {
			v, op := i*c.Size()+c.Rank()+1, []mpi.Op{mpi.MaxLoc, mpi.MinLoc, mpi.Replace}[i%3]
			if _, err := w.FetchAndOp(mpi.ValLoc[int]{Val: v, Loc: -v}, 0, 0, op); err != nil {
				return err
			}
			old, err := w.FetchAndOp(mpi.ValLoc[int]{}, 0, 0, mpi.NoOp)
			if err != nil {
				return err
			}
			if old.Val != -old.Loc {
				return fmt.Errorf("a pair is %+v", old)
			}
		}
		return errors.Join(w.UnlockAll(), w.Free())
	})
}

// TestUpdatesOfAStruct: a struct is no number, even if it holds just one (6.9.2).
func TestUpdatesOfAStruct(t *testing.T) {
	type box struct{ Of int }
	everywhere(t, 2, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocate[box](c, 1)
		if err != nil {
			return err
		}
		if err := w.LockAll(); err != nil {
			return err
		}
		_, replaced := w.FetchAndOp(box{7}, 0, 0, mpi.Replace)
		_, added := w.FetchAndOp(box{1}, 0, 0, mpi.Sum)
		_, swapped := w.CompareAndSwap(box{7}, box{8}, 0, 0)
		old, err := w.FetchAndOp(box{}, 0, 0, mpi.NoOp)
		return errors.Join(replaced, err, equal("element", old, box{7}), is(added, mpi.ErrOp, ""), is(swapped, mpi.ErrType, ""), w.UnlockAll(), w.Free())
	})
}
