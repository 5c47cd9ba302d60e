package main

import (
	"fmt"
	"strings"

	"rhinet/mpi"
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

// A kernel is one benchmark, as every package below npb offers it.
type kernel struct {
	name     string
	describe func(nas.Class) (nas.Problem, error)
	allowed  func(procs int, class nas.Class) error
	run      func(world *mpi.Comm, cfg nas.Config) (nas.Result, error)
}

// kernels is the list of all kernels, in the order of "all".
func kernels() []kernel {
	return []kernel{
		{"ep", ep.Describe, ep.Allowed, ep.Run},
		{"cg", cg.Describe, cg.Allowed, cg.Run},
		{"mg", mg.Describe, mg.Allowed, mg.Run},
		{"ft", ft.Describe, ft.Allowed, ft.Run},
		{"is", is.Describe, is.Allowed, is.Run},
		{"lu", lu.Describe, lu.Allowed, lu.Run},
		{"sp", sp.Describe, sp.Allowed, sp.Run},
		{"bt", bt.Describe, bt.Allowed, bt.Run},
	}
}

// kernelNames lists the kernels for messages and help.
func kernelNames() string {
	var names []string
	for _, k := range kernels() {
		names = append(names, k.name)
	}
	return strings.Join(names, ", ")
}

// selectKernels returns the named kernels, or every one if a name is "all".
func selectKernels(names []string) (chosen []kernel, all bool, err error) {
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

func find(name string) (kernel, bool) {
	for _, k := range kernels() {
		if strings.EqualFold(name, k.name) {
			return k, true
		}
	}
	return kernel{}, false
}
