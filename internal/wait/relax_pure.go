//go:build (!amd64 && !arm64) || purego

package wait

// relax does nothing, for a while that the compiler does not remove.
//
//go:noinline
func relax() {}
