//go:build !purego

package sp

import (
	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

func passes(level nas.Level) (forward, backward [3]func(*cfd.LineArgs)) {
	type pass = func(*cfd.LineArgs)
	switch level {
	case nas.AVX512:
		return [3]pass{forwardXAVX512, forwardYAVX512, forwardZAVX512},
			[3]pass{backwardXAVX512, backwardYAVX512, backwardZAVX512}
	case nas.AVX2:
		return cfd.Halves(forwardXAVX2, forwardYAVX2, forwardZAVX2),
			cfd.Halves(backwardXAVX2, backwardYAVX2, backwardZAVX2)
	}
	return passesGo()
}

// Each function below does what its Go form, forwardGo or backwardGo, does. They read their arguments by
// offset; see the program in npb/cfd/_asm.

//go:noescape
func forwardXAVX2(a *cfd.LineArgs)

//go:noescape
func forwardXAVX512(a *cfd.LineArgs)

//go:noescape
func forwardYAVX2(a *cfd.LineArgs)

//go:noescape
func forwardYAVX512(a *cfd.LineArgs)

//go:noescape
func forwardZAVX2(a *cfd.LineArgs)

//go:noescape
func forwardZAVX512(a *cfd.LineArgs)

//go:noescape
func backwardXAVX2(a *cfd.LineArgs)

//go:noescape
func backwardXAVX512(a *cfd.LineArgs)

//go:noescape
func backwardYAVX2(a *cfd.LineArgs)

//go:noescape
func backwardYAVX512(a *cfd.LineArgs)

//go:noescape
func backwardZAVX2(a *cfd.LineArgs)

//go:noescape
func backwardZAVX512(a *cfd.LineArgs)
