package mpi_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/mpi"
)

// The operations of these tests need whole items, and give a wrong result if they do not
// get them.

const itemPrime = 10007

// matrices multiplies square matrices, which does not commute.
func matrices(side int) mpi.Combiner[int64] {
	return onItemsOf(side*side, func(a, b, c []int64) {
		for i := range c {
			for k := range side {
				c[i] = (c[i] + a[i/side*side+k]*b[k*side+i%side]) % itemPrime
			}
		}
	})
}

// heisenberg adds vectors a and b of n elements, and to each element from the third on
// a[0] b[1], or a[0] b[0] if it is to commute.
func heisenberg(n int, commutes bool) mpi.Combiner[int64] {
	return onItemsOf(n, func(a, b, c []int64) {
		for i := range c {
			c[i] = a[i] + b[i]
			switch {
			case i > 1 && !commutes:
				c[i] += a[0] * b[1]
			case i > 0 && commutes:
				c[i] += a[0] * b[0]
			}
			c[i] %= itemPrime
		}
	})
}

// onItemsOf makes product, which sets c = a op b, an operation on items of n elements.
func onItemsOf(n int, product func(a, b, c []int64)) mpi.Combiner[int64] {
	return func(in, inout []int64) {
		c := make([]int64, len(inout))
		for i := 0; i < len(in); i += n {
			if len(in) != len(inout) || i+n > len(in) {
				c[0] = -1
				break
			}
			product(in[i:i+n], inout[i:i+n], c[i:i+n])
		}
		copy(inout, c)
	}
}

// combined returns the combination of the contributions of ranks first to last.
func combined(f mpi.Combiner[int64], k, first, last, n int) []int64 {
	out := values(k, last, n)
	for r := last - 1; r >= first; r-- {
		f(values(k, r, n), out)
	}
	return out
}

// A viewReduction is a reduction of items: of how many items in and out are for n, and
// what part of the combination of which ranks out gets.
type viewReduction struct {
	kind   string
	in     func(c *mpi.Comm, n int) int
	out    func(c *mpi.Comm, n int) (first, count int)
	last   func(c *mpi.Comm) int
	block  func(c *mpi.Comm, in, out []mpi.Item, n int, op mpi.Op) error
	begin  func(c *mpi.Comm, in, out []mpi.Item, n int, op mpi.Op) *mpi.Request
	repeat func(c *mpi.Comm, in, out []mpi.Item, n int, op mpi.Op) (*mpi.Request, error)
}

func oneEach(_ *mpi.Comm, n int) int          { return n }
func outLikeIn(_ *mpi.Comm, n int) (int, int) { return 0, n }
func ofAll(c *mpi.Comm) int                   { return c.Size() - 1 }

// sharesOf returns counts that differ.
func sharesOf(c *mpi.Comm, n int) (counts []int) {
	for r := range c.Size() {
		counts = append(counts, (n+r)%3)
	}
	return counts
}

