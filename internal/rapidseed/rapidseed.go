// Package rapidseed makes property tests repeatable: tests in a file that imports it draw the same values
// in every run.
//
//	import _ "rhinet/internal/rapidseed"
//
// Another seed tries other values: go test PACKAGE -args -rapid.seed=N, or RAPID_SEED=N.
package rapidseed

import (
	"flag"

	_ "pgregory.net/rapid" // defines the flags
)

// Seed is the seed of every property test unless another one was requested.
const Seed = "20261122"

func init() {
	if f := flag.Lookup("rapid.seed"); f.Value.String() == "0" {
		if err := f.Value.Set(Seed); err != nil {
			panic(err) // only if the library's flag is no longer a number
		}
	}
}
