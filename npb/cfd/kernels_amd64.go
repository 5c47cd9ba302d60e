//go:build !purego

package cfd

//go:generate go run -C _asm .

import "github.com/klauspost/cpuid/v2"

func levels() []Level {
	all := []Level{Plain}
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3, cpuid.BMI2) {
		all = append(all, AVX2)
		if cpuid.CPU.Supports(cpuid.AVX512F) {
			all = append(all, AVX512)
		}
	}
	return all
}

func operatorKernel(level Level, transform bool) func(*opArgs) {
	plain := [...]func(*opArgs){Plain: operatorGo, AVX2: operatorAVX2, AVX512: operatorAVX512}
	transformed := [...]func(*opArgs){
		Plain: operatorTransformGo, AVX2: operatorTransformAVX2, AVX512: operatorTransformAVX512,
	}
	if transform {
		return transformed[level]
	}
	return plain[level]
}

func primitiveKernel(level Level, sound bool) func(*primitiveArgs) {
	if sound {
		return [...]func(*primitiveArgs){Plain: soundGo, AVX2: soundAVX2, AVX512: soundAVX512}[level]
	}
	return [...]func(*primitiveArgs){Plain: reciprocalGo, AVX2: reciprocalAVX2, AVX512: reciprocalAVX512}[level]
}

func transposeKernels(level Level) (gather, scatter func(*transposeArgs)) {
	switch level {
	case AVX512:
		return gatherAVX512, scatterAVX512
	case AVX2:
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
