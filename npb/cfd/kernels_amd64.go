//go:build !purego

package cfd

func levels() []Level { return []Level{Plain} }

func operatorKernel(_ Level, transform bool) func(*opArgs) {
	if transform {
		return operatorTransformGo
	}
	return operatorGo
}

func primitiveKernel(_ Level, sound bool) func(*primitiveArgs) {
	if sound {
		return soundGo
	}
	return reciprocalGo
}

func transposeKernels(_ Level) (gather, scatter func(*transposeArgs)) {
	return gatherGo, scatterGo
}
