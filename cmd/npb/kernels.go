package main

import (
	"fmt"
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

// kernels is the list of all kernels, in the order of "all".
func kernels() []nas.Kernel {
	return []nas.Kernel{
		ep.Kernel(), cg.Kernel(), mg.Kernel(), ft.Kernel(), is.Kernel(), lu.Kernel(), sp.Kernel(), bt.Kernel(),
	}
}

// kernelNames lists the kernels for messages and help.
func kernelNames() string {
	var names []string
	for _, k := range kernels() {
		names = append(names, k.Name)
	}
	return strings.Join(names, ", ")
}

// selectKernels returns the named kernels, or every one if a name is "all".
func selectKernels(names []string) (chosen []nas.Kernel, all bool, err error) {
	if len(names) == 0 {
		return nil, false, fmt.Errorf("no kernel named; choose from %s, or all", kernelNames())
	}
	for _, name := range names {
		if strings.EqualFold(name, "all") {
			all = true
			continue
		}
		k, ok := find(name)
		if !ok {
			return nil, false, fmt.Errorf("unknown kernel %q; choose from %s, or all", name, kernelNames())
		}
		chosen = append(chosen, k)
	}
	if all {
		chosen = kernels()
	}
	return chosen, all, nil
}

func find(name string) (nas.Kernel, bool) {
	for _, k := range kernels() {
		if strings.EqualFold(name, k.Name) {
			return k, true
		}
	}
	return nas.Kernel{}, false
}
