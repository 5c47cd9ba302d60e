//go:build !purego

package lu

import "rhinet/npb/nas"

func kernelsOf(level nas.Level) kernels {
	switch level {
	case nas.AVX512:
		return kernels{lowerAVX512, upperAVX512, advanceAVX512}
	case nas.AVX2:
		return kernels{lowerAVX2, upperAVX2, advanceAVX2}
	}
	return kernelsGo()
}

// Each function below does what its Go form does (lowerGo and so on), where it is documented. They read
// their arguments by offset; see the program in npb/cfd/_asm.

//go:noescape
func lowerAVX2(a *sweepArgs)

//go:noescape
func lowerAVX512(a *sweepArgs)

//go:noescape
func upperAVX2(a *sweepArgs)

//go:noescape
func upperAVX512(a *sweepArgs)

//go:noescape
func advanceAVX2(a *sweepArgs)

//go:noescape
func advanceAVX512(a *sweepArgs)
