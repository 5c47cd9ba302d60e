package mpi

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"
)

// machine has two packages with two cores of two threads each; the third-level cache is
// shared by a package.
func machine() fstest.MapFS {
	root := fstest.MapFS{}
	put := func(cpu, file, text string) {
		root["sys/devices/system/cpu/cpu"+cpu+"/"+file] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	for i, cpu := range []string{"0", "1", "2", "3", "4", "5", "6", "7"} {
		core, half := []string{"0-1", "2-3", "4-5", "6-7"}[i/2], []string{"0-3", "4-7"}[i/4]
		put(cpu, "topology/thread_siblings_list", core)
		put(cpu, "topology/physical_package_id", []string{"0", "1"}[i/4])
		put(cpu, []string{"node0", "node1"}[i/4]+"/cpulist", half)
		for n, c := range []struct{ level, kind, who string }{{"1", "Instruction", cpu}, {"1", "Data", core}, {"3", "Unified", half}} {
			index := "cache/index" + string(rune('0'+n)) + "/"
			put(cpu, index+"level", c.level)
			put(cpu, index+"type", c.kind)
			put(cpu, index+"shared_cpu_list", c.who)
		}
	}
	return root
}

// MPI 4.1, section 9.1.2: a resource is "true" if the process is restricted to one of
// its kind; kinds that do not exist, or that the system does not tell about, have no
// key.
func TestHardwareResources(t *testing.T) {
	for _, tc := range []struct {
		name string
		cpus []int
		want string // the kinds to which the process is restricted
	}{
		{"thread", []int{3}, "hwthread core l1cache l3cache numa package host"},
		{"core", []int{2, 3}, "core l1cache l3cache numa package host"},
		{"package", []int{4, 5, 6, 7}, "l3cache numa package host"},
		{"some of a package", []int{4, 7}, "l3cache numa package host"},
		{"machine", []int{0, 1, 2, 3, 4, 5, 6, 7}, "host"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := Info{}
			for _, kind := range []string{"hwthread", "core", "l1cache", "l3cache", "numa", "package", "host"} {
				want[HardwareScheme+kind] = "false"
			}
			for _, kind := range strings.Fields(tc.want) {
				want[HardwareScheme+kind] = "true"
			}
			if got := (hardware{tc.cpus, machine()}).info(); !maps.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
	if got := (hardware{root: machine()}).info(); len(got) > 0 {
		t.Errorf("without processors: %v", got)
	}
	silent := hardware{[]int{0, 1}, fstest.MapFS{}}.info()
	if want := (Info{HardwareScheme + "hwthread": "false", HardwareScheme + "host": "true"}); !maps.Equal(silent, want) {
		t.Errorf("of a system that says nothing: %v, want %v", silent, want)
	}
}
