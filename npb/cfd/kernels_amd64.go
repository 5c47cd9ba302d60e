//go:build !purego

package cfd

//go:generate go run -C _asm .

import "rhinet/npb/nas"

func operatorKernel(level nas.Level, transform bool) func(*opArgs) {
	plain := [...]func(*opArgs){nas.Plain: operatorGo, nas.AVX2: operatorAVX2, nas.AVX512: operatorAVX512}
	transformed := [...]func(*opArgs){
		nas.Plain: operatorTransformGo, nas.AVX2: operatorTransformAVX2, nas.AVX512: operatorTransformAVX512,
	}
	if transform {
		return transformed[level]
	}
	return plain[level]
}

func primitiveKernel(level nas.Level, sound bool) func(*primitiveArgs) {
	if sound {
		return [...]func(*primitiveArgs){nas.Plain: soundGo, nas.AVX2: soundAVX2, nas.AVX512: soundAVX512}[level]
	}
	return [...]func(*primitiveArgs){nas.Plain: reciprocalGo, nas.AVX2: reciprocalAVX2, nas.AVX512: reciprocalAVX512}[level]
}

func transposeKernels(level nas.Level) (gather, scatter func(*transposeArgs)) {
	switch level {
	case nas.AVX512:
		return gatherAVX512, scatterAVX512
	case nas.AVX2:
		return gatherAVX2, scatterAVX2
	}
	return gatherGo, scatterGo
}

// The doc of each function below is its Go form: operatorGo, and so on. They read
// their arguments by offsets; see the program in _asm.

//go:noescape
func operatorAVX2(a *opArgs)

//go:noescape
func operatorAVX512(a *opArgs)

//go:noescape
func operatorTransformAVX2(a *opArgs)

//go:noescape
func operatorTransformAVX512(a *opArgs)

//go:noescape
func reciprocalAVX2(a *primitiveArgs)

//go:noescape
func reciprocalAVX512(a *primitiveArgs)

//go:noescape
func soundAVX2(a *primitiveArgs)

//go:noescape
func soundAVX512(a *primitiveArgs)

//go:noescape
func gatherAVX2(a *transposeArgs)

//go:noescape
func gatherAVX512(a *transposeArgs)

//go:noescape
func scatterAVX2(a *transposeArgs)

//go:noescape
func scatterAVX512(a *transposeArgs)
