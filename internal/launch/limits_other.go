//go:build !linux

package launch

// processLimit would return how many threads the user of this process may have.
func processLimit() int { return -1 }
