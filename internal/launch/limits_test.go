package launch

import (
	"strings"
	"testing"
	"testing/fstest"

	"rhinet/internal/program"
)

func TestLimitsOfTheMachine(t *testing.T) {
	plenty := map[string]string{
		"proc/sys/kernel/threads-max": "100000\n", "proc/sys/kernel/pid_max": "4194304\n",
		"proc/meminfo": "MemTotal: 9 kB\nMemAvailable:   2000000 kB\nSwapFree: 1000000 kB\n", "proc/self/cgroup": "0::/a/b\n1:pids:/c\n2:cpu:/\n",
		"sys/fs/cgroup/a/b/pids.max": "max\n", "sys/fs/cgroup/a/b/pids.current": "10\n", "sys/fs/cgroup/a/pids.max": "20000\n", "sys/fs/cgroup/a/pids.current": "100\n",
		"sys/fs/cgroup/pids/c/pids.max": "9000\n", "sys/fs/cgroup/pids/c/pids.current": "100\n",
	}
	n := needs{ranks: 1000, threads: 5008}
	for name, c := range map[string]struct {
		change map[string]string
		user   int
		want   string // "": enough
	}{
		"plenty":               {nil, -1, ""},
		"user, just enough":    {nil, 5008, ""},
		"user":                 {nil, 5007, "1000 ranks need at least 5008 threads, but the limit is 5007; raise it with ulimit -u"},
		"machine":              {map[string]string{"proc/sys/kernel/threads-max": "4000"}, -1, "this machine allows 4000; raise /proc/sys/kernel/threads-max"},
		"process numbers":      {map[string]string{"proc/sys/kernel/pid_max": "4096"}, -1, "this machine allows 4096; raise /proc/sys/kernel/pid_max"},
		"group above":          {map[string]string{"sys/fs/cgroup/a/pids.max": "5000"}, -1, "the control group leaves 4900; raise its pids.max"},
		"group of version 1":   {map[string]string{"sys/fs/cgroup/pids/c/pids.max": "60"}, -1, "the control group leaves 0; raise its pids.max"},
		"memory":               {map[string]string{"proc/meminfo": "MemAvailable: 900000 kB\nSwapFree: 1000 kB\n"}, -1, "1000 ranks need at least 2000 MiB of memory, but 879 MiB are available; start fewer"},
		"unknown memory":       {map[string]string{"proc/meminfo": "SwapFree: 1000 kB\n"}, -1, ""},
		"unreadable numbers":   {map[string]string{"proc/meminfo": "MemAvailable: x kB\n", "proc/sys/kernel/threads-max": "x"}, -1, ""},
		"nothing known at all": {map[string]string{"proc/meminfo": "-", "proc/self/cgroup": "-", "proc/sys/kernel/threads-max": "-", "proc/sys/kernel/pid_max": "-"}, -1, ""},
	} {
		root := fstest.MapFS{}
		for _, files := range []map[string]string{plenty, c.change} {
			for file, text := range files {
				if root[file] = (&fstest.MapFile{Data: []byte(text)}); text == "-" {
					delete(root, file)
				}
			}
		}
		err := n.check(root, c.user)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (needs{1, 13}).check(fstest.MapFS{}, 5); err == nil || !strings.HasPrefix(err.Error(), "1 rank needs at least 13 threads") {
		t.Error(err)
	}
}

func TestNeedsOfAPlan(t *testing.T) {
	p, err := Prepare(job(Part{Ranks: 3, Program: "sh"}, self(t, 2)))
	if err != nil {
		t.Fatal(err)
	}
	each := 1
	if program.IsStatic(p.programs[1].Path) {
		each = threadsOfGo
	}
	if n := p.needs(); n != (needs{5, besides + 3 + 2*each}) {
		t.Errorf("got %+v", n)
	}
}
