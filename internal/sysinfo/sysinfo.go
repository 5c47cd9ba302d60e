// Package sysinfo reads from the files of a Linux system what bounds the processes of a job: its control
// groups, and numbers that the kernel reports. On other systems there are no such files, and no limits.
package sysinfo

import (
	"io/fs"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Groups iterates over the folders of the control groups in which this process is and that may limit what a
// controller distributes, such as memory: the groups of the process, and those around them, each of which may
// be the tightest. version is that of control groups, 1 or 2, which name their files differently. root is the
// root of the file system. A folder need not exist: inside a container the path of a group may be that on the
// host, where only the outermost one is mounted.
func Groups(root fs.FS, controller string) iter.Seq2[int, string] {
	return func(yield func(version int, dir string) bool) {
		text, _ := fs.ReadFile(root, "proc/self/cgroup")
		for line := range strings.Lines(string(text)) {
			field := strings.SplitN(strings.TrimSpace(line), ":", 3) // hierarchy:controllers:path
			if len(field) != 3 {
				continue
			}
			version, mount := 2, "sys/fs/cgroup"
			if field[1] != "" {
				version, mount = 1, path.Join(mount, controller)
				if !slices.Contains(strings.Split(field[1], ","), controller) {
					continue
				}
			}
			for dir := path.Clean("/" + field[2]); ; dir = path.Dir(dir) {
				if !yield(version, path.Join(mount, dir)) {
					return
				}
				if dir == "/" {
					break
				}
			}
		}
	}
}

// Number reads a file that holds one number. ok is false if there is no such file, or no number in it, such
// as "max".
func Number(root fs.FS, name string) (n int64, ok bool) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return 0, false
	}
	n, err = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}

// Fields reads a file of lines with a name and a number, and leaves out other lines.
func Fields(root fs.FS, name string) map[string]int64 {
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

// Memory returns how many bytes of memory and swap space the kernel reports as available on the machine. ok
// is false if it does not report that.
func Memory(root fs.FS) (bytes int64, ok bool) {
	free := Fields(root, "proc/meminfo")
	memory, ok := free["MemAvailable:"]
	if !ok {
		return 0, false
	}
	return (memory + free["SwapFree:"]) << 10, true
}
