package main

import (
	"rhinet/internal/launch"
	"rhinet/llc/nics"
	"rhinet/nicemu/fabric"
)

var _ launch.Fabric = (*fabric.View)(nil)

// openFabric creates the memory of a job that uses the given NIC: the launcher is the management process of
// the NICs.
func openFabric(nic string, ranks int) (*fabric.View, error) {
	file, err := nics.Create(nic, ranks)
	if err != nil {
		return nil, err
	}
	return fabric.NewView(file), nil
}
