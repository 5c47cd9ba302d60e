//go:build !linux

package fabric

import (
	"errors"
	"os"
)

// errNoProcesses reports a system on which ranks cannot be processes.
var errNoProcesses = errors.New("fabric: ranks as processes need Linux; run them as goroutines (package mpitest)")

// Create makes the memory of a job of processes; it is not supported on this system.
func Create(ranks int, g Geometry) (*os.File, error) {
	if err := g.Check(ranks); err != nil {
		return nil, err
	}
	return nil, errNoProcesses
}

// Open maps an inherited fabric; it is not supported on this system.
func Open(int) (*Fabric, error) { return nil, errNoProcesses }

// Map maps the fabric in a file; it is not supported on this system.
func Map(*os.File) (*Fabric, error) { return nil, errNoProcesses }

// Ready does nothing: memory of goroutines has no mapping of its own.
func (f *Fabric) Ready([]byte) {}

// discard gives memory of a mapping back; there are none on this system.
func discard([]byte) error { return nil }

// writable protects mappings; there are none on this system.
func writable([]byte, bool) error { return nil }
