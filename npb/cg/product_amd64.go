//go:build !purego

package cg

//go:generate go run -C _asm . -out ../product_amd64.s

import "rhinet/npb/nas"

// newProduct returns the product for a level. It does not use AVX2, which
// gathers no faster than Go loads.
func newProduct(level nas.Level) product {
	if level >= nas.AVX512 {
		return productAVX512
	}
	return productGo
}

// productAVX512 is productGo with another order of summation.
func productAVX512(out []float64, a *matrix, x []float64, from, to int) {
	if from >= to {
		return
	}
	_, _ = out[to-1], a.start[to]
	if a.short != nil {
		product16AVX512(&out[from], &a.start[from], &a.short[0], &a.value[0], &x[0], to-from)
	} else {
		product32AVX512(&out[from], &a.start[from], &a.long[0], &a.value[0], &x[0], to-from)
	}
}

// product16AVX512 and product32AVX512 are multiplyRows. They read up to 7 columns beyond the last row,
// which must be indices of x.
//
//go:noescape
func product16AVX512(out *float64, start *int32, column *uint16, value, x *float64, rows int)

//go:noescape
func product32AVX512(out *float64, start *int32, column *uint32, value, x *float64, rows int)
