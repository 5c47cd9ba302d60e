package main

import (
	"fmt"
	"strings"

	"rhinet/npb"
	"rhinet/npb/nas"
)

// selectKernels returns the named kernels, or every one if a name is "all".
func selectKernels(names []string) (chosen []nas.Kernel, all bool, err error) {
	if len(names) == 0 {
		return nil, false, fmt.Errorf("no kernel named; choose from %s, or all", npb.Names())
	}
	for _, name := range names {
		if strings.EqualFold(name, "all") {
			all = true
			continue
		}
		k, ok := npb.Find(name)
		if !ok {
			return nil, false, fmt.Errorf("unknown kernel %q; choose from %s, or all", name, npb.Names())
		}
		chosen = append(chosen, k)
	}
	if all {
		chosen = npb.Kernels()
	}
	return chosen, all, nil
}
