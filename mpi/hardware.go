package mpi

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"rhinet/internal/wait"
)

// HardwareScheme is the prefix of the names of hardware resources; the rest is a name
// as in mpirun --map-by: hwthread, core, l1cache, l2cache, l3cache, numa, package and
// host.
//
// MPI 4.1, section 9.1.2.
const HardwareScheme = "rhinet://"

// A hardware is what the system says about the processors that this process may use.
type hardware struct {
	cpus []int
	root fs.FS // of the file system
}

func theHardware() hardware {
	h := hardware{root: os.DirFS("/")}
	for i, b := range wait.Affinity() {
		for j := range 8 {
			if b>>j&1 != 0 {
				h.cpus = append(h.cpus, 8*i+j)
			}
		}
	}
	return h
}

// A resource is a kind of hardware resources; of returns the one that a processor
// belongs to, "" if the system does not say.
type resource struct {
	name string
	of   func(h hardware, cpu int) string
}

var resources = []resource{
	{"hwthread", func(_ hardware, cpu int) string { return strconv.Itoa(cpu) }},
	{"core", func(h hardware, cpu int) string { return h.text(cpu, "topology/thread_siblings_list") }},
	{"l1cache", func(h hardware, cpu int) string { return h.cache(cpu, "1") }},
	{"l2cache", func(h hardware, cpu int) string { return h.cache(cpu, "2") }},
	{"l3cache", func(h hardware, cpu int) string { return h.cache(cpu, "3") }},
	{"numa", hardware.node},
	{"package", func(h hardware, cpu int) string { return h.text(cpu, "topology/physical_package_id") }},
	{"host", func(hardware, int) string { return "0" }},
}

// text returns what the system says about a processor.
func (h hardware) text(cpu int, file string) string {
	b, err := fs.ReadFile(h.root, path.Join("sys/devices/system/cpu", "cpu"+strconv.Itoa(cpu), file))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// cache returns the processors that share a processor's data cache of a level.
func (h hardware) cache(cpu int, level string) string {
	for i := range 8 {
		dir := "cache/index" + strconv.Itoa(i)
		if h.text(cpu, dir+"/level") == level && h.text(cpu, dir+"/type") != "Instruction" {
			return h.text(cpu, dir+"/shared_cpu_list")
		}
	}
	return ""
}

// node returns the NUMA node of a processor.
func (h hardware) node(cpu int) string {
	found, _ := fs.Glob(h.root, fmt.Sprintf("sys/devices/system/cpu/cpu%d/node[0-9]*", cpu))
	if len(found) == 0 {
		return ""
	}
	return path.Base(found[0])
}

// instance returns the resource of a kind to which the process is restricted, or "" if
// it may use several; known is false if the system does not say which ones.
func (h hardware) instance(of func(hardware, int) string) (one string, known bool) {
	for i, cpu := range h.cpus {
		switch v := of(h, cpu); {
		case v == "":
			return "", false
		case i == 0:
			one = v
		case v != one:
			return "", true
		}
	}
	return one, len(h.cpus) > 0
}

// HwResourceInfo lists the kinds of hardware resources. The value is "true" if this
// process is restricted to one resource of a kind, and else "false". The keys are names
// for [Comm.SplitHardware].
//
// MPI 4.1, section 9.1.2 (MPI_Get_hw_resource_info).
func HwResourceInfo() Info { return theHardware().info() }

func (h hardware) info() Info {
	info := Info{}
	for _, r := range resources {
		if one, known := h.instance(r.of); known {
			info[HardwareScheme+r.name] = strconv.FormatBool(one != "")
		}
	}
	return info
}
