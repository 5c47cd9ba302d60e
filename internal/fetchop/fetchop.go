// Package fetchop is atomic operations on one number in memory that several processes use: those of MPI_Fetch_and_op
// and MPI_Compare_and_swap (MPI 4.1, section 12.3.5), as far as the processor has them. What it lacks is repeated until
// no other process has changed the number meanwhile.
package fetchop

import "reflect"

// A Func changes the number at p, atomically, by one operation with in, and returns the number before: both as [Bits].
// p must be aligned for the number.
type Func func(p *byte, in uint64) (old uint64)

// A Swap stores v at p, atomically, if compare is there, and returns the number before: all of them as [Bits].
type Swap func(p *byte, compare, v uint64) (old uint64)

// Ops are the operations on numbers of one kind; nil are those that it does not have.
type Ops struct {
	Unit int // bytes of a number; 0: there are no operations on numbers of this kind

	Sum, Prod, Min, Max Func
	LAnd, LOr, LXor     Func // of integers: logical
	BAnd, BOr, BXor     Func // of integers: bit by bit
	Replace             Func
	Load                Func // changes nothing; in is ignored
	Swap                Swap // of integers
}

// Of returns the operations on numbers of a kind: integers of 32 and 64 bits, and floating-point numbers.
func Of(k reflect.Kind) Ops {
	switch k {
	case reflect.Int32:
		return integers32[int32]()
	case reflect.Uint32:
		return integers32[uint32]()
	case reflect.Int64:
		return integers64[int64]()
	case reflect.Uint64:
		return integers64[uint64]()
	case reflect.Float32:
		return Ops{Unit: 4,
			Sum: fetch32(sum[float32]), Prod: fetch32(product[float32]), Min: fetch32(least[float32]), Max: fetch32(greatest[float32]),
			Replace: replace32, Load: load32,
		}
	case reflect.Float64:
		return Ops{Unit: 8,
			Sum: fetch64(sum[float64]), Prod: fetch64(product[float64]), Min: fetch64(least[float64]), Max: fetch64(greatest[float64]),
			Replace: replace64, Load: load64,
		}
	}
	return Ops{}
}

func integers32[T integer]() Ops {
	return Ops{Unit: 4,
		Sum: add32, Prod: fetch32(product[T]), Min: fetch32(least[T]), Max: fetch32(greatest[T]),
		LAnd: fetch32(logicalAnd[T]), LOr: fetch32(logicalOr[T]), LXor: fetch32(logicalXor[T]),
		BAnd: fetch32(bitsAnd[T]), BOr: fetch32(bitsOr[T]), BXor: fetch32(bitsXor[T]),
		Replace: replace32, Load: load32, Swap: swap32,
	}
}

func integers64[T integer]() Ops {
	return Ops{Unit: 8,
		Sum: add64, Prod: fetch64(product[T]), Min: fetch64(least[T]), Max: fetch64(greatest[T]),
		LAnd: fetch64(logicalAnd[T]), LOr: fetch64(logicalOr[T]), LXor: fetch64(logicalXor[T]),
		BAnd: fetch64(bitsAnd[T]), BOr: fetch64(bitsOr[T]), BXor: fetch64(bitsXor[T]),
		Replace: replace64, Load: load64, Swap: swap64,
	}
}

func sum[T number](in, was T) T      { return was + in }
func product[T number](in, was T) T  { return was * in }
func least[T number](in, was T) T    { return min(was, in) }
func greatest[T number](in, was T) T { return max(was, in) }

func bitsAnd[T integer](in, was T) T    { return was & in }
func bitsOr[T integer](in, was T) T     { return was | in }
func bitsXor[T integer](in, was T) T    { return was ^ in }
func logicalAnd[T integer](in, was T) T { return truth[T](was != 0 && in != 0) }
func logicalOr[T integer](in, was T) T  { return truth[T](was != 0 || in != 0) }
func logicalXor[T integer](in, was T) T { return truth[T]((was != 0) != (in != 0)) }

func truth[T integer](b bool) T {
	if b {
		return 1
	}
	return 0
}
