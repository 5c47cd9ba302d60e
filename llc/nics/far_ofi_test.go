//go:build ofi

package nics

// fars are the NICs between hosts that this program has.
var fars = []string{"tcp", "ofi"}
