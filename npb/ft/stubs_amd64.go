//go:build !purego

package ft

// The functions in assembly; see the program in _asm. Each is the Go function
// of its name without suffix.

//go:noescape
func radixFourAVX2(work *float64, quarter, blocks int, roots *float64)

//go:noescape
func lastFourAVX2(work *float64, blocks int)

//go:noescape
func lastTwoAVX2(work *float64, blocks int)

//go:noescape
func takeAVX2(work *float64, n int, from *float64, stride, ahead int)

//go:noescape
func putAVX2(to *float64, stride int, work *float64, place *int32, n, ahead int)

//go:noescape
func takeEvolvedAVX2(work, from *float64, stride int, ex *float64, scale float64, ez *float64, n, ahead int)

//go:noescape
func takeTransposedAVX2(work *float64, cells int, from *float64, stride int)

//go:noescape
func putTransposedAVX2(to *float64, stride int, work *float64, place *int32, cells int)

//go:noescape
func radixFourAVX512(work *float64, quarter, blocks int, roots *float64)

//go:noescape
func lastFourAVX512(work *float64, blocks int)

//go:noescape
func lastTwoAVX512(work *float64, blocks int)

//go:noescape
func takeAVX512(work *float64, n int, from *float64, stride, ahead int)

//go:noescape
func putAVX512(to *float64, stride int, work *float64, place *int32, n, ahead int)

//go:noescape
func takeEvolvedAVX512(work, from *float64, stride int, ex *float64, scale float64, ez *float64, n, ahead int)

//go:noescape
func takeTransposedAVX512(work *float64, cells int, from *float64, stride int)

//go:noescape
func putTransposedAVX512(to *float64, stride int, work *float64, place *int32, cells int)