var viewReductions = []viewReduction{
	{"reduce", oneEach, func(c *mpi.Comm, n int) (int, int) {
		if c.Rank() != n%c.Size() {
			return 0, 0
		}
		return 0, n
	}, ofAll,
		func(c *mpi.Comm, in, out []mpi.Item, n int, op mpi.Op) error {
			return mpi.Reduce(c, in, out, op, n%c.Size())
		},
		func(c *mpi.Comm, in, out []mpi.Item, n int, op mpi.Op) *mpi.Request {
			return mpi.Ireduce(c, in, out, op, n%c.Size())
		},
		func(c *mpi.Comm, in, out []mpi.Item, n int, op mpi.Op) (*mpi.Request, error) {
			return mpi.ReduceInit(c, in, out, op, n%c.Size())
		}},
	{"allreduce", oneEach, outLikeIn, ofAll,
		func(c *mpi.Comm, in, out []mpi.Item, _ int, op mpi.Op) error { return mpi.Allreduce(c, in, out, op) },
		func(c *mpi.Comm, in, out []mpi.Item, _ int, op mpi.Op) *mpi.Request {
			return mpi.Iallreduce(c, in, out, op)
		},
		func(c *mpi.Comm, in, out []mpi.Item, _ int, op mpi.Op) (*mpi.Request, error) {
			return mpi.AllreduceInit(c, in, out, op)
		}},
	{"reduce_scatter_block", func(c *mpi.Comm, n int) int { return n * c.Size() },
		func(c *mpi.Comm, n int) (int, int) { return n * c.Rank(), n }, ofAll,
		func(c *mpi.Comm, in, out []mpi.Item, _ int, op mpi.Op) error {
			return mpi.ReduceScatterBlock(c, in, out, op)
		},
		func(c *mpi.Comm, in, out []mpi.Item, _ int, op mpi.Op) *mpi.Request {
			return mpi.IreduceScatterBlock(c, in, out, op)
		},
		func(c *mpi.Comm, in, out []mpi.Item, _ int, op mpi.Op) (*mpi.Request, error) {
			return mpi.ReduceScatterBlockInit(c, in, out, op)
		}},
	{"reduce_scatter", func(c *mpi.Comm, n int) int { return sum(sharesOf(c, n)) },
		func(c *mpi.Comm, n int) (int, int) { s := sharesOf(c, n); return sum(s[:c.Rank()]), s[c.Rank()] }, ofAll,
		func(c *mpi.Comm, in, out []mpi.Item, n int, op mpi.Op) error {
			return mpi.ReduceScatter(c, in, out, sharesOf(c, n), op)
		},
		func(c *mpi.Comm, in, out []mpi.Item, n int, op mpi.Op) *mpi.Request {
			return mpi.IreduceScatter(c, in, out, sharesOf(c, n), op)
		},
		func(c *mpi.Comm, in, out []mpi.Item, n int, op mpi.Op) (*mpi.Request, error) {
			return mpi.ReduceScatterInit(c, in, out, sharesOf(c, n), op)
		}},
	{"scan", oneEach, outLikeIn, func(c *mpi.Comm) int { return c.Rank() },
		func(c *mpi.Comm, in, out []mpi.Item, _ int, op mpi.Op) error { return mpi.Scan(c, in, out, op) },
		func(c *mpi.Comm, in, out []mpi.Item, _ int, op mpi.Op) *mpi.Request { return mpi.Iscan(c, in, out, op) },
		func(c *mpi.Comm, in, out []mpi.Item, _ int, op mpi.Op) (*mpi.Request, error) {
			return mpi.ScanInit(c, in, out, op)
		}},
	{"exscan", oneEach, outLikeIn, func(c *mpi.Comm) int { return c.Rank() - 1 },
		func(c *mpi.Comm, in, out []mpi.Item, _ int, op mpi.Op) error { return mpi.Exscan(c, in, out, op) },
		func(c *mpi.Comm, in, out []mpi.Item, _ int, op mpi.Op) *mpi.Request {
			return mpi.Iexscan(c, in, out, op)
		},
		func(c *mpi.Comm, in, out []mpi.Item, _ int, op mpi.Op) (*mpi.Request, error) {
			return mpi.ExscanInit(c, in, out, op)
		}},
}

// holds makes the call, in one of the three ways, with buffers for n items of size
// elements, of layouts that differ from rank to rank, and compares it with a combination
// by hand.
func (v *viewReduction) holds(c *mpi.Comm, rnd *rand.Rand, f mpi.Combiner[int64], op mpi.Op, n, size, way int, inPlace bool) error {
	items := v.in(c, n)
	first, count := v.out(c, n)
	in := drawView(rnd, items, size)
	out := drawView(rnd, count, size)
	if inPlace = inPlace && count > 0; inPlace {
		out = in
	}
	begin := func(start int) {
		in.set(0, values(start, c.Rank(), items*size))
		if !inPlace {
			out.set(0, values(5, 5, count*size))
		}
	}
	check := func(start int) error {
		want := values(5, 5, count*size)
		if inPlace {
			want = values(start, c.Rank(), items*size)
		}
		if last := v.last(c); last >= 0 {
			copy(want, combined(f, start, 0, last, items*size)[first*size:][:count*size])
		}
		if v.kind == "reduce_scatter_block" || v.kind == "reduce_scatter" { // in place the rest is undefined
			rest := out
			rest.at = rest.at[:count*size]
			for _, at := range out.at[count*size:] {
				out.mem[at] = 0
			}
			return rest.holds("out", want[:count*size])
		}
		return out.holds("out", want)
	}
	if way < 2 {
		begin(1)
		var err error
		var r *mpi.Request
		if way == 0 {
			err = v.block(c, in.items, out.items, n, op)
		} else {
			r = v.begin(c, in.items, out.items, n, op)
		}
		if err := done(err, r); err != nil {
			return err
		}
		return check(1)
	}
	r, err := v.repeat(c, in.items, out.items, n, op)
	for start := 1; start < 3 && err == nil; start++ {
		begin(start)
		if err = errors.Join(r.Start(), mpi.WaitAll(r)); err == nil {
			err = check(start)
		}
	}
	return errors.Join(err, r.Free())
}

