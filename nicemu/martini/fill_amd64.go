//go:build !purego && !race

package martini

// fill writes all words of e but the state. Stores become visible in program order on this architecture, and a
// call that is not inlined keeps them in the compiler's, so plain ones will do, where atomic ones, for which they
// stand, would each wait until all before them are visible.
//
//go:noinline
func (e *entry) fill(key, start, size, last, seal uint64) {
	e[entKey], e[entStart], e[entSize], e[entPhys], e[entSeal] = key, start, size, last, seal
}

// enter makes state that of e after all that the caller stored before: as fill does.
//
//go:noinline
func (e *entry) enter(state uint64) { e[entState] = state }
