package mpi

import (
	"strconv"
	"strings"

	"rhinet/internal/hwresource"
)

// HardwareScheme is the prefix of the names of hardware resources; the rest is the name
// of a kind: hwthread, core, l1cache, l2cache, l3cache, numa, package or host.
//
// MPI 4.1, section 9.1.2.
const HardwareScheme = "rhinet://"

// HwResourceInfo lists the kinds of hardware resources. The value is "true" if this
// process is restricted to one resource of a kind, and else "false". The keys are names
// for [Comm.SplitHardware].
//
// MPI 4.1, section 9.1.2 (MPI_Get_hw_resource_info).
func HwResourceInfo() Info {
	info, m := Info{}, hwresource.This()
	for k := range hwresource.NumKinds {
		if one, known := m.Instance(k); known {
			info[HardwareScheme+k.String()] = strconv.FormatBool(one != "")
		}
	}
	return info
}

// hwlocScheme is the prefix of the names that Open MPI gives to hardware resources.
const hwlocScheme = "hwloc://"

// resourceNamed returns the kind of resources that a program names: with a name of this package, or one of hwloc, as the
// other MPI libraries use them. Upper and lower case mean the same.
func resourceNamed(kind string) (k hwresource.Kind, found bool) {
	name := strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(kind), HardwareScheme), hwlocScheme)
	switch name {
	case "pu":
		return hwresource.HWThread, true
	case "numanode":
		return hwresource.NUMA, true
	case "socket":
		return hwresource.Package, true
	case "node", "machine":
		return hwresource.Host, true
	}
	return hwresource.Named(name)
}
