package nics

import "golang.org/x/sys/unix"

// pin has this thread run on one processor.
func pin(processor int) error {
	var set unix.CPUSet
	set.Set(processor)
	return unix.SchedSetaffinity(0, &set)
}
