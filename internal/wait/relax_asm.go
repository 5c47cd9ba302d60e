//go:build (amd64 || arm64) && !purego

package wait

// relax tells the processor that this is a spin loop: it saves power, leaves the core to the other hardware
// thread, and makes leaving the loop cheap. It stands for a function that does nothing.
func relax()

// count counts n, at least 1, down to 0, one a cycle. It stands for
// for ; n > 0; n-- {}.
//
//go:noescape
func count(n int)
