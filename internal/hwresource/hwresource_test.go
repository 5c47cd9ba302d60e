package hwresource

import (
	"os"
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

// kinds returns the names of the kinds of which the process is restricted to one resource, and of those of which it may
// use several.
func kinds(m Machine) (one, several string) {
	var ones, severals []string
	for k := range NumKinds {
		switch r, known := m.Instance(k); {
		case r != "":
			ones = append(ones, k.String())
		case known:
			severals = append(severals, k.String())
		}
	}
	return strings.Join(ones, " "), strings.Join(severals, " ")
}

// MPI 4.1, section 9.1.2: of a process that is restricted to some processors it is known which kinds have one resource
// that it is restricted to, but for kinds that do not exist, or that the system does not tell about.
func TestInstance(t *testing.T) {
	for _, tc := range []struct {
		name         string
		m            Machine
		one, several string
	}{
		{"thread", Machine{[]int{3}, machine()}, "hwthread core l1cache l3cache numa package host", ""},
		{"core", Machine{[]int{2, 3}, machine()}, "core l1cache l3cache numa package host", "hwthread"},
		{"package", Machine{[]int{4, 5, 6, 7}, machine()}, "l3cache numa package host", "hwthread core l1cache"},
		{"some of a package", Machine{[]int{4, 7}, machine()}, "l3cache numa package host", "hwthread core l1cache"},
		{"machine", Machine{[]int{0, 1, 2, 3, 4, 5, 6, 7}, machine()}, "host", "hwthread core l1cache l3cache numa package"},
		{"no processors", Machine{nil, machine()}, "", ""},
		{"a system that says nothing", Machine{[]int{0, 1}, fstest.MapFS{}}, "host", "hwthread"},
	} {
		if one, several := kinds(tc.m); one != tc.one || several != tc.several {
			t.Errorf("%s: one of %q, several of %q; want %q and %q", tc.name, one, several, tc.one, tc.several)
		}
	}
}

// Processes on different resources have different instances.
func TestInstancesDiffer(t *testing.T) {
	for k, want := range []string{HWThread: "2", Core: "2-3", L1Cache: "2-3", L2Cache: "", L3Cache: "0-3", NUMA: "node0", Package: "0", Host: "0"} {
		if got, _ := (Machine{[]int{2}, machine()}).Instance(Kind(k)); got != want {
			t.Errorf("%v of processor 2: %q, want %q", Kind(k), got, want)
		}
	}
}

// The name of a kind leads to it.
func TestNamed(t *testing.T) {
	for k := range NumKinds {
		if got, found := Named(k.String()); got != k || !found {
			t.Errorf("%v: %v, %v", k, got, found)
		}
	}
	if k, found := Named("drawer"); found {
		t.Errorf("drawer: %v", k)
	}
}

// This process may use some processor.
func TestThis(t *testing.T) {
	if m := This(); len(m.CPUs) == 0 {
		if _, err := os.Stat("/sys/devices/system/cpu/cpu0"); err == nil {
			t.Error("this process may use no processor")
		}
	}
}
