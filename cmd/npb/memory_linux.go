package main

import (
	"io/fs"
	"math"
	"os"
	"path"
	"strconv"
	"strings"
)

// availableMemory returns how many bytes processes can still allocate before the kernel kills one, -1 if
// the system does not tell.
func availableMemory() int64 { return availableUnder(os.DirFS("/")) }

// availableUnder is availableMemory for the files of a system: the memory that the kernel reports as
// available, including swap space, but no more than the limits of the control groups leave.
func availableUnder(root fs.FS) int64 {
	free := fields(root, "proc/meminfo")
	memory, ok := free["MemAvailable:"]
	if !ok {
		return -1
	}
	bytes := (memory + free["SwapFree:"]) << 10
	text, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range strings.Lines(string(text)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, path
		switch {
		case len(part) < 3:
		case part[1] == "":
			bytes = min(bytes, leftIn(root, "sys/fs/cgroup", part[2], "memory.max", "memory.current", "inactive_file"))
		case strings.Contains(part[1], "memory"):
			bytes = min(bytes, leftIn(root, "sys/fs/cgroup/memory", part[2], "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"))
		}
	}
	return max(0, bytes)
}

// leftIn returns the bytes that a control group and those around it leave: the limit minus the usage, not
// counting the part of the page cache that is reclaimed first.
func leftIn(root fs.FS, mount, group, limit, usage, cache string) int64 {
	least := int64(math.MaxInt64)
	for dir := path.Clean("/" + group); ; dir = path.Dir(dir) {
		at := path.Join(mount, dir)
		if most, ok := number(root, path.Join(at, limit)); ok { // not "max"
			used, _ := number(root, path.Join(at, usage))
			least = min(least, most-used+fields(root, path.Join(at, "memory.stat"))[cache])
		}
		if dir == "/" {
			return least
		}
	}
}

// number reads a file that holds one number.
func number(root fs.FS, name string) (int64, bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// fields reads a file of lines with a name and a number.
func fields(root fs.FS, name string) map[string]int64 {
	found := map[string]int64{}
	text, _ := fs.ReadFile(root, name)
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 2 {
			if n, err := strconv.ParseInt(f[1], 10, 64); err == nil {
				found[f[0]] = n
			}
		}
	}
	return found
}
