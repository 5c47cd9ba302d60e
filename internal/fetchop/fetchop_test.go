package fetchop

import (
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
)

// cell is memory for one number, between others that must not change.
type cell[T number] struct{ before, at, after T }

// address returns where the number is.
func (c *cell[T]) address() *byte { return (*byte)(reflect.ValueOf(&c.at).UnsafePointer()) }

// truthOf is the number that stands for b.
func truthOf[T number](b bool) T {
	if b {
		return 1
	}
	return 0
}

// common returns plain operations on any number, beside those of o.
func common[T number](o Ops) map[string]struct {
	f    Func
	want func(was, in T) T
} {
	type row = struct {
		f    Func
		want func(was, in T) T
	}
	return map[string]row{
		"Sum":     {o.Sum, func(was, in T) T { return was + in }},
		"Prod":    {o.Prod, func(was, in T) T { return was * in }},
		"Min":     {o.Min, func(was, in T) T { return min(was, in) }},
		"Max":     {o.Max, func(was, in T) T { return max(was, in) }},
		"Replace": {o.Replace, func(was, in T) T { return in }},
		"Load":    {o.Load, func(was, in T) T { return was }},
		"LAnd":    {o.LAnd, func(was, in T) T { return truthOf[T](was != 0 && in != 0) }},
		"LOr":     {o.LOr, func(was, in T) T { return truthOf[T](was != 0 || in != 0) }},
		"LXor":    {o.LXor, func(was, in T) T { return truthOf[T]((was != 0) != (in != 0)) }},
	}
}

// numbers returns some numbers of type T, small ones and any.
func numbers[T number](r *rand.Rand) []T {
	all := []T{0, 1, 2}
	for range 5 {
		v := T(r.Int64() - r.Int64())
		all = append(all, v, T(0)-v)
	}
	return all
}

// check compares the operations with plain ones, on numbers of all signs and sizes.
func check[T number](t *testing.T) {
	kind := reflect.TypeFor[T]().Kind()
	o := Of(kind)
	if size := int(reflect.TypeFor[T]().Size()); o.Unit != size {
		t.Errorf("%v: %d bytes, want %d", kind, o.Unit, size)
	}
	all := numbers[T](rand.New(rand.NewPCG(7, uint64(kind))))
	for name, row := range common[T](o) {
		if real := kind == reflect.Float32 || kind == reflect.Float64; real && name[0] == 'L' && name != "Load" {
			if row.f != nil {
				t.Errorf("%v has %s", kind, name)
			}
			continue
		}
		for _, was := range all {
			for _, in := range all {
				c := cell[T]{5, was, 6}
				if old, want := FromBits[T](row.f(c.address(), Bits(in))), (cell[T]{5, row.want(was, in), 6}); old != was || c != want {
					t.Errorf("%v: %s of %v to %v: %v, %v", kind, name, in, was, old, c)
				}
			}
		}
	}
}

// checkInteger is check of what integers have besides.
func checkInteger[T integer](t *testing.T) {
	check[T](t)
	kind := reflect.TypeFor[T]().Kind()
	o := Of(kind)
	all := numbers[T](rand.New(rand.NewPCG(8, uint64(kind))))
	for _, was := range all {
		for _, in := range all {
			for name, row := range map[string]struct {
				f    Func
				want T
			}{"BAnd": {o.BAnd, was & in}, "BOr": {o.BOr, was | in}, "BXor": {o.BXor, was ^ in}} {
				c := cell[T]{5, was, 6}
				if old := FromBits[T](row.f(c.address(), Bits(in))); old != was || c != (cell[T]{5, row.want, 6}) {
					t.Errorf("%v: %s of %v to %v: %v, %v", kind, name, in, was, old, c)
				}
			}
			for _, compare := range []T{was, in} {
				c, want := cell[T]{5, was, 6}, cell[T]{5, was, 6}
				if compare == was {
					want.at = in
				}
				if old := FromBits[T](o.Swap(c.address(), Bits(compare), Bits(in))); old != was || c != want {
					t.Errorf("%v: %v in place of %v, %v is there: %v, %v", kind, in, compare, was, old, c)
				}
			}
		}
	}
}

// Operations do what plain ones do, return the number before, and touch nothing beside it.
func TestOps(t *testing.T) {
	checkInteger[int32](t)
	checkInteger[uint32](t)
	checkInteger[int64](t)
	checkInteger[uint64](t)
	check[float32](t)
	check[float64](t)
	for k := reflect.Invalid; k <= reflect.UnsafePointer; k++ {
		switch k {
		case reflect.Int32, reflect.Uint32, reflect.Int64, reflect.Uint64, reflect.Float32, reflect.Float64:
			continue
		}
		if o := Of(k); !reflect.ValueOf(o).IsZero() {
			t.Errorf("%v has operations", k)
		}
	}
}

// together has goroutines change one number n times each, and returns it.
func together[T number](first T, n int, f func(p *byte)) T {
	c := cell[T]{at: first}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range n {
				f(c.address())
			}
		})
	}
	all.Wait()
	return c.at
}

// No operation is lost among those of others, also if the processor has none for it.
func TestOpsAreAtomic(t *testing.T) {
	const n = 2000
	real, whole, short := Of(reflect.Float64), Of(reflect.Int64), Of(reflect.Uint32)
	if sum := together(0.0, n, func(p *byte) { real.Sum(p, Bits(1.0)) }); sum != 4*n {
		t.Errorf("Sum of float64: %v, want %d", sum, 4*n)
	}
	if sum := together(int64(0), n, func(p *byte) { whole.Sum(p, Bits(int64(-1))) }); sum != -4*n {
		t.Errorf("Sum of int64: %v, want %d", sum, -4*n)
	}
	if product := together(uint32(1), n, func(p *byte) { short.Prod(p, Bits(uint32(3))) }); product != power(3, 4*n) {
		t.Errorf("Prod of uint32: %v, want %d", product, power(3, 4*n))
	}
	swapped := together(int64(0), n, func(p *byte) {
		for was := int64(0); ; {
			old := FromBits[int64](whole.Swap(p, Bits(was), Bits(was+1)))
			if old == was {
				return
			}
			was = old
		}
	})
	if swapped != 4*n {
		t.Errorf("Swap of int64: %v, want %d", swapped, 4*n)
	}
}

// power is a product of n factors, which wraps.
func power(f uint32, n int) uint32 {
	p := uint32(1)
	for range n {
		p *= f
	}
	return p
}
