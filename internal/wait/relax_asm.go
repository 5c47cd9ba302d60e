//go:build (amd64 || arm64) && !purego

package wait

// relax tells the processor that this is a spin loop: it saves power, leaves
// the core to the other hardware thread, and makes leaving the loop cheap. It
// stands for a function that does nothing.
func relax()