// MPI 4.1, section 6.9.5: operations of the user combine items of a derived datatype.
// They get whole items, whatever the algorithm, in the order of the ranks unless they
// commute, and only the elements of the layout change.
func TestUserOperationsOnItems(t *testing.T) {
	for n := 1; n <= 9; n++ {
		everywhereOn(t, transports[n%len(transports)].option, n, func(w *mpi.Comm) error { return reduceItemsBy(w, n) })
	}
	everywhere(t, 3, func(w *mpi.Comm) error { return reduceItemsBy(w, 0) })
}

// reduceItemsBy reduces items by all algorithms.
func reduceItemsBy(w *mpi.Comm, seed int) error {
	rnd := rand.New(rand.NewPCG(uint64(seed), uint64(w.Rank())))
	next := seed
	for _, v := range viewReductions {
		names, err := mpi.Algorithms(v.kind)
		if err != nil {
			return err
		}
		for _, name := range append(names, "") {
			c := w
			if name != "" {
				if c, err = w.DupWithInfo(mpi.Info{mpi.HintAlgorithms: v.kind + "=" + name}); err != nil {
					return err
				}
			}
			for _, size := range []int{1, 5, 300} {
				for _, commutes := range []bool{false, true} {
					f, items := heisenberg(size, commutes), []int{w.Size() + 2, 1, 0}[next/6%3]
					op, way, inPlace := mpi.OpFunc(f), next%3, next%2 == 0
					if commutes {
						op = mpi.OpFunc(f, mpi.Commutative)
					}
					if err := v.holds(c, rnd, f, op, items, size, way, inPlace); err != nil {
						return fmt.Errorf("%s by %q of %d items of %d elements, commutes %v, way %d, in place %v: %w", v.kind, name, items, size, commutes, way, inPlace, err)
					}
					next++
				}
			}
			if name != "" {
				if err := c.Free(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// MPI 4.1, section 6.9.7: the same on one rank.
func TestReduceLocalOfItems(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		m := []int64{1, 10, 2, 20, 3, 30, 4, 40}
		cols := mpi.Views(m, 2, mpi.Vector(4, 1, 2).Resized(0, 8))
		if err := mpi.ReduceLocal(w, cols[:1], cols[1:], mpi.OpFunc(matrices(2))); err != nil {
			return err
		}
		if err := equalAll("columns", m, []int64{1, 70, 2, 100, 3, 150, 4, 220}); err != nil {
			return err
		}
		if err := mpi.ReduceLocal(w, cols[:0], cols[:0], mpi.OpFunc(matrices(2))); err != nil {
			return err
		}
		plain := []int64{1, 1, 1, 1}
		err := mpi.ReduceLocal(w, mpi.View([]int64{1, 2, 3, 4}, mpi.Contiguous(4)), mpi.View(plain, mpi.Contiguous(4)), mpi.OpFunc(matrices(2)))
		return errors.Join(err, equalAll("contiguous", plain, []int64{3, 3, 7, 7}))
	})
}

type reading struct {
	At    int32
	Value float64
	Note  [3]byte
}

// An operation combines items that consist of its elements: arrays and structs of the
// same basic types in the same order, or any, as bytes (MPI 4.1, section 5.2).
func TestOperationsOnItemsOfStructs(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		r := []reading{{1, 2, [3]byte{9}}, {3, 4, [3]byte{8}}}
		pairs := mpi.OpFunc(func(in, inout []struct {
			A, B float64
		}) {
			for i := range in {
				inout[i].A += in[i].A
				inout[i].B = max(inout[i].B, in[i].B)
			}
		}, mpi.Commutative)
		v := mpi.View(r, mpi.Contiguous(2).Of(mpi.Fields[reading]("Value")))
		if err := mpi.Allreduce(w, v, v, pairs); err != nil {
			return err
		}
		if err := equalAll("pairs", r, []reading{{1, 6, [3]byte{9}}, {3, 4, [3]byte{8}}}); err != nil {
			return err
		}
		lengths := make(chan int, 100)
		packed := mpi.OpFunc(func(in, inout []byte) { lengths <- len(in); inout[0] += in[0] })
		r[0].At = int32(w.Rank())
		v = mpi.View(r, mpi.Fields[reading]("At", "Value"))
		if err := mpi.Allreduce(w, v, v, packed); err != nil {
			return err
		}
		close(lengths)
		for n := range lengths {
			if n != 12 {
				return fmt.Errorf("an operation got %d bytes", n)
			}
		}
		return equal("bytes", r[0], reading{3, 6, [3]byte{9}})
	})
}

// Items with which a reduction cannot be made are an error before anything moves.
func TestWrongReductionsOfItems(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		m, f := make([]int64, 12), mpi.OpFunc(matrices(2))
		cols := mpi.Views(m, 3, mpi.Vector(4, 1, 3).Resized(0, 8))
		other := mpi.Views(make([]int64, 12), 3, mpi.Vector(2, 1, 3).Resized(0, 8))
		const on = "mpi: Allreduce on world: "
		for i, p := range []struct {
			err   error
			class mpi.Class
			text  string
		}{
			{mpi.Allreduce(w, cols, cols, mpi.Sum), mpi.ErrOp, on + "Sum is not defined for items of a layout; use OpFunc with a function of their elements, or slices"},
			{mpi.Allreduce(w, cols, cols, nil), mpi.ErrOp, on + "the operation is nil; pass Sum, another of the predefined ones, or an OpFunc"},
			{mpi.Allreduce(w, cols, cols, mpi.OpFunc(func(in, inout []float64) {})), mpi.ErrOp,
				on + "the operation combines elements of type float64, an item is Vector(4, 1, 3).Resized(0, 8) of int64 (32 bytes); it must be a whole number of them"},
			{mpi.Allreduce(w, cols, cols, mpi.OpFunc(func(in, inout [][3]int64) {})), mpi.ErrOp, ""},
			{mpi.Allreduce(w, cols, cols, mpi.OpFunc(func(in, inout []struct{}) {})), mpi.ErrOp, ""},
			{mpi.Allreduce(w, cols, cols[:2], f), mpi.ErrCount, on + "in has 3 items and out 2; they must be equally many"},
			{mpi.Allreduce(w, cols, other, f), mpi.ErrCount, on + "an item of in has 32 bytes and one of out 16; they must be equally long"},
			{mpi.Allreduce(w, cols, mpi.Views(make([]float64, 12), 3, mpi.Contiguous(4)), f), mpi.ErrType, ""},
			{mpi.Allreduce(w, cols, make([]mpi.Item, 3), f), mpi.ErrLayout, ""},
			{mpi.Reduce(w, cols, cols[:2], f, 0), mpi.ErrCount, "mpi: Reduce on world root 0: in has 3 items and out 2; they must be equally many"},
			{mpi.Reduce(w, cols, cols, f, 1), mpi.ErrRoot, ""},
			{mpi.ReduceScatterBlock(w, cols, other[:2], f), mpi.ErrCount, "mpi: ReduceScatterBlock on world: in has 3 items, out of 1 ranks 2 each; make out 3"},
			{mpi.ReduceScatter(w, cols, cols, []int{2}, f), mpi.ErrCount, "mpi: ReduceScatter on world: in has 3 items, the counts make 2; they must be equal"},
			{mpi.ReduceScatter(w, cols, other, []int{4}, f), mpi.ErrBuffer, "mpi: ReduceScatter on world: in, in items: part 0 is elements 0 to 3 of a buffer of 3; lengthen the buffer, or correct counts and displs"},
			{mpi.ReduceScatter(w, cols, other[:2], []int{3}, f), mpi.ErrCount, "mpi: ReduceScatter on world: out has 2 items, counts[0] is 3; they must be equal"},
			{mpi.ReduceScatter(w, cols, cols, nil, f), mpi.ErrCount, ""},
			{mpi.Scan(w, cols, cols[:1], f), mpi.ErrCount, ""},
			{mpi.Exscan(w, cols, cols[:1], f), mpi.ErrCount, ""},
			{mpi.ReduceLocal(w, cols, cols[:1], f), mpi.ErrCount, "mpi: ReduceLocal on world: in has 3 items and inout 1; they must be equally many"},
			{mpi.ReduceLocal(w, cols, cols, f), mpi.ErrBuffer, "mpi: ReduceLocal on world: in and inout overlap; they must be apart"},
			{mpi.ReduceLocal(w, cols, mpi.View(make([]int64, 12), mpi.Contiguous(4)), mpi.Max), mpi.ErrCount, ""},
			{mpi.ReduceLocal(w, cols[:1], mpi.View(make([]int64, 12), mpi.Contiguous(4)), mpi.Max), mpi.ErrOp, ""},
			{mpi.Allreduce(nil, cols, cols, f), mpi.ErrComm, ""},
			{waited(mpi.Iallreduce(w, cols, cols, mpi.Prod)), mpi.ErrOp, "mpi: Iallreduce on world: Prod is not defined for items of a layout; use OpFunc with a function of their elements, or slices"},
			{second(mpi.ScanInit(w, cols, cols[:2], f)), mpi.ErrCount, "mpi: ScanInit on world: in has 3 items and out 2; they must be equally many"},
		} {
			if err := is(p.err, p.class, p.text); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
		return mpi.Allreduce(w, cols, cols, f)
	})
}

