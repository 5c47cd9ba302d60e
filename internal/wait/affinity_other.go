//go:build !linux

package wait

// Affinity returns nil: the system does not say.
func Affinity() []byte { return nil }
