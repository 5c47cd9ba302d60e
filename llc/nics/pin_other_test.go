//go:build !linux

package nics

// pin does nothing: this system cannot pin threads.
func pin(int) error { return nil }
