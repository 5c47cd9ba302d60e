//go:build !linux

package launch

// processLimit returns -1: the limit is not known on this system.
func processLimit() int { return -1 }
