package colltest

import (
	"encoding/binary"
	"math"

	"rhinet/collectives"
)

// The reducers of the suite.
type (
	affine   struct{} // composition of x -> a x + b modulo 2^32: does not commute
	bytesSum struct{} // bytes modulo 256
	floatSum struct{} // float64, whose sum depends on the order
)

var _ = []collectives.Reducer{affine{}, bytesSum{}, floatSum{}}

func (affine) ElemSize() int       { return 8 }
func (affine) Commutative() bool   { return false }
func (bytesSum) ElemSize() int     { return 1 }
func (bytesSum) Commutative() bool { return true }
func (floatSum) ElemSize() int     { return 8 }
func (floatSum) Commutative() bool { return true }

func (affine) Reduce(in, inout []byte) {
	le := binary.LittleEndian
	for i := 0; i < len(inout); i += 8 {
		a, b := le.Uint32(in[i:]), le.Uint32(in[i+4:])
		c, d := le.Uint32(inout[i:]), le.Uint32(inout[i+4:])
		le.PutUint32(inout[i:], a*c)
		le.PutUint32(inout[i+4:], a*d+b)
	}
}

func (bytesSum) Reduce(in, inout []byte) {
	for i := range inout {
		inout[i] += in[i]
	}
}

func (floatSum) Reduce(in, inout []byte) {
	le := binary.LittleEndian
	for i := 0; i < len(inout); i += 8 {
		x, y := math.Float64frombits(le.Uint64(in[i:])), math.Float64frombits(le.Uint64(inout[i:]))
		le.PutUint64(inout[i:], math.Float64bits(x+y))
	}
}
