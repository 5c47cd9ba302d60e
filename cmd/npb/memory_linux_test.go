package main

import (
	"testing"
	"testing/fstest"
)

func TestAvailableMemory(t *testing.T) {
	const meminfo = "MemTotal: 4000 kB\nMemAvailable:    3000 kB\nHugePages_Total: 0\nSwapFree: 500 kB\n"
	for _, c := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing", nil, -1},
		{"an old kernel", map[string]string{"proc/meminfo": "MemTotal: 4000 kB\n"}, -1},
		{"no groups", map[string]string{"proc/meminfo": meminfo}, 3500 << 10},
		{"no limit", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 3500 << 10},
		{"a group", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "2000000\n", "sys/fs/cgroup/a/b/memory.current": "900000\n",
			"sys/fs/cgroup/a/b/memory.stat": "anon 1\ninactive_file 100000\n"}, 1200000},
		{"the group around it", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "2000000\n", "sys/fs/cgroup/memory.max": "70000\n", "sys/fs/cgroup/memory.current": "20000"}, 50000},
		{"a group that is full", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n",
			"sys/fs/cgroup/memory.max": "70000\n", "sys/fs/cgroup/memory.current": "80000"}, 0},
		{"version 1", map[string]string{"proc/meminfo": meminfo, "proc/self/cgroup": "5:cpu,cpuacct:/x\nbroken\n4:memory:/job\n",
			"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "3000000\n", "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "1000000\n",
			"sys/fs/cgroup/memory/job/memory.stat": "inactive_file 5\ntotal_inactive_file 7\n"}, 2000007},
	} {
		root := fstest.MapFS{}
		for name, text := range c.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := availableUnder(root); got != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, got, c.want)
		}
	}
	if availableMemory() <= 0 {
		t.Error("this machine has no memory")
	}
}
