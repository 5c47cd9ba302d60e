// Package npb lists the NAS Parallel Benchmarks. Each is a package in a subdirectory; what they share is in
// rhinet/npb/nas.
package npb

import (
	"strings"

	"rhinet/npb/bt"
	"rhinet/npb/cg"
	"rhinet/npb/ep"
	"rhinet/npb/ft"
	"rhinet/npb/is"
	"rhinet/npb/lu"
	"rhinet/npb/mg"
	"rhinet/npb/nas"
	"rhinet/npb/sp"
)

// Kernels returns all kernels, in the order in which they are run together.
func Kernels() []nas.Kernel {
	return []nas.Kernel{
		ep.Kernel(), cg.Kernel(), mg.Kernel(), ft.Kernel(), is.Kernel(), lu.Kernel(), sp.Kernel(), bt.Kernel(),
	}
}

// Names returns the names of the kernels, for messages and help.
func Names() string {
	var names []string
	for _, k := range Kernels() {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

// Find returns the kernel with this name, in upper or lower case.
func Find(name string) (nas.Kernel, bool) {
	for _, k := range Kernels() {
		if strings.EqualFold(name, k.Name) {
			return k, true
		}
	}
	return nas.Kernel{}, false
}
