package sysinfo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// files returns a file system with the given files.
func files(texts map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for name, text := range texts {
		root[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return root
}

// The groups of a process come before those around them; version 1 has a folder for each controller.
func TestGroups(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"none", "", ""},
		{"version 2", "0::/a/b\n", "2 sys/fs/cgroup/a/b, 2 sys/fs/cgroup/a, 2 sys/fs/cgroup"},
		{"version 2, outermost", "0::/\n", "2 sys/fs/cgroup"},
		{"version 1", "3:memory:/y\n5:cpuacct,cpu:/x\nbroken\n", "1 sys/fs/cgroup/cpu/x, 1 sys/fs/cgroup/cpu"},
		{"version 1, of a longer name", "3:cpuset:/y\n", ""},
		{"both", "1:cpu:/\n0::/x\n", "1 sys/fs/cgroup/cpu, 2 sys/fs/cgroup/x, 2 sys/fs/cgroup"},
		{"outside", "0::/../x\n", "2 sys/fs/cgroup/x, 2 sys/fs/cgroup"},
	} {
		root := files(map[string]string{"proc/self/cgroup": c.file})
		if c.file == "" {
			root = nil
		}
		var got []string
		for version, dir := range Groups(root, "cpu") {
			got = append(got, fmt.Sprint(version, " ", dir))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
		for range Groups(root, "cpu") {
			break // a caller may stop
		}
	}
}

func TestNumber(t *testing.T) {
	root := files(map[string]string{"a": "12\n", "b": "max\n", "c": "-1"})
	var got []string
	for _, name := range []string{"a", "b", "c", "d"} {
		n, ok := Number(root, name)
		got = append(got, fmt.Sprint(n, ok))
	}
	if want := []string{"12 true", "0 false", "-1 true", "0 false"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestMemory(t *testing.T) {
	for text, want := range map[string]int64{
		"MemTotal: 9 kB\nMemAvailable:   200 kB\nSwapFree: 10 kB\n": 210 << 10,
		"MemAvailable: 200 kB\nSwapFree: x\nHugePages_Total\n":      200 << 10,
		"MemAvailable: x\nSwapFree: 10 kB\n":                        -1,
		"":                                                          -1,
	} {
		got, ok := Memory(files(map[string]string{"proc/meminfo": text}))
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d bytes, want %d", text, got, want)
		}
	}
}
