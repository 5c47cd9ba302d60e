package mpi

import (
	"strconv"

	"rhinet/internal/hwresource"
)

// HardwareScheme is the prefix of the names of hardware resources; the rest is a name
// as in mpirun --map-by: hwthread, core, l1cache, l2cache, l3cache, numa, package and
// host.
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
