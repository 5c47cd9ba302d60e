//go:build !linux

package main

// availableMemory returns -1: unknown on this system.
func availableMemory() int64 { return -1 }
