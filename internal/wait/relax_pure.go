//go:build (!amd64 && !arm64) || purego

package wait

// relax does nothing, for a while that the compiler does not remove.
//
//go:noinline
func relax() {}

// count counts n down to 0; the compiler keeps a loop that does nothing.
//
//go:noinline
func count(n int) {
	for ; n > 0; n-- {
	}
}
