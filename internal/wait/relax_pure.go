//go:build (!amd64 && !arm64) || purego

package wait

// relax does nothing, in a call that the compiler does not remove.
//
//go:noinline
func relax() {}

// count counts n down to 0; the compiler keeps the empty loop.
//
//go:noinline
func count(n int) {
	for ; n > 0; n-- {
	}
}
