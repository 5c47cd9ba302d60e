//go:build amd64 && !purego && !race

package vec

import "github.com/klauspost/cpuid/v2"

// shortest is the length from which the kernels are used.
const shortest = 2 * lanes

// lanes divides the length that a kernel takes.
const lanes = 32

// hasAVX2 is read only.
var hasAVX2 = cpuid.CPU.Supports(cpuid.AVX2)

// canDemote is read only.
var canDemote = cpuid.CPU.Supports(cpuid.CLDEMOTE)

// stringsOfLines is whether moveLines is used: on AMD processors from Zen 5 on (family 26). It is read only, but
// for tests.
var stringsOfLines = cpuid.CPU.VendorID == cpuid.AMD && cpuid.CPU.Family >= 26 && cpuid.CPU.Supports(cpuid.AVX2, cpuid.ERMS, cpuid.FSRM)

// shortestPast is the shortest length for which CopyPast pays off between processors without a common cache. On AMD's
// Zen 4 (family 25, with AVX-512) a copy from core to core and one out of it take 0.9 us together past the caches for
// 4 KiB, and 2.4 in them, for 2 KiB 0.7 and 1.3, for 1 KiB 0.5 either way. On Zen 3 4 KiB take longer past the caches.
// It is read only.
var shortestPast = func() int {
	if cpuid.CPU.VendorID == cpuid.AMD && cpuid.CPU.Family == 25 && cpuid.CPU.Supports(cpuid.AVX512F) {
		return 2 << 10
	}
	return usualPast
}()

// fastSum, fastMin and fastMax do the first part of their loops, as much as a kernel can, and return its
// length: 0 for types without a kernel. Wrapped sums of signed and unsigned integers have the same bits.
func fastSum(in, inout any) int {
	if !hasAVX2 {
		return 0
	}
	switch out := inout.(type) {
	case []float64:
		return run(sumFloat64, in.([]float64), out)
	case []float32:
		return run(sumFloat32, in.([]float32), out)
	case []int64:
		return run(sumInt64, in.([]int64), out)
	case []int32:
		return run(sumInt32, in.([]int32), out)
	case []int:
		return run(sumInt64, cast[int64](in.([]int)), cast[int64](out))
	case []uint64:
		return run(sumInt64, cast[int64](in.([]uint64)), cast[int64](out))
	case []uint32:
		return run(sumInt32, cast[int32](in.([]uint32)), cast[int32](out))
	case []uint:
		return run(sumInt64, cast[int64](in.([]uint)), cast[int64](out))
	case []complex128:
		return run(sumFloat64, cast[float64](in.([]complex128)), cast[float64](out)) / 2
	case []complex64:
		return run(sumFloat32, cast[float32](in.([]complex64)), cast[float32](out)) / 2
	}
	return 0
}

func fastMin(in, inout any) int {
	if !hasAVX2 {
		return 0
	}
	switch out := inout.(type) {
	case []float64:
		return run(minFloat64, in.([]float64), out)
	case []float32:
		return run(minFloat32, in.([]float32), out)
	case []int64:
		return run(minInt64, in.([]int64), out)
	case []int32:
		return run(minInt32, in.([]int32), out)
	case []int:
		return run(minInt64, cast[int64](in.([]int)), cast[int64](out))
	}
	return 0
}

func fastMax(in, inout any) int {
	if !hasAVX2 {
		return 0
	}
	switch out := inout.(type) {
	case []float64:
		return run(maxFloat64, in.([]float64), out)
	case []float32:
		return run(maxFloat32, in.([]float32), out)
	case []int64:
		return run(maxInt64, in.([]int64), out)
	case []int32:
		return run(maxInt32, in.([]int32), out)
	case []int:
		return run(maxInt64, cast[int64](in.([]int)), cast[int64](out))
	}
	return 0
}

// shortestBlock is the shortest length of blocks for which moveBlocks is used: one vector.
const shortestBlock = 32

// shortestCopy is the shortest length for which move is used: one block.
const shortestCopy = 256

// longestCopy is the longest: longer data does not stay in a cache, and Go's copy does what processors recommend for
// that, which is to write past the caches. What a rank copies is one of several buffers of that length, and others
// share the third-level cache. Where that has 32 MiB, an Alltoallv of 1 and 2 MiB for each of two ranks takes 1.15
// times as long past the caches, of 4 MiB as long either way, of 6 MiB and more 0.63 to 0.87 as long. It is read only.
var longestCopy = longest(cpuid.CPU.Cache.L3)

// longest returns longestCopy for a third-level cache of so many bytes, or of an unknown size.
func longest(cache int) int {
	const least, most, share = 4 << 20, 16 << 20, 8
	if cache <= 0 {
		return most
	}
	return min(max(cache/share, least), most)
}

// shortestLines is the shortest length for which moveLines is used.
const shortestLines = 2560

// run uses a kernel on as many elements as the kernel takes.
func run[T any](kernel func(in, inout []T), in, inout []T) int {
	n := len(inout) &^ (lanes - 1)
	kernel(in[:n], inout[:n])
	return n
}
