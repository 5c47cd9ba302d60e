//go:build !linux

package wait

import "runtime"

// yieldProcessor lets another goroutine run: the closest that this system offers without cgo.
func yieldProcessor() { runtime.Gosched() }
