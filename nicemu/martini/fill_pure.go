//go:build !amd64 || purego || race

package martini

// fill writes all words of e except the state.
func (e *entry) fill(key, start, size, last, seal uint64) {
	e.store(entKey, key)
	e.store(entStart, start)
	e.store(entSize, size)
	e.store(entPhys, last)
	e.store(entSeal, seal)
}

// enter stores state after everything that the caller stored before.
func (e *entry) enter(state uint64) { e.store(entState, state) }
