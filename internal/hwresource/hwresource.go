// Package hwresource finds the hardware resources to which a process is restricted (MPI 4.1, section 9.1.2): of the
// kinds that mpirun --map-by knows, as the files of a Linux system tell them. On other systems there are none.
package hwresource

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"rhinet/internal/wait"
)

// A Kind is a kind of hardware resources.
type Kind uint8

// The kinds, from what a single process may have to what all of a host share.
const (
	HWThread Kind = iota
	Core
	L1Cache
	L2Cache
	L3Cache
	NUMA
	Package
	Host

	NumKinds // how many there are
)

// names are those of the kinds.
var names = [NumKinds]string{"hwthread", "core", "l1cache", "l2cache", "l3cache", "numa", "package", "host"}

// String returns the name, as in mpirun --map-by.
func (k Kind) String() string { return names[k] }

// Named returns the kind with a name, if there is one.
func Named(name string) (k Kind, found bool) {
	i := slices.Index(names[:], name)
	return Kind(max(i, 0)), i >= 0
}

// A Machine is what the system says about the processors that this process may use.
type Machine struct {
	CPUs []int
	Root fs.FS // of the file system
}

// This returns the machine of this process.
func This() Machine {
	m := Machine{Root: os.DirFS("/")}
	for i, b := range wait.Affinity() {
		for j := range 8 {
			if b>>j&1 != 0 {
				m.CPUs = append(m.CPUs, 8*i+j)
			}
		}
	}
	return m
}

// Instance returns the resource of a kind to which the process is restricted, or "" if it may use several; known is
// false if the system does not say which ones.
func (m Machine) Instance(k Kind) (one string, known bool) {
	for i, cpu := range m.CPUs {
		switch v := m.of(k, cpu); {
		case v == "":
			return "", false
		case i == 0:
			one = v
		case v != one:
			return "", true
		}
	}
	return one, len(m.CPUs) > 0
}

// of returns the resource of a kind that a processor belongs to, "" if the system does not say.
func (m Machine) of(k Kind, cpu int) string {
	switch k {
	case HWThread:
		return strconv.Itoa(cpu)
	case Core:
		return m.text(cpu, "topology/thread_siblings_list")
	case L1Cache, L2Cache, L3Cache:
		return m.cache(cpu, strconv.Itoa(1+int(k-L1Cache)))
	case NUMA:
		return m.node(cpu)
	case Package:
		return m.text(cpu, "topology/physical_package_id")
	}
	return "0"
}

// text returns what the system says about a processor.
func (m Machine) text(cpu int, file string) string {
	b, err := fs.ReadFile(m.Root, path.Join("sys/devices/system/cpu", "cpu"+strconv.Itoa(cpu), file))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// cache returns the processors that share a processor's data cache of a level.
func (m Machine) cache(cpu int, level string) string {
	for i := range 8 {
		dir := "cache/index" + strconv.Itoa(i)
		if m.text(cpu, dir+"/level") == level && m.text(cpu, dir+"/type") != "Instruction" {
			return m.text(cpu, dir+"/shared_cpu_list")
		}
	}
	return ""
}

// node returns the NUMA node of a processor.
func (m Machine) node(cpu int) string {
	found, _ := fs.Glob(m.Root, fmt.Sprintf("sys/devices/system/cpu/cpu%d/node[0-9]*", cpu))
	if len(found) == 0 {
		return ""
	}
	return path.Base(found[0])
}
