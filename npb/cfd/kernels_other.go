//go:build !amd64 || purego

package cfd

import "rhinet/npb/nas"

func operatorKernel(_ nas.Level, transform bool) func(*opArgs) {
	if transform {
		return operatorTransformGo
	}
	return operatorGo
}

func primitiveKernel(_ nas.Level, sound bool) func(*primitiveArgs) {
	if sound {
		return soundGo
	}
	return reciprocalGo
}

func transposeKernels(_ nas.Level) (gather, scatter func(*transposeArgs)) {
	return gatherGo, scatterGo
}
