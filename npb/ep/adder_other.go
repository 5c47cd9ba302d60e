//go:build !amd64 || purego

package ep

import "rhinet/npb/nas"

// newAdder returns the adder for a level.
func newAdder(nas.Level) adder { return addGo }
