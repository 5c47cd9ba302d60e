//go:build !purego && !race

package martini

// fill writes all words of e except the state. On this architecture stores become visible in
// program order, and a call that is not inlined keeps the compiler from reordering them. So plain
// stores have the effect of atomic ones, each of which would wait until all earlier stores are
// visible.
//
//go:noinline
func (e *entry) fill(key, start, size, last, seal uint64) {
	e[entKey], e[entStart], e[entSize], e[entPhys], e[entSeal] = key, start, size, last, seal
}

// enter stores state after everything that the caller stored before, in the way of fill.
//
//go:noinline
func (e *entry) enter(state uint64) { e[entState] = state }
