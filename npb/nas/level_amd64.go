//go:build !purego

package nas

import "github.com/klauspost/cpuid/v2"

func levels() []Level {
	all := []Level{Plain}
	if cpuid.CPU.Supports(cpuid.AVX2, cpuid.FMA3, cpuid.BMI1, cpuid.BMI2) {
		all = append(all, AVX2)
		if cpuid.CPU.Supports(cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512VL) {
			all = append(all, AVX512)
		}
	}
	return all
}
