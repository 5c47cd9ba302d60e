//go:build !purego

package bt

import (
	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

func passes(level nas.Level) (forward, backward [3]func(*cfd.LineArgs)) {
	type pass = func(*cfd.LineArgs)
	switch level {
	case nas.AVX512:
		return [3]pass{forwardXAVX512, forwardYAVX512, forwardZAVX512},
			[3]pass{backwardAVX512, backwardAVX512, backwardAddAVX512}
	case nas.AVX2:
		return cfd.Halves(forwardXAVX2, forwardYAVX2, forwardZAVX2),
			cfd.Halves(backwardAVX2, backwardAVX2, backwardAddAVX2)
	}
	return passesGo()
}

// The doc of each function below is its Go form: forwardGo and backwardGo. They read
// their arguments by offsets; see the program in npb/cfd/_asm.

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
func backwardAVX2(a *cfd.LineArgs)

//go:noescape
func backwardAVX512(a *cfd.LineArgs)

//go:noescape
func backwardAddAVX2(a *cfd.LineArgs)

//go:noescape
func backwardAddAVX512(a *cfd.LineArgs)