// MPI 4.1, section 6.2.2: each group gets the combination of the items of the other.
func TestUserOperationsOnItemsAcrossGroups(t *testing.T) {
	acrossGroups(t, func(w, inter *mpi.Comm, first bool) error {
		const side, size = 3, 9
		f := matrices(side)
		op, rnd := mpi.OpFunc(f), rand.New(rand.NewPCG(1, uint64(w.Rank())))
		me, they := 0, 100 // what values are numbered by
		if !first {
			me, they = they, me
		}
		all := func(n int) []int64 { return combined(f, 1, they, they+inter.RemoteSize()-1, n) }
		mine := func(items int) drawnView {
			v := drawView(rnd, items, size)
			v.set(0, values(1, me+inter.Rank(), items*size))
			return v
		}
		for i, a := range cases(inter, first) {
			for _, begins := range []bool{false, true} {
				var in, out drawnView
				if a.takes { // it gives here
					in = mine(2)
				} else if a.root == mpi.Root {
					out = drawView(rnd, 2, size)
				}
				var err error
				if begins {
					err = waited(mpi.Ireduce(inter, in.items, out.items, op, a.root))
				} else {
					err = mpi.Reduce(inter, in.items, out.items, op, a.root)
				}
				if err == nil && a.root == mpi.Root {
					err = out.holds("Reduce", all(2*size))
				}
				if err != nil {
					return fmt.Errorf("Reduce, case %d: %w", i, err)
				}
			}
		}
		out := drawView(rnd, 2, size)
		if err := errors.Join(mpi.Allreduce(inter, mine(2).items, out.items, op), out.holds("Allreduce", all(2*size))); err != nil {
			return err
		}
		items := inter.Size() * inter.RemoteSize() // as many as both groups can cut
		out = drawView(rnd, inter.RemoteSize(), size)
		want := all(items * size)[inter.Rank()*inter.RemoteSize()*size:][:inter.RemoteSize()*size]
		if err := errors.Join(mpi.ReduceScatterBlock(inter, mine(items).items, out.items, op), out.holds("ReduceScatterBlock", want)); err != nil {
			return err
		}
		clear(out.mem)
		r, err := mpi.ReduceScatterInit(inter, mine(items).items, out.items, slices.Repeat([]int{inter.RemoteSize()}, inter.Size()), op)
		for range 2 {
			err = errors.Join(err, r.Start(), mpi.WaitAll(r))
		}
		if err := errors.Join(err, r.Free(), out.holds("ReduceScatter", want)); err != nil {
			return err
		}
		return is(mpi.Scan(inter, out.items, out.items, op), mpi.ErrComm, "")
	})
}
