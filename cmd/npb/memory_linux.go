package main

import (
	"io/fs"
	"math"
	"os"
	"path"

	"rhinet/internal/sysinfo"
)

// availableMemory returns how many bytes processes can still allocate before the kernel kills one, -1 if
// the system does not tell.
func availableMemory() int64 { return availableUnder(os.DirFS("/")) }

// The files of a control group that say how much memory it may have and has, by version.
var memoryFiles = [...]struct{ limit, usage, cache string }{
	1: {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
	2: {"memory.max", "memory.current", "inactive_file"},
}

// availableUnder is availableMemory for the files of a system: the memory that the kernel reports as
// available, including swap space, but no more than the limits of the control groups leave.
func availableUnder(root fs.FS) int64 {
	bytes, ok := sysinfo.Memory(root)
	if !ok {
		return -1
	}
	for version, dir := range sysinfo.Groups(root, "memory") {
		bytes = min(bytes, leftIn(root, version, dir))
	}
	return max(0, bytes)
}

// leftIn returns the bytes that a control group leaves: the limit minus the usage, not counting the part of
// the page cache that is reclaimed first.
func leftIn(root fs.FS, version int, dir string) int64 {
	file := &memoryFiles[version]
	most, ok := sysinfo.Number(root, path.Join(dir, file.limit))
	if !ok { // "max"
		return math.MaxInt64
	}
	used, _ := sysinfo.Number(root, path.Join(dir, file.usage))
	return most - used + sysinfo.Fields(root, path.Join(dir, "memory.stat"))[file.cache]
}
