//go:build !linux

package fabric

import "testing"

// testFabrics returns memory of one process.
func testFabrics(t *testing.T) map[string]*Fabric {
	return map[string]*Fabric{"goroutines": heap(t, 2)}
}
