// Package invariants holds checks that cost nothing in an ordinary build: they
// are compiled in with the build tag invariants, or under the race detector.
//
//	if invariants.Enabled {
//		invariants.Check(!r.done, "llc: request completed twice")
//	}
package invariants

// Check panics with text if cond does not hold. Guard the call with [Enabled]
// wherever evaluating cond costs anything.
func Check(cond bool, text string) {
	if Enabled && !cond {
		panic(text)
	}
}

// Scramble fills b with a pattern that has no meaning in any protocol, so that a read after free is
// noticed. It does nothing in an ordinary build.
func Scramble(b []byte) {
	if !Enabled {
		return
	}
	for i := range b {
		b[i] = 0xdb
	}
}
